import type { CellFault, CohortCells } from '../../../domain/cohorts/cohort-reader.ts';
import type { Decision } from '../../../domain/decisions/decision.ts';
import { areFacts, isNumber } from '../../../domain/decisions/views/stored-shapes.ts';
import { publicGrid } from '../../../domain/decisions/views/views.ts';
import { moveRange, moveZ } from '../../../domain/grading/bucket.ts';
import { type CohortException, cohortException } from '../../../domain/grading/cohort-exception.ts';
import type { Grid } from '../../../domain/grading/grid.ts';
import type { OutcomeFacts } from '../../../domain/grading/outcome.ts';
import type { PathFacts } from '../../../domain/grading/paths/path-facts.ts';
import { DAY } from '../../../domain/time.ts';
import { CORRECT_COUNTED, COUNT_MOVES } from '../functions/called-functions.ts';
import type { Sql } from '../kit/sql.ts';

const PART = 10_000;

const GRADED = `
  select d.record_id, d.direction, d.submission_origin, d.market, d.venue, d.anchor_time, d.end_time, d.move, d.grid,
    d.cohort_exception, o.facts
  from app.decision_outcomes o join app.decisions d on d.record_id = o.record_id
  where o.record_id > $1 order by o.record_id limit $2`;

export function postgresCohortCells(sql: Sql): CohortCells {
  return {
    async fold(limit) {
      const [row] = await sql.rows<{ folded: number }>('select app.fold_cohorts($1) as folded', [limit]);
      return row?.folded ?? 0;
    },

    async foldTracks(limit) {
      const [row] = await sql.rows<{ folded: number }>('select app.fold_tracks($1) as folded', [limit]);
      return row?.folded ?? 0;
    },

    extend: (records) =>
      sql.atomically(async (own) => {
        const [row] = await own.rows<{ extended: number }>('select app.extend_rollups($1) as extended', [records]);
        return row?.extended ?? 0;
      }, UNHURRIED),

    async countMoves(limit) {
      const rows = await sql.rows<MovedRecord>(OLD_OUTCOMES, [limit]);
      // What cannot be read stays uncounted, and stops no other record.
      const known = rows.filter(({ z, raw_return }) => isNumber(z) && isNumber(raw_return));
      if (known.length === 0) return 0;
      const ids = known.map(({ record_id }) => record_id);
      const [row] = await sql.rows<{ counted: number }>(COUNT, COUNT_MOVES.values({ ids, ranges: known.map(rangeOf) }));
      return row?.counted ?? 0;
    },

    async unfolded() {
      const [row] = await sql.rows<{ records: number; since: Date | null }>(UNFOLDED);
      return row ?? { records: 0, since: null };
    },

    async unfoldedChanges() {
      return (await sql.rows<{ changes: number }>(UNFOLDED_CHANGES))[0]?.changes ?? 0;
    },

    check: () =>
      sql.atomically(async (own) => {
        const cells: CellFault[] = [];
        for (const { rollup } of await own.rows<{ rollup: number }>(ROLLUPS)) {
          cells.push(...(await own.rows<CellFault>(FAULTS, [rollup])));
        }
        const tail = await own.rows<CellFault>(TAIL_FAULTS);
        const tracks = await own.rows<CellFault>(TRACK_FAULTS);
        return [...cells, ...tail, ...tracks, ...(await columnFaults(own)).map(inWords)];
      }, UNHURRIED),

    rebuild: () =>
      sql.atomically(async (own) => {
        if (!(await correctColumns(own))) await own.rows('select app.rebuild_cohort_cells()');
        await own.rows('select app.rebuild_track_cells()');
      }, UNHURRIED),
  };
}

const COUNT = `select counted from ${COUNT_MOVES.call} as counted`;

const OLD_OUTCOMES = `
  select d.record_id, d.direction, d.raw_return, o.facts -> 'z' as z
  from app.decisions d join app.decision_outcomes o on o.record_id = d.record_id
  where d.raw_return is not null and d.move is null limit $1`;

const UNFOLDED = 'select count(*)::int as records, min(evaluated_at) as since from app.cohort_tail';

const UNFOLDED_CHANGES = 'select count(*)::int as changes from app.track_tail';

/** Counting all records takes longer than any statement of a request may. */
const UNHURRIED = DAY;

const ROLLUPS = 'select rollup from app.cohort_rollups order by rollup';

/** Each rollup is compared in one statement, and so in one snapshot. */
const FAULTS = 'select cell, kept, counted from app.cohort_cell_faults($1)';

const TRACK_FAULTS = 'select cell, kept, counted from app.track_faults()';

const TAIL_FAULTS = `
  select 'tail ' || t.record_id as cell, to_jsonb(t)::text as kept, to_jsonb(k)::text as counted
  from app.cohort_tail t left join app.public_records k on k.record_id = t.record_id
  where to_jsonb(t) is distinct from to_jsonb(k)`;

/** The facts of an outcome from which the range of its move follows. */
interface MovedRecord extends Pick<PathFacts, 'z' | 'raw_return'>, Pick<Decision, 'record_id' | 'direction'> {}

function rangeOf({ direction, ...facts }: MovedRecord): number {
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
interface ColumnFault {
  readonly record_id: string;
  readonly stored: CountedColumns;
  readonly counted: CountedColumns;
}

/** Reads all outcomes, a part of them in each statement. */
async function columnFaults(sql: Pick<Sql, 'rows'>): Promise<readonly ColumnFault[]> {
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

function inWords({ record_id, stored, counted }: ColumnFault): CellFault {
  return { cell: `record ${record_id}`, kept: textOf(stored), counted: textOf(counted) };
}

/**
 * Stores what follows from the outcomes, in the order of locks of `app.count_moves`. The cells that count these records
 * are to be rebuilt in the same transaction.
 */
/** Whether there was something to correct: all cells are counted anew then. */
async function correctColumns(sql: Pick<Sql, 'rows'>): Promise<boolean> {
  const faults = await columnFaults(sql);
  if (faults.length === 0) return false;
  const counted = faults.map((fault) => fault.counted);
  const values = CORRECT_COUNTED.values({
    ids: faults.map(({ record_id }) => record_id),
    moves: counted.map(({ move }) => move),
    grids: counted.map(({ grid }) => grid),
    exceptions: counted.map(({ cohort_exception }) => cohort_exception),
  });
  await sql.rows(`select from ${CORRECT_COUNTED.call}`, values);
  return true;
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
    // Whose prices they are follows from the names.
    cohort_exception: row.cohort_exception === 'wrong_security' ? row.cohort_exception : cohortException(facts),
  };
}

function textOf({ move, grid, cohort_exception }: CountedColumns): string {
  return `move ${move ?? 'unknown'}, grid ${grid ?? 'none'}, exception ${cohort_exception ?? 'none'}`;
}
