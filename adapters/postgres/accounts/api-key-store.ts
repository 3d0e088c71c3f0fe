import type { ApiKey } from '../../../domain/accounts/keys/api-key.ts';
import type { ApiKeyStore } from '../../../domain/accounts/keys/api-key-store.ts';
import { usableAgent } from '../../../domain/accounts/keys/usable-agent.ts';
import { AGENTS } from '../entities/agents.ts';
import { API_KEYS } from '../entities/api-keys.ts';
import { NOW } from '../kit/age.ts';
import { affected, type Sql } from '../kit/sql.ts';
import { keyRecords, unrevoked } from './api-key-records.ts';
import { lockOwnerForKeys } from './owner-store.ts';

export function postgresApiKeys(sql: Sql): ApiKeyStore {
  return {
    ...keyRecords(sql),

    add: (key, atMost) =>
      sql.atomically(async (own) => {
        await lockOwnerForKeys(own, key.owner_id);
        if (key.agent_id !== null) await refuseArchived(own, key.owner_id, key.agent_id);
        const { key_prefix, key_hash, owner_id, agent_id, permission_mode, label, created_at, ...bounds } = key;
        const terms = [agent_id, permission_mode, label, created_at, bounds.expires_at, bounds.allowed_networks];
        const values = [key_prefix, key_hash, owner_id, ...terms, atMost];
        return (await own.rows(ADD, values)).length > 0;
      }),

    async revoke(owner_id, key_prefix) {
      return affected(await sql.tables.update(API_KEYS, unrevoked(owner_id, key_prefix), { revoked_at: NOW })) > 0;
    },

    revokeAll: async (owner_id) =>
      (await sql.rows<Pick<ApiKey, 'key_prefix'>>(REVOKE_ALL, [owner_id])).map(({ key_prefix }) => key_prefix),
  };
}

/** Nobody archives or removes the agent while its owner is locked. @throws Problem NOT_FOUND, AGENT_ARCHIVED */
async function refuseArchived(sql: Sql, owner_id: string, agent_id: string): Promise<void> {
  usableAgent(await sql.tables.findOneBy(AGENTS, { owner_id, agent_id }), agent_id);
}

/** SQL by hand: a count and an insert in one statement. */
const ADD = `
  insert into app.api_keys (key_prefix, key_hash, owner_id, agent_id, permission_mode, label, created_at, expires_at,
    allowed_networks)
  select $1, $2, $3::uuid, $4, $5, $6, $7::timestamptz, $8::timestamptz, $9::text[]
  where (select count(*) from app.api_keys where owner_id = $3::uuid and revoked_at is null) < $10
  returning key_prefix`;

/** SQL by hand: an update of several rows returns their names. */
const REVOKE_ALL = `
  update app.api_keys set revoked_at = app.now() where owner_id = $1 and revoked_at is null returning key_prefix`;
