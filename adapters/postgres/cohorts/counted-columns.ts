import type { CellFault } from '../../../domain/cohorts/cohort-cells.ts';
import type { Decision } from '../../../domain/decisions/decision.ts';
import { areFacts } from '../../../domain/decisions/views/stored-shapes.ts';
import { publicGrid } from '../../../domain/decisions/views/views.ts';
import { type CohortException, cohortException } from '../../../domain/grading/cohort-exception.ts';
import type { Grid } from '../../../domain/grading/grid.ts';
import { moveRange, moveZ } from '../../../domain/grading/had-said.ts';
import type { OutcomeFacts } from '../../../domain/grading/outcome.ts';
import type { PathFacts } from '../../../domain/grading/paths/path-facts.ts';
import { CORRECT_COUNTED } from '../functions/called-functions.ts';
import type { Sql } from '../kit/sql.ts';

/** The facts of an outcome from which the range of its move follows. */
export interface MovedRecord extends Pick<PathFacts, 'z' | 'raw_return'>, Pick<Decision, 'record_id' | 'direction'> {}

export function rangeOf({ direction, ...facts }: MovedRecord): number {
  return moveRange(moveZ(direction, facts));
}

/** The columns of a record that its cohorts count by, and that follow from its outcome. */
interface CountedColumns {
  /** null until the sweep has read an older outcome. */
  readonly move: number | null;
  readonly grid: Grid | null;
  readonly cohort_exception: CohortException | null;
}

/** A record whose stored columns differ from its outcome. */
export interface ColumnFault {
  readonly record_id: string;
  readonly stored: CountedColumns;
  readonly counted: CountedColumns;
}

/** Reads all outcomes, a part of them in each statement. */
export async function columnFaults(sql: Pick<Sql, 'rows'>): Promise<readonly ColumnFault[]> {
  const faults: ColumnFault[] = [];
  let after = '';
  for (;;) {
    const rows = await sql.rows<GradedRow>(GRADED, [after, PART]);
    for (const row of rows) {
      const [stored, counted] = [storedColumns(row), columnsOf(row)];
      if (textOf(stored) !== textOf(counted)) faults.push({ record_id: row.record_id, stored, counted });
    }
    if (rows.length < PART) return faults;
    after = rows.at(-1)?.record_id ?? '';
  }
}

export function inWords({ record_id, stored, counted }: ColumnFault): CellFault {
  return { cell: `record ${record_id}`, kept: textOf(stored), counted: textOf(counted) };
}

/**
 * Stores what follows from the outcomes, in the order of locks of `app.count_moves`. The cells that count these records
 * are to be rebuilt in the same transaction.
 */
export async function correctColumns(sql: Pick<Sql, 'rows'>): Promise<void> {
  const faults = await columnFaults(sql);
  if (faults.length === 0) return;
  const counted = faults.map((fault) => fault.counted);
  const values = CORRECT_COUNTED.values({
    ids: faults.map(({ record_id }) => record_id),
    moves: counted.map(({ move }) => move),
    grids: counted.map(({ grid }) => grid),
    exceptions: counted.map(({ cohort_exception }) => cohort_exception),
  });
  await sql.rows(`select from ${CORRECT_COUNTED.call}`, values);
}

type GradedRow = CountedColumns &
  Pick<Decision, 'record_id' | 'direction' | 'submission_origin' | 'market' | 'venue' | 'anchor_time' | 'end_time'> & {
    readonly facts: OutcomeFacts;
  };

function storedColumns({ move, grid, cohort_exception }: GradedRow): CountedColumns {
  return { move, grid, cohort_exception };
}

/** From facts that cannot be read nothing follows: their records stay counted as they are. */
function columnsOf({ facts, ...row }: GradedRow): CountedColumns {
  if (!areFacts(facts)) return storedColumns({ facts, ...row });
  return {
    move: row.move === null ? null : moveRange(moveZ(row.direction, facts)),
    grid: publicGrid(facts, row),
    cohort_exception: cohortException(facts),
  };
}

function textOf({ move, grid, cohort_exception }: CountedColumns): string {
  return `move ${move ?? 'unknown'}, grid ${grid ?? 'none'}, exception ${cohort_exception ?? 'none'}`;
}

const PART = 10_000;

const GRADED = `
  select d.record_id, d.direction, d.submission_origin, d.market, d.venue, d.anchor_time, d.end_time, d.move, d.grid,
    d.cohort_exception, o.facts
  from app.decision_outcomes o join app.decisions d on d.record_id = o.record_id
  where o.record_id > $1 order by o.record_id limit $2`;
