import { EQUALITY_FILTERS } from '../../../domain/cohorts/cohort-membership.ts';
import type { Market } from '../../../domain/market/venues.ts';
import type { Sql } from '../kit/sql.ts';

/** Filters that every cell can answer: it keeps them apart whatever its rollup. */
const ALWAYS_KEPT = ['market', 'perspective_type', 'result_bucket', 'method', 'grid'] as const;

export type KeptColumn = Exclude<(typeof EQUALITY_FILTERS)[number], (typeof ALWAYS_KEPT)[number]>;

/** Columns that a rollup may keep apart or sum over. */
export const KEPT_COLUMNS = EQUALITY_FILTERS.filter((field): field is KeptColumn => !isAlwaysKept(field));

function isAlwaysKept(field: string): boolean {
  return ALWAYS_KEPT.some((column) => column === field);
}

export const PERIODS = ['year', 'month', 'day', 'six_hours'] as const;
export type RollupPeriod = (typeof PERIODS)[number];
/** What the periods are of. */
export type PeriodClock = 'data_cutoff' | 'evaluated_at';

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
