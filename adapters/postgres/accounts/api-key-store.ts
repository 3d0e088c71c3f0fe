import { IsNull } from 'typeorm';
import { usableAgent } from '../../../domain/accounts/keys/agent-store.ts';
import type { ApiKey, ApiKeyStore, KeyInfo, Successor } from '../../../domain/accounts/keys/api-key.ts';
import { API_KEY } from '../../../domain/limits.ts';
import { AGENTS } from '../entities/agents.ts';
import { API_KEYS } from '../entities/api-keys.ts';
import { interval, NOW } from '../kit/expired-rows.ts';
import { affected, type Sql } from '../kit/sql.ts';
import { lockOwner, lockOwnerForKeys } from './provider-stores.ts';

const SHOWN = {
  key_prefix: true,
  label: true,
  agent_id: true,
  permission_mode: true,
  created_at: true,
  expires_at: true,
  allowed_networks: true,
  revoked_at: true,
  last_used_at: true,
  last_used_network: true,
} as const satisfies Record<keyof KeyInfo, true>;

const INFO =
  'k.key_prefix, k.label, k.agent_id, k.permission_mode, k.created_at, k.expires_at, k.allowed_networks, k.revoked_at';

const SET_MODE = changing('permission_mode = $3');

const SET_NETWORKS = changing('allowed_networks = $3::text[]');

/** SQL by hand: one statement decides a race. The second caller waits for the row and then finds it revoked. */
const ROTATE = `
  with old as (
    update app.api_keys set revoked_at = app.now()
    where owner_id = $1 and key_prefix = $2 and revoked_at is null
    returning owner_id, agent_id, permission_mode, label, allowed_networks
  )
  insert into app.api_keys as k (key_prefix, key_hash, owner_id, agent_id, permission_mode, label, created_at, expires_at,
    allowed_networks)
  select $3, $4, owner_id, agent_id, permission_mode, label, $5, $6, allowed_networks from old
  returning ${INFO}, null::timestamptz as last_used_at, null as last_used_network`;

/** SQL by hand: a batch, in one order for all processes, so that two which note the same keys never deadlock. */
const NOTE_USE = `
  insert into app.api_key_uses as u (key_prefix, last_used_at, network)
  select k.key_prefix, clock.at, used.network
  from (select app.now() as at) clock, unnest($1::text[], $2::text[]) as used (key_prefix, network)
    join app.api_keys k on k.key_prefix = used.key_prefix
  order by k.key_prefix
  on conflict (key_prefix) do update set last_used_at = excluded.last_used_at, network = excluded.network
  where u.last_used_at <= excluded.last_used_at - $3::interval
    or (u.network is distinct from excluded.network and u.last_used_at <= excluded.last_used_at)`;

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

/** What owners do with the keys they have; what requests do with theirs is in `api-key-store.ts`. */
function keyRecords(
  sql: Sql,
): Pick<ApiKeyStore, 'list' | 'find' | 'setMode' | 'setNetworks' | 'rotate' | 'isTaken' | 'noteUse'> {
  return {
    list: (owner_id): Promise<KeyInfo[]> =>
      sql.tables.find(API_KEYS, {
        select: SHOWN,
        where: { owner_id, revoked_at: IsNull() },
        order: { created_at: 'asc', key_prefix: 'asc' },
      }),

    find: (owner_id, key_prefix): Promise<KeyInfo | null> =>
      sql.tables.findOne(API_KEYS, { select: SHOWN, where: unrevoked(owner_id, key_prefix) }),

    async setMode(owner_id, key_prefix, mode) {
      return (await sql.rows<KeyInfo>(SET_MODE, [owner_id, key_prefix, mode]))[0] ?? null;
    },

    async setNetworks(owner_id, key_prefix, networks) {
      return (await sql.rows<KeyInfo>(SET_NETWORKS, [owner_id, key_prefix, networks]))[0] ?? null;
    },

    rotate: (owner_id, key_prefix, successor) =>
      sql.atomically(async (own) => {
        // What ends all keys of the owner waits for the successor, or comes before it.
        await lockOwner(own, owner_id);
        const values = [owner_id, key_prefix, ...valuesOf(successor)];
        return (await own.rows<KeyInfo>(ROTATE, values))[0] ?? null;
      }),

    isTaken: (key_prefix) => sql.tables.existsBy(API_KEYS, { key_prefix }),

    async noteUse(uses) {
      const prefixes = uses.map(({ key_prefix }) => key_prefix);
      const networks = uses.map(({ network }) => network);
      await sql.rows(NOTE_USE, [prefixes, networks, interval(API_KEY.noteEvery)], 'note key use');
    },
  };
}

/** The condition that a key is the owner's and can be used. */
function unrevoked(owner_id: string, key_prefix: string) {
  return { owner_id, key_prefix, revoked_at: IsNull() };
}

function valuesOf({ key_prefix, key_hash, created_at, expires_at }: Successor): readonly unknown[] {
  return [key_prefix, key_hash, created_at, expires_at];
}

/** SQL by hand: the update returns columns of another table. */
function changing(change: string): string {
  return `
  update app.api_keys k set ${change}
  where k.owner_id = $1 and k.key_prefix = $2 and k.revoked_at is null
  returning ${INFO}, (select u.last_used_at from app.api_key_uses u where u.key_prefix = k.key_prefix) as last_used_at,
    (select u.network from app.api_key_uses u where u.key_prefix = k.key_prefix) as last_used_network`;
}
