import { randomBytes, randomUUID } from 'node:crypto';
import type pg from 'pg';
import { hashOfKey } from '../../../../application/accounts/keys/issue-key.ts';
import { hashOfSession } from '../../../../application/accounts/sign-in/proof-of-credential.ts';
import { makeApiKey } from '../../../../domain/accounts/keys/api-key.ts';

/** An owner with one credential of each kind, as if they had signed up and logged in. */
export interface Person {
  readonly owner_id: string;
  readonly agent_id: string;
  readonly keys: Readonly<Record<'read_write' | 'read_only' | 'unbound' | 'revoked', string>>;
  readonly session: string;
  /** Sessions, keys and agents that requests may end. */
  readonly spareSessions: readonly string[];
  readonly spareKeys: readonly string[];
  readonly spareAgents: readonly string[];
}

const SPARE_SESSIONS = 150;
const SPARE_KEYS = 40;
const SPARE_AGENTS = 30;

/** Adds an owner of tier `pro`. */
export async function addPerson(client: pg.Client, role: 'owner' | 'admin'): Promise<Person> {
  const owner_id = randomUUID();
  await client.query(`insert into app.owners (owner_id, role, tier, created_at) values ($1, $2, 'pro', app.now())`, [
    owner_id,
    role,
  ]);
  const agent_id = await addAgent(client, owner_id);
  const spareAgents: string[] = [];
  for (let n = 0; n < SPARE_AGENTS; n += 1) spareAgents.push(await addAgent(client, owner_id));
  const key = (mode: string, agent: string | null = agent_id, revoked = false) =>
    addKey(client, owner_id, agent, mode, revoked);
  const keys = {
    read_write: (await key('read_write')).key,
    read_only: (await key('read_only')).key,
    unbound: (await key('read_write', null)).key,
    revoked: (await key('read_write', agent_id, true)).key,
  };
  const spareKeys: string[] = [];
  for (let n = 0; n < SPARE_KEYS; n += 1) {
    spareKeys.push((await key('read_write', n % 5 === 0 ? null : agent_id)).key_prefix);
  }
  const spareSessions: string[] = [];
  for (let n = 0; n < SPARE_SESSIONS; n += 1) spareSessions.push(await addSession(client, owner_id));
  const spares = { spareSessions, spareKeys, spareAgents };
  return { owner_id, agent_id, keys, session: await addSession(client, owner_id), ...spares };
}

async function addAgent(client: pg.Client, owner_id: string): Promise<string> {
  const agent_id = `agt_${randomBytes(6).toString('hex')}`;
  await client.query(
    `insert into app.agents (agent_id, owner_id, name, created_at) values ($1, $2, 'Fuzz', app.now())`,
    [agent_id, owner_id],
  );
  return agent_id;
}

async function addSession(client: pg.Client, owner_id: string): Promise<string> {
  const session = randomBytes(32).toString('base64url');
  await client.query(
    `insert into app.sessions (session_hash, owner_id, created_at, last_seen_at, authenticated_at)
      values ($1, $2, app.now(), app.now(), app.now())`,
    [hashOfSession(session), owner_id],
  );
  return session;
}

async function addKey(client: pg.Client, owner_id: string, agent_id: string | null, mode: string, revoked: boolean) {
  const { key, key_prefix } = makeApiKey(randomBytes);
  await client.query(
    `insert into app.api_keys (key_prefix, key_hash, owner_id, agent_id, permission_mode, created_at, revoked_at)
      values ($1, $2, $3, $4, $5, app.now(), case when $6 then app.now() end)`,
    [key_prefix, hashOfKey(key), owner_id, agent_id, mode, revoked],
  );
  return { key, key_prefix };
}
