import type { CellFault, CohortCells } from '../../../domain/cohorts/cohort-cells.ts';
import { DAY } from '../../../domain/time.ts';
import type { Sql } from '../kit/sql.ts';

export function postgresCohortCells(sql: Sql): CohortCells {
  return {
    async fold(limit) {
      const [row] = await sql.rows<{ folded: number }>('select app.fold_cohorts($1) as folded', [limit]);
      return row?.folded ?? 0;
    },

    async unfolded() {
      const [row] = await sql.rows<{ records: number; since: Date | null }>(UNFOLDED);
      return row ?? { records: 0, since: null };
    },

    check: () =>
      sql.atomically(async (own) => {
        const cells: CellFault[] = [];
        for (const { rollup } of await own.rows<{ rollup: number }>(ROLLUPS)) {
          cells.push(...(await own.rows<CellFault>(FAULTS, [rollup])));
        }
        return [...cells, ...(await own.rows<CellFault>(TAIL_FAULTS))];
      }, UNHURRIED),

    rebuild: () =>
      sql.atomically(async (own) => {
        await own.rows('select app.rebuild_cohort_cells()');
      }, UNHURRIED),
  };
}

const UNFOLDED = 'select count(*)::int as records, min(evaluated_at) as since from app.cohort_tail';

/** Counting all records takes longer than any statement of a request may. */
const UNHURRIED = DAY;

const ROLLUPS = 'select rollup from app.cohort_rollups order by rollup';

/** Each rollup is compared in one statement, and so in one snapshot. */
const FAULTS = 'select cell, kept, counted from app.cohort_cell_faults($1)';

const TAIL_FAULTS = `
  select 'tail ' || t.record_id as cell, to_jsonb(t)::text as kept, to_jsonb(k)::text as counted
  from app.cohort_tail t left join app.public_records k on k.record_id = t.record_id
  where to_jsonb(t) is distinct from to_jsonb(k)`;
