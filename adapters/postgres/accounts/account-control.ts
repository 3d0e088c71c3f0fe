import type { AccountControl, Suspended } from '../../../domain/accounts/operators/owner-administration.ts';
import type { Sql } from '../kit/sql.ts';

/** Through functions that run with the rights of the schema's owner (functions/account-control.sql). */
export function postgresAccountControl(sql: Sql): AccountControl {
  return {
    async setTier(owner_id, tier, admin) {
      const [row] = await sql.rows<{ changed: boolean }>(SET_TIER, [owner_id, tier, admin]);
      return row?.changed ?? false;
    },
    async suspend(owner_id, admin) {
      const [row] = await sql.rows<Suspended>(SUSPEND, [owner_id, admin]);
      return row ?? null;
    },
    async resume(owner_id, admin) {
      const [row] = await sql.rows<{ keys: readonly string[] }>(RESUME, [owner_id, admin]);
      return row?.keys ?? null;
    },
  };
}

const SET_TIER = 'select app.admin_sets_tier(account => $1, new_tier => $2, admin => $3) as changed';
const SUSPEND = 'select sessions_ended, keys from app.admin_suspends(account => $1, admin => $2)';
const RESUME = 'select keys from app.admin_resumes(account => $1, admin => $2)';
