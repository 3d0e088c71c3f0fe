import { type CohortFilter, evaluatedUntil } from '../../../domain/cohorts/cohort-filter.ts';
import { DAY, HOUR, type Millis } from '../../../domain/time.ts';
import { KEPT_COLUMNS, PERIODS, type PeriodClock, type Rollup, type RollupPeriod } from './cohort-rollups.ts';

/** From `since` to before `until`; open where one is missing. */
export interface Range {
  readonly since?: Millis;
  readonly until?: Millis;
}

/** Where the counts of a cohort are added up from: every record of it is in one of the parts. */
export interface CohortPlan {
  /** Cells, and of the tail what they will count. */
  readonly cells: readonly CellsPart[];
  readonly clock: PeriodClock;
  /** What the cells have between them of `clock`: the tail's share. Null without cells. */
  readonly counted: Range | null;
  /** Stretches of `clock` that are counted from the records themselves. */
  readonly records: readonly Range[];
}

export interface CellsPart extends Range {
  readonly rollup: Rollup;
}

/**
 * The coarsest rollups that keep apart all that the filter asks for, by whole months and days where the filter is
 * bounded in time; the ragged ends come from the records, as does everything where no rollup fits.
 * @param rollups those of the market, with fewer cells first
 */
export function planOf(filter: CohortFilter, rollups: readonly Rollup[]): CohortPlan {
  const columns = KEPT_COLUMNS.filter((column) => filter[column] !== undefined);
  const fitting = rollups.filter(({ keeps }) => columns.every((column) => keeps.includes(column)));
  const clock = clockOf(filter, fitting);
  const range = rangeOf(filter, clock);
  const all = fitting.find(({ period }) => period === 'all');
  if (filter.as_of && clock === 'data_cutoff') return { clock, ...byPeriods(range, {}) };
  if (all && range.since === undefined && range.until === undefined) {
    return { clock, cells: [{ rollup: all }], counted: {}, records: [] };
  }
  return { clock, ...byPeriods(range, periodsOf(fitting, clock)) };
}

/** Cells by the time of evaluation do not keep apart times of data. */
function clockOf(filter: CohortFilter, fitting: readonly Rollup[]): PeriodClock {
  const bounded = filter.data_cutoff_since !== undefined || filter.data_cutoff_until !== undefined;
  const graded = fitting.some(({ clock }) => clock === 'evaluated_at');
  return filter.as_of && !bounded && graded ? 'evaluated_at' : 'data_cutoff';
}

function rangeOf(filter: CohortFilter, clock: PeriodClock): Range {
  const { data_cutoff_since, data_cutoff_until } = filter;
  const evaluated_until = evaluatedUntil(filter);
  if (clock === 'evaluated_at') return evaluated_until ? { until: evaluated_until.getTime() + 1 } : {};
  return {
    ...(data_cutoff_since ? { since: data_cutoff_since.getTime() } : {}),
    ...(data_cutoff_until ? { until: data_cutoff_until.getTime() } : {}),
  };
}

type RollupsByPeriod = Readonly<Partial<Record<RollupPeriod, Rollup>>>;

function periodsOf(fitting: readonly Rollup[], clock: PeriodClock): RollupsByPeriod {
  const first = (period: RollupPeriod) => fitting.find((each) => each.period === period && each.clock === clock);
  return Object.fromEntries(PERIODS.map((period) => [period, first(period)]).filter(([, rollup]) => rollup));
}

function byPeriods(range: Range, rollups: RollupsByPeriod): Omit<CohortPlan, 'clock'> {
  const periods = PERIODS.filter((period) => rollups[period] !== undefined);
  const finest = periods.at(-1);
  const counted = finest ? wholePeriods(range, finest) : null;
  return { ...cover(range, periods, rollups), counted: counted && !isEmpty(counted) ? counted : null };
}

/** The whole periods within a range, the longest first, and what is left at its ends. */
function cover(
  range: Range,
  [period, ...shorter]: readonly RollupPeriod[],
  rollups: RollupsByPeriod,
): Pick<CohortPlan, 'cells' | 'records'> {
  if (isEmpty(range)) return { cells: [], records: [] };
  if (period === undefined) return { cells: [], records: [range] };
  const whole = wholePeriods(range, period);
  const rollup = rollups[period];
  if (isEmpty(whole) || rollup === undefined) return cover(range, shorter, rollups);
  const ends = around(range, whole).map((end) => cover(end, shorter, rollups));
  return {
    cells: [{ rollup, ...whole }, ...ends.flatMap(({ cells }) => cells)],
    records: ends.flatMap(({ records }) => records),
  };
}

/** What of `outer` lies before and behind `inner`, which is within it. */
function around(outer: Range, inner: Range): Range[] {
  const before = inner.since === undefined ? [] : [{ ...outer, until: inner.since }];
  const behind = inner.until === undefined ? [] : [{ ...outer, since: inner.until }];
  return [...before, ...behind].filter((range) => !isEmpty(range));
}

function isEmpty({ since, until }: Range): boolean {
  return since !== undefined && until !== undefined && since >= until;
}

/** The whole periods of a range, in UTC. */
function wholePeriods({ since, until }: Range, period: RollupPeriod): Range {
  return {
    ...(since === undefined ? {} : { since: startOf(period, since, 'or after') }),
    ...(until === undefined ? {} : { until: startOf(period, until, 'or before') }),
  };
}

function startOf(period: RollupPeriod, at: Millis, side: 'or after' | 'or before'): Millis {
  if (period === 'day' || period === 'six_hours') {
    const length = LENGTHS[period];
    return (side === 'or before' ? Math.floor(at / length) : Math.ceil(at / length)) * length;
  }
  const date = new Date(at);
  const [year, month] = [date.getUTCFullYear(), period === 'year' ? 0 : date.getUTCMonth()];
  const start = Date.UTC(year, month);
  if (side === 'or before' || start === at) return start;
  return period === 'year' ? Date.UTC(year + 1, 0) : Date.UTC(year, month + 1);
}

const LENGTHS = { day: DAY, six_hours: 6 * HOUR } as const;
