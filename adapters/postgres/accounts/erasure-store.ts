import {
  type ErasureOverview,
  type ErasureStep,
  type ErasureStore,
  REMOVED_TABLES,
  type RemovedAccount,
  type RemovedOwner,
} from '../../../domain/accounts/owner-data.ts';
import { ERASURE } from '../../../domain/limits.ts';
import { interval } from '../kit/expired-rows.ts';
import type { Sql } from '../kit/sql.ts';

/** SQL by hand: locks, deletions up to a limit, and the functions of functions/erasure.sql, which run as the owner of the schema. */
export function postgresErasures(sql: Sql): ErasureStore {
  const names = async (text: string, values: readonly unknown[]) =>
    (await sql.rows<Pick<RemovedOwner, 'owner_id'>>(text, values)).map(({ owner_id }) => owner_id);
  return {
    schedule: (owner_id) =>
      one<Date>(sql, 'select app.schedule_erasure(erased => $1, grace => $2::interval) as found', [
        owner_id,
        interval(ERASURE.grace),
      ]),

    takeBack: (owner_id) => one<readonly string[]>(sql, 'select app.take_back_erasure($1) as found', [owner_id]),
    due: (limit) => names(DUE, [limit]),
    unfinished: (limit) => names(UNFINISHED, [limit]),

    remove: (owner_id) =>
      sql.atomically(async (own) => {
        if ((await own.rows(LOCK_DUE, [owner_id])).length === 0) return null;
        const [row] = await own.rows<RemovedAccount['removed'] & Pick<RemovedAccount, 'records'>>(COUNT, [owner_id]);
        if (!row || !(await removeDue(own, owner_id))) return null;
        const { records, ...removed } = row;
        return { removed, records };
      }),

    async clear(owner_id, limit) {
      const cleared = [];
      for (const text of [CLEAR_REPLIES, CLEAR_DELIVERIES, CLEAR_ROWS])
        cleared.push((await sql.rows(text, [owner_id, limit])).length);
      return cleared.reduce((sum, rows) => sum + rows, 0);
    },

    eraseTraces: async (owner_id, limit) =>
      (await one<number>(sql, 'select app.erase_traces(erased => $1, most => $2) as found', [owner_id, limit])) ?? 0,

    async eraseRecords(owner_id, limit) {
      const [step] = await sql.rows<ErasureStep>(
        'select written, state from app.erase_records(erased => $1, most => $2)',
        [owner_id, limit],
      );
      return step ?? { written: 0, state: 'none' };
    },

    removedAfter: (after, limit) => sql.rows<RemovedOwner>(REMOVED_AFTER, [after, limit]),

    async overview() {
      const [row] = await sql.rows<ErasureOverview>(OVERVIEW);
      return row ?? { scheduled: 0, under_way: 0, due_since: null, records: 0 };
    },
  };
}

/** In a transaction. @returns false for an account that is not due */
export async function removeDue(sql: Sql, owner_id: string): Promise<boolean> {
  return (await one<boolean>(sql, 'select app.remove_account($1) as found', [owner_id])) ?? false;
}

async function one<Found>(sql: Sql, text: string, values: readonly unknown[]): Promise<Found | null> {
  return (await sql.rows<{ found: Found | null }>(text, values))[0]?.found ?? null;
}

const DUE = 'select owner_id from app.owners where erases_at <= app.now() order by erases_at limit $1';

const UNFINISHED = 'select owner_id from app.erasures where ended_at is null order by removed_at limit $1';

/** Every insert of a row that goes with the owner locks this row. */
const LOCK_DUE = 'select from app.owners where owner_id = $1 and erases_at <= app.now() for update';

const COUNT = `
  select ${REMOVED_TABLES.map((table) => `(select count(*)::int from app.${table} where owner_id = $1) as ${table}`).join()},
    (select count(*)::int from app.decisions where owner_id = $1) as records`;

const IS_DUE = 'owner_id in (select owner_id from app.owners where owner_id = $1 and erases_at <= app.now())';

const CLEAR_REPLIES = `
  delete from app.reply_texts where ctid = any(array(select ctid from app.reply_texts where ${IS_DUE} limit $2)) returning 1`;

const CLEAR_DELIVERIES = `
  delete from app.webhook_deliveries where seq = any(array(
    select d.seq from app.webhook_deliveries d join app.webhooks w using (webhook_id) where w.${IS_DUE} limit $2)) returning 1`;

const CLEAR_ROWS = `
  delete from app.backtest_rows where row_id = any(array(
    select r.row_id from app.backtest_rows r join app.backtest_sets s using (set_id) where s.${IS_DUE} limit $2)) returning 1`;

const REMOVED_AFTER = `
  select owner_id, removed_at from app.erasures where $1::uuid is null or owner_id > $1::uuid order by owner_id limit $2`;

const OVERVIEW = `
  select (select count(*)::int from app.owners where erases_at > app.now()) as scheduled,
    (count(*) filter (where ended_at is null))::int as under_way,
    least(min(removed_at) filter (where ended_at is null),
      (select min(erases_at) from app.owners where erases_at <= app.now())) as due_since,
    coalesce(sum(records), 0)::float8 as records
  from app.erasures`;
