import type { CohortFilter } from '../../domain/cohorts/cohort-filter.ts';
import { DAY, type Millis } from '../../domain/time.ts';
import { GRAINS, type Grain, KEPT_COLUMNS, type Period, type PeriodClock } from './cohort-rollups.ts';

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
export function planOf(filter: CohortFilter): CohortPlan {
  const bounded = filter.data_cutoff_since !== undefined || filter.data_cutoff_until !== undefined;
  const clock = filter.as_of && !bounded ? 'evaluated_at' : 'data_cutoff';
  const range = rangeOf(filter, clock);
  const grain = filter.as_of && bounded ? null : grainOf(filter, clock, bounded || filter.as_of !== undefined);
  if (!grain) return { cells: [], grain: null, clock, counted: null, records: isEmpty(range) ? [] : [range] };
  return { grain, clock, ...split(range, grain, clock) };
}

function rangeOf({ data_cutoff_since, data_cutoff_until, as_of }: CohortFilter, clock: PeriodClock): Range {
  if (clock === 'evaluated_at') return as_of ? { until: as_of.getTime() + 1 } : {};
  return {
    ...(data_cutoff_since ? { since: data_cutoff_since.getTime() } : {}),
    ...(data_cutoff_until ? { until: data_cutoff_until.getTime() } : {}),
  };
}

function grainOf(filter: CohortFilter, clock: PeriodClock, bounded: boolean): Grain | null {
  const asked = KEPT_COLUMNS.filter((column) => filter[column] !== undefined);
  const fits = (grain: Grain) =>
    asked.every((column) => grain.keeps.includes(column)) && (!bounded || grain[clock] !== undefined);
  return GRAINS.find(fits) ?? null;
}

type Split = Pick<CohortPlan, 'cells' | 'counted' | 'records'>;

function split(range: Range, grain: Grain, clock: PeriodClock): Split {
  if (range.since === undefined && range.until === undefined) {
    return { cells: [{ rollup: grain.all }], counted: {}, records: [] };
  }
  const rollups = grain[clock];
  if (!rollups) throw new TypeError('A grain that is asked by time has periods');
  const { month, day } = rollups;
  const counted = within(range, day === undefined ? 'month' : 'day');
  if (isEmpty(counted)) return { cells: [], counted: null, records: [range].filter((each) => !isEmpty(each)) };
  const months = within(range, 'month');
  const cells =
    day === undefined || isEmpty(months)
      ? [{ rollup: day ?? month, ...counted }]
      : [{ rollup: month, ...months }, ...around(counted, months).map((days) => ({ rollup: day, ...days }))];
  return { cells, counted, records: around(range, counted) };
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
function within({ since, until }: Range, period: Period): Range {
  return {
    ...(since === undefined ? {} : { since: startOf(period, since, 'or after') }),
    ...(until === undefined ? {} : { until: startOf(period, until, 'or before') }),
  };
}

function startOf(period: Period, at: Millis, side: 'or after' | 'or before'): Millis {
  const date = new Date(at);
  const [year, month] = [date.getUTCFullYear(), date.getUTCMonth()];
  const start = period === 'day' ? Math.floor(at / DAY) * DAY : Date.UTC(year, month);
  if (side === 'or before' || start === at) return start;
  return period === 'day' ? start + DAY : Date.UTC(year, month + 1);
}
