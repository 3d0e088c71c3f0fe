import type { CellFault } from '../../../domain/cohorts/cohort-cells.ts';
import type { Decision } from '../../../domain/decisions/decision.ts';
import { moveRange, moveZ } from '../../../domain/grading/had-said.ts';
import type { PathFacts } from '../../../domain/grading/path-facts.ts';
import type { Sql } from '../kit/sql.ts';

/** The facts of an outcome from which the range of its move follows. */
export interface MovedRecord extends Pick<PathFacts, 'z' | 'raw_return'>, Pick<Decision, 'record_id' | 'direction'> {}

export function rangeOf({ direction, ...facts }: MovedRecord): number {
  return moveRange(moveZ(direction, facts));
}

/** A record whose stored range differs from that of its outcome. */
export interface MoveFault {
  readonly record_id: string;
  readonly stored: number;
  readonly counted: number;
}

/** Reads the outcomes of all records that have a range, a part of them in each statement. */
export async function moveFaults(sql: Pick<Sql, 'rows'>): Promise<readonly MoveFault[]> {
  const faults: MoveFault[] = [];
  let after = '';
  for (;;) {
    const rows = await sql.rows<MovedRecord & { readonly move: number }>(MOVED, [after, PART]);
    for (const { move: stored, ...moved } of rows) {
      const counted = rangeOf(moved);
      if (stored !== counted) faults.push({ record_id: moved.record_id, stored, counted });
    }
    if (rows.length < PART) return faults;
    after = rows.at(-1)?.record_id ?? '';
  }
}

export function inWords({ record_id, stored, counted }: MoveFault): CellFault {
  return { cell: `range of the move of ${record_id}`, kept: String(stored), counted: String(counted) };
}

/**
 * Stores the ranges of the outcomes, in the order of locks of `app.count_moves`. The cells that count them are to be
 * rebuilt in the same transaction.
 */
export async function correctMoves(sql: Pick<Sql, 'rows'>): Promise<void> {
  const faults = await moveFaults(sql);
  if (faults.length === 0) return;
  const values = [faults.map(({ record_id }) => record_id), faults.map(({ counted }) => counted)];
  await sql.rows(correctionIn('decisions'), values);
  await sql.rows('select app.lock_cohort_cells()');
  await sql.rows(correctionIn('cohort_tail'), values);
}

const PART = 10_000;

const MOVED = `
  select d.record_id, d.direction, d.move, (o.facts ->> 'raw_return')::float8 as raw_return,
    (o.facts ->> 'z')::float8 as z
  from app.decision_outcomes o join app.decisions d on d.record_id = o.record_id
  where d.move is not null and o.record_id > $1 order by o.record_id limit $2`;

function correctionIn(table: string): string {
  return `update app.${table} t set move = r.move from unnest($1::text[], $2::smallint[]) as r(record_id, move)
    where t.record_id = r.record_id`;
}
