import { Not } from 'typeorm';
import type { OwnerAdministration } from '../../../domain/accounts/owner-administration.ts';
import { OWNERS } from '../entities/owners.ts';
import { affected, type Sql } from '../kit/sql.ts';
import { accountOf } from './owner-data.ts';

/** Its writes need the rights of the schema's owner. */
export function postgresOwnerAdministration(sql: Sql): OwnerAdministration {
  return {
    async setRole(owner_id, role) {
      return affected(await sql.tables.update(OWNERS, { owner_id, role: Not(role) }, { role })) > 0;
    },

    async setTier(owner_id, tier) {
      return affected(await sql.tables.update(OWNERS, { owner_id, tier: Not(tier) }, { tier })) > 0;
    },

    remove: (owner_id) =>
      sql.atomically(async (own) => {
        if ((await own.rows(LOCK, [owner_id])).length === 0) return null;
        const account = await accountOf(own, owner_id);
        await own.tables.delete(OWNERS, { owner_id });
        return account;
      }),
  };
}

/** SQL by hand: a lock. Every insert of a row that goes with the owner locks this row. */
const LOCK = 'select from app.owners where owner_id = $1 for update';
