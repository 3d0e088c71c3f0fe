import { IsNull } from 'typeorm';
import { usableAgent } from '../../../domain/accounts/keys/agent-store.ts';
import type { ApiKey, ApiKeyStore, KeyInfo, Successor } from '../../../domain/accounts/keys/api-key.ts';
import { API_KEY } from '../../../domain/limits.ts';
import { assignment, insertion, selection } from '../entities/columns.ts';
import { AGENTS, API_KEYS, type ApiKeyRow } from '../entities/owners.ts';
import { interval, NOW } from '../kit/expired-rows.ts';
import { affected, type Sql } from '../kit/sql.ts';
import { lockOwner, lockOwnerForKeys } from './provider-stores.ts';

/** What is shown of a key `k`. */
const INFO = selection(API_KEYS, 'k');

/** Of a new key: $1 is how many its owner may have. */
const NEW_KEY = insertion(API_KEYS, 2);

/** What is new in the successor of a rotated key, as the parameters from $3 on. */
const OF_SUCCESSOR: readonly (keyof Successor)[] = ['key_prefix', 'key_hash', 'created_at', 'expires_at'];

/** SQL by hand: one statement decides a race. The second caller waits for the row and then finds it revoked. */
const ROTATE = `
  with old as (
    update app.api_keys set revoked_at = app.now()
    where owner_id = $1 and key_prefix = $2 and revoked_at is null
    returning ${NEW_KEY.names.join(', ')}
  )
  insert into app.api_keys as k (${NEW_KEY.names.join(', ')})
  select ${NEW_KEY.names.map(inSuccessor).join(', ')} from old
  returning ${INFO}`;

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
        return (await own.rows(ADD, [atMost, ...NEW_KEY.values(key)])).length > 0;
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
  insert into app.api_keys (${NEW_KEY.names.join(', ')})
  select ${NEW_KEY.params}
  where (select count(*) from app.api_keys where owner_id = ${NEW_KEY.param('owner_id')} and revoked_at is null) < $1
  returning key_prefix`;

/** SQL by hand: an update of several rows returns their names. */
const REVOKE_ALL = `
  update app.api_keys set revoked_at = app.now() where owner_id = $1 and revoked_at is null returning key_prefix`;

/** What owners do with the keys they have; what requests do with theirs is in `api-key-store.ts`. */
function keyRecords(sql: Sql): Pick<ApiKeyStore, 'list' | 'find' | 'change' | 'rotate' | 'isTaken' | 'noteUse'> {
  const find = (owner_id: string, key_prefix: string): Promise<KeyInfo | null> =>
    sql.tables.findOneBy(API_KEYS, unrevoked(owner_id, key_prefix));
  return {
    list: (owner_id): Promise<KeyInfo[]> =>
      sql.tables.find(API_KEYS, {
        where: { owner_id, revoked_at: IsNull() },
        order: { created_at: 'asc', key_prefix: 'asc' },
      }),

    find,

    async change(owner_id, key_prefix, changes) {
      const { set, values } = assignment(API_KEYS, changes, 3);
      if (set === '') return find(owner_id, key_prefix);
      return (await sql.rows<KeyInfo>(changing(set), [owner_id, key_prefix, ...values]))[0] ?? null;
    },

    rotate: (owner_id, key_prefix, successor) =>
      sql.atomically(async (own) => {
        // What ends all keys of the owner waits for the successor, or comes before it.
        await lockOwner(own, owner_id);
        const values = [owner_id, key_prefix, ...OF_SUCCESSOR.map((name) => successor[name])];
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

function inSuccessor(name: keyof ApiKeyRow): string {
  const renewed: readonly string[] = OF_SUCCESSOR;
  const place = renewed.indexOf(name);
  return place < 0 ? `old.${name}` : `$${place + 3}`;
}

/** SQL by hand: the update returns columns of another table. */
function changing(set: string): string {
  return `
  update app.api_keys k set ${set}
  where k.owner_id = $1 and k.key_prefix = $2 and k.revoked_at is null
  returning ${INFO}`;
}
