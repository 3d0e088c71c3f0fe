import type { ApiKeyStore } from '../../domain/accounts/api-key-store.ts';
import { ownerGone } from '../../domain/accounts/owner-gone.ts';
import type { KeyCaller } from '../../domain/caller.ts';
import { keyRecords } from './api-key-records.ts';
import type { HearTime } from './clock.ts';
import { LOCK_OWNER } from './owner-store.ts';
import type { Sql } from './sql.ts';

/** What is answered of the time beside the keys is passed on to `hear`. */
export function postgresApiKeys(sql: Sql, hear: HearTime): ApiKeyStore {
  return {
    ...keyRecords(sql),

    add: (key, atMost) =>
      sql.atomically(async (own) => {
        if ((await own.rows(LOCK_OWNER, [key.owner_id])).length === 0) throw ownerGone();
        const { key_prefix, key_hash, owner_id, agent_id, permission_mode, label, created_at } = key;
        const values = [key_prefix, key_hash, owner_id, agent_id, permission_mode, label, created_at, atMost];
        return (await own.rows(ADD, values)).length > 0;
      }),

    async authenticate(key_hash) {
      const [row] = await sql.rows<KeyRow>(AUTHENTICATE, [key_hash], 'authenticate');
      if (!row) return null;
      const { at, ...key } = row;
      hear(at);
      return { credential: 'api_key', ...key };
    },

    async revoke(owner_id, key_prefix) {
      return (await sql.rows(REVOKE, [owner_id, key_prefix])).length > 0;
    },
  };
}

interface KeyRow extends Omit<KeyCaller, 'credential'> {
  readonly at: Date;
}

const ADD = `
  insert into app.api_keys (key_prefix, key_hash, owner_id, agent_id, permission_mode, label, created_at)
  select $1, $2, $3::uuid, $4, $5, $6, $7::timestamptz
  where (select count(*) from app.api_keys where owner_id = $3::uuid and revoked_at is null) < $8
  returning key_prefix`;

const AUTHENTICATE = `
  select k.owner_id, k.agent_id, k.key_prefix, k.permission_mode, o.tier, app.now() as at
  from app.api_keys k join app.owners o on o.owner_id = k.owner_id
  where k.key_hash = $1 and k.revoked_at is null`;

const REVOKE = `
  update app.api_keys set revoked_at = app.now()
  where owner_id = $1 and key_prefix = $2 and revoked_at is null
  returning key_prefix`;
