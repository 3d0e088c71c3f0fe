import type { ApiKeyStore } from '../../domain/accounts/api-key-store.ts';
import { ownerGone } from '../../domain/accounts/owner-gone.ts';
import type { KeyCaller, PermissionMode, Tier } from '../../domain/caller.ts';
import { keyRecords } from './api-key-records.ts';
import { batcher } from './batcher.ts';
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
      const [caller] = await authenticateAll(sql, hear, [key_hash]);
      return caller ?? null;
    },

    async revoke(owner_id, key_prefix) {
      return (await sql.rows(REVOKE, [owner_id, key_prefix])).length > 0;
    },
  };
}

/** The same store for the many requests of a process: their keys are looked up together, one statement for up to 64. */
export function batchedApiKeys(sql: Sql, hear: HearTime): ApiKeyStore {
  const authenticate = batcher<Uint8Array, KeyCaller | null>({
    run: (hashes) => authenticateAll(sql, hear, hashes),
    most: 64,
    atOnce: 1,
  });
  return { ...postgresApiKeys(sql, hear), authenticate };
}

interface KeyRow {
  readonly hash: string;
  readonly owner_id: string;
  readonly agent_id: string | null;
  readonly key_prefix: string;
  readonly permission_mode: PermissionMode;
  readonly tier: Tier;
  readonly at: Date;
}

async function authenticateAll(sql: Sql, hear: HearTime, hashes: readonly Uint8Array[]): Promise<(KeyCaller | null)[]> {
  const callers = new Map<string, KeyCaller>();
  for (const { hash, at, ...row } of await sql.rows<KeyRow>(AUTHENTICATE, [hashes], 'authenticate')) {
    hear(at);
    callers.set(hash, { credential: 'api_key', ...row });
  }
  return hashes.map((hash) => callers.get(Buffer.from(hash).toString('hex')) ?? null);
}

const ADD = `
  insert into app.api_keys (key_prefix, key_hash, owner_id, agent_id, permission_mode, label, created_at)
  select $1, $2, $3::uuid, $4, $5, $6, $7::timestamptz
  where (select count(*) from app.api_keys where owner_id = $3::uuid and revoked_at is null) < $8
  returning key_prefix`;

const AUTHENTICATE = `
  select encode(k.key_hash, 'hex') as hash, k.owner_id, k.agent_id, k.key_prefix, k.permission_mode, o.tier,
    app.now() as at
  from app.api_keys k join app.owners o on o.owner_id = k.owner_id
  where k.key_hash = any($1::bytea[]) and k.revoked_at is null`;

const REVOKE = `
  update app.api_keys set revoked_at = app.now()
  where owner_id = $1 and key_prefix = $2 and revoked_at is null
  returning key_prefix`;
