import type { CellFault, CohortCells } from '../../../domain/cohorts/cohort-cells.ts';
import { isNumber } from '../../../domain/decisions/views/stored-shapes.ts';
import { DAY } from '../../../domain/time.ts';
import { COUNT_MOVES } from '../functions/called-functions.ts';
import type { Sql } from '../kit/sql.ts';
import { columnFaults, correctColumns, inWords, type MovedRecord, rangeOf } from './counted-columns.ts';

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
        await correctColumns(own);
        await own.rows('select app.rebuild_cohort_cells()');
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
