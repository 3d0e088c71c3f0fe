import { type CohortFilter, evaluatedUntil } from '../../../domain/cohorts/cohort-filter.ts';
import { EQUALITY_FILTERS } from '../../../domain/cohorts/cohort-membership.ts';
import type { Market } from '../../../domain/market/venues.ts';
import { DAY, HOUR, type Millis } from '../../../domain/time.ts';
import type { Sql } from '../kit/sql.ts';

/** Filters that every cell can answer: it keeps them apart whatever its rollup. */
const ALWAYS_KEPT = ['market', 'perspective_type', 'result_bucket', 'method', 'grid'] as const;

/** Columns that a rollup may keep apart or sum over. */
export const KEPT_COLUMNS = EQUALITY_FILTERS.filter((field): field is KeptColumn => !isAlwaysKept(field));

const PERIODS = ['year', 'month', 'day', 'six_hours'] as const;

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

type KeptColumn = Exclude<(typeof EQUALITY_FILTERS)[number], (typeof ALWAYS_KEPT)[number]>;

function isAlwaysKept(field: string): boolean {
  return ALWAYS_KEPT.some((column) => column === field);
}

type RollupPeriod = (typeof PERIODS)[number];
/** What the periods are of. */

type PeriodClock = 'data_cutoff' | 'evaluated_at';

/** Counts by some columns, over all of time or by periods. */
export interface Rollup {
  readonly rollup: number;
  readonly keeps: readonly KeptColumn[];
  readonly period: RollupPeriod | 'all';
  readonly clock: PeriodClock;
}

/** The rollups of the database, and which of them have the cells of a market. */
export interface Rollups {
  /** Those with fewer cells first. */
  of(market: Market): readonly Rollup[];
  /** Notes the numbers of the rollups that have the cells of a market, as a statement has read them. */
  note(market: Market, numbers: readonly number[]): void;
}

/**
 * Reads app.cohort_rollups. Migrations alone add rollups; which markets one has changes with their size, and each
 * summary reads it again.
 */
export async function readRollups(sql: Pick<Sql, 'rows'>): Promise<Rollups> {
  const rows = await sql.rows<RollupRow>('select * from app.cohort_rollups order by rollup');
  const all = rollupsOf(rows);
  const noted = new Map<Market, readonly number[]>();
  const read = (market: Market) =>
    rows.filter(({ markets }) => markets === null || markets.includes(market)).map(({ rollup }) => rollup);
  return {
    of(market) {
      const numbers = noted.get(market) ?? read(market);
      return all.filter(({ rollup }) => numbers.includes(rollup));
    },
    note: (market, numbers) => void noted.set(market, numbers),
  };
}

export interface RollupRow extends Readonly<Record<KeptColumn, boolean>>, Omit<Rollup, 'keeps'> {
  /** null for all. */
  readonly markets: readonly string[] | null;
}

/** @param rows in the order of their numbers */
export function rollupsOf(rows: readonly RollupRow[]): readonly Rollup[] {
  const rollups = rows.map(({ rollup, period, clock, ...columns }) => ({
    ...{ rollup, period, clock },
    keeps: KEPT_COLUMNS.filter((column) => columns[column]),
  }));
  return rollups.toSorted((a, b) => sizeOf(a) - sizeOf(b));
}

/** Grows with the number of cells: a market has many symbols, and few values of the other columns. */
function sizeOf({ keeps }: Rollup): number {
  const isFine = keeps.includes('symbol') || keeps.includes('cohort_key');
  return keeps.length + (isFine ? KEPT_COLUMNS.length : 0);
}
