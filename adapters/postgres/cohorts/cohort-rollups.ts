import { EQUALITY_FILTERS } from '../../../domain/cohorts/cohort-membership.ts';
import type { Sql } from '../kit/sql.ts';

/** Filters that every cell can answer: it keeps them apart whatever its rollup. */
const ALWAYS_KEPT = ['market', 'perspective_type', 'result_bucket', 'method', 'grid'] as const;

export type KeptColumn = Exclude<(typeof EQUALITY_FILTERS)[number], (typeof ALWAYS_KEPT)[number]>;

/** Columns that a rollup may keep apart or sum over. */
export const KEPT_COLUMNS = EQUALITY_FILTERS.filter((field): field is KeptColumn => !isAlwaysKept(field));

function isAlwaysKept(field: string): boolean {
  return ALWAYS_KEPT.some((column) => column === field);
}

export const PERIODS = ['month', 'day', 'six_hours'] as const;
export type RollupPeriod = (typeof PERIODS)[number];
/** What the periods are of. */
export type PeriodClock = 'data_cutoff' | 'evaluated_at';

/** Rollups that keep the same columns apart. */
export interface Grain {
  readonly name: string;
  readonly keeps: readonly KeptColumn[];
  /** The rollup over all of time. */
  readonly all: number;
  /** Rollups by periods, where there are any. */
  readonly data_cutoff?: Readonly<Partial<Record<RollupPeriod, number>>>;
  readonly evaluated_at?: Readonly<Partial<Record<RollupPeriod, number>>>;
}

/**
 * The grains that app.cohort_rollups has, those with fewer cells to a market first. Migrations alone change that table,
 * and a process reads it once.
 */
export async function readGrains(sql: Pick<Sql, 'rows'>): Promise<readonly Grain[]> {
  const rows = await sql.rows<RollupRow>('select * from app.cohort_rollups order by rollup');
  return rows
    .filter(({ period }) => period === 'all')
    .map((whole) => {
      const alike = rows.filter(({ grain }) => grain === whole.grain);
      const by = { data_cutoff: periodsOf(alike, 'data_cutoff'), evaluated_at: periodsOf(alike, 'evaluated_at') };
      const clocks = Object.fromEntries(Object.entries(by).filter(([, rollups]) => Object.keys(rollups).length > 0));
      return { name: whole.grain, keeps: KEPT_COLUMNS.filter((column) => whole[column]), all: whole.rollup, ...clocks };
    });
}

interface RollupRow extends Readonly<Record<KeptColumn, boolean>> {
  readonly rollup: number;
  readonly grain: string;
  readonly period: RollupPeriod | 'all';
  readonly clock: PeriodClock;
}

function periodsOf(rollups: readonly RollupRow[], clock: PeriodClock): Grain['data_cutoff'] & object {
  const ofClock = rollups.filter((rollup) => rollup.clock === clock && rollup.period !== 'all');
  return Object.fromEntries(ofClock.map(({ period, rollup }) => [period, rollup]));
}
