import { type CohortFilter, evaluatedUntil } from '../../../domain/cohorts/cohort-filter.ts';
import { DAY, HOUR, type Millis } from '../../../domain/time.ts';
import { type Grain, KEPT_COLUMNS, PERIODS, type PeriodClock, type RollupPeriod } from './cohort-rollups.ts';

/** From `since` to before `until`; open where one is missing. */
export interface Range {
  readonly since?: Millis;
  readonly until?: Millis;
}

/** Where the counts of a cohort are added up from: every record of it is in one of the parts. */
export interface CohortPlan {
  /** Cells, and of the tail what they will count. */
  readonly cells: readonly CellsPart[];
  readonly grain: Grain | null;
  readonly clock: PeriodClock;
  /** What the cells have between them of `clock`: the tail's share. Null without cells. */
  readonly counted: Range | null;
  /** Stretches of `clock` that are counted from the records themselves. */
  readonly records: readonly Range[];
}

export interface CellsPart extends Range {
  readonly rollup: number;
}

/**
 * The coarsest grain that keeps apart all that the filter asks for, by whole months and days where the filter is
 * bounded in time; the ragged ends come from the records, as does everything where no grain fits.
 */
export function planOf(filter: CohortFilter, grains: readonly Grain[]): CohortPlan {
  const bounded = filter.data_cutoff_since !== undefined || filter.data_cutoff_until !== undefined;
  const clock = filter.as_of && !bounded ? 'evaluated_at' : 'data_cutoff';
  const range = rangeOf(filter, clock);
  const grain = filter.as_of && bounded ? null : grainOf(filter, grains, clock, bounded || filter.as_of !== undefined);
  if (!grain) return { cells: [], grain: null, clock, counted: null, records: isEmpty(range) ? [] : [range] };
  return { grain, clock, ...split(range, grain, clock) };
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

function grainOf(filter: CohortFilter, grains: readonly Grain[], clock: PeriodClock, bounded: boolean): Grain | null {
  const columns = KEPT_COLUMNS.filter((column) => filter[column] !== undefined);
  const fits = (grain: Grain) =>
    columns.every((column) => grain.keeps.includes(column)) && (!bounded || grain[clock] !== undefined);
  return grains.find(fits) ?? null;
}

type Split = Pick<CohortPlan, 'cells' | 'counted' | 'records'>;

function split(range: Range, grain: Grain, clock: PeriodClock): Split {
  if (range.since === undefined && range.until === undefined) {
    return { cells: [{ rollup: grain.all }], counted: {}, records: [] };
  }
  const rollups = grain[clock] ?? {};
  const periods = PERIODS.filter((period) => rollups[period] !== undefined);
  const finest = periods.at(-1);
  const counted = finest ? wholePeriods(range, finest) : null;
  return { ...cover(range, periods, rollups), counted: counted && !isEmpty(counted) ? counted : null };
}

/** The whole periods within a range, the longest first, and what is left at its ends. */
function cover(
  range: Range,
  [period, ...shorter]: readonly RollupPeriod[],
  rollups: Readonly<Partial<Record<RollupPeriod, number>>>,
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
  if (period !== 'month') {
    const length = LENGTHS[period];
    return (side === 'or before' ? Math.floor(at / length) : Math.ceil(at / length)) * length;
  }
  const date = new Date(at);
  const [year, month] = [date.getUTCFullYear(), date.getUTCMonth()];
  const start = Date.UTC(year, month);
  return side === 'or before' || start === at ? start : Date.UTC(year, month + 1);
}

const LENGTHS = { day: DAY, six_hours: 6 * HOUR } as const;
