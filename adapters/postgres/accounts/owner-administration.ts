import { Not } from 'typeorm';
import type { ApiKey } from '../../../domain/accounts/keys/api-key.ts';
import type { OwnerAdministration } from '../../../domain/accounts/operators/owner-administration.ts';
import { OWNERS } from '../entities/owners.ts';
import { SESSIONS } from '../entities/sign-ins.ts';
import { affected, type Sql } from '../kit/sql.ts';
import { removeDue } from './erasure-store.ts';
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

    suspend: (owner_id) =>
      sql.atomically(async (own) => {
        if ((await own.rows(SUSPEND, [owner_id])).length === 0) return null;
        const sessions_ended = affected(await own.tables.delete(SESSIONS, { owner_id }));
        await own.rows(DROP_LINKS, [owner_id]);
        return { sessions_ended, keys: await prefixes(own, SUSPEND_KEYS, owner_id) };
      }),

    resume: (owner_id) =>
      sql.atomically(async (own) => {
        if ((await own.rows(RESUME, [owner_id])).length === 0) return null;
        return prefixes(own, RESTORE_KEYS, owner_id);
      }),

    remove: (owner_id) =>
      sql.atomically(async (own) => {
        if ((await own.rows(LOCK, [owner_id])).length === 0) return null;
        const account = await accountOf(own, owner_id);
        await own.rows(DUE_NOW, [owner_id]);
        return (await removeDue(own, owner_id)) ? account : null;
      }),
  };
}

async function prefixes(sql: Sql, text: string, owner_id: string): Promise<readonly string[]> {
  const keys = await sql.rows<Pick<ApiKey, 'key_prefix'>>(text, [owner_id]);
  return keys.map(({ key_prefix }) => key_prefix).toSorted();
}

/** SQL by hand: the clock, and updates of several rows that return their names. Whatever adds to an owner locks this row. */
const SUSPEND = `
  update app.owners set suspended_at = app.now() where owner_id = $1 and suspended_at is null returning owner_id`;

const DROP_LINKS = 'delete from app.one_time_links where owner_id = $1';

/** A submission holds its key until it commits, so that none commits after the suspension. */
const SUSPEND_KEYS = `
  update app.api_keys set revoked_at = app.now(), suspended = true where owner_id = $1 and revoked_at is null
  returning key_prefix`;

const RESUME = `
  update app.owners set suspended_at = null where owner_id = $1 and suspended_at is not null returning owner_id`;

const RESTORE_KEYS = `
  update app.api_keys set revoked_at = null, suspended = false
  where owner_id = $1 and suspended and (select erases_at from app.owners where owner_id = $1) is null
  returning key_prefix`;

/** SQL by hand: a lock. Every insert of a row that goes with the owner locks this row. */
const LOCK = 'select from app.owners where owner_id = $1 for update';

const DUE_NOW = 'update app.owners set erases_at = app.now() where owner_id = $1';
