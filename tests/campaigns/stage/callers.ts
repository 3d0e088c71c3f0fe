import { randomBytes, randomUUID } from 'node:crypto';
import type pg from 'pg';
import { hashOfKey } from '../../../application/accounts/keys/issue-key.ts';
import { hashOfSession } from '../../../application/accounts/sign-in/proof-of-credential.ts';
import { makeApiKey } from '../../../domain/accounts/keys/api-key.ts';

/** A key of an agent of its own; several belong to one owner, whose session can revoke it. */
export interface Caller {
  readonly owner_id: string;
  readonly session: string;
  readonly agent_id: string;
  readonly key: string;
  readonly key_prefix: string;
}

/** Adds keys that are spread over the owners, as if these had signed up and logged in. */
export async function addCallers(client: pg.Client, owners: number, keys: number): Promise<readonly Caller[]> {
  const people = Array.from({ length: owners }, () => {
    return { owner_id: randomUUID(), session: randomBytes(32).toString('base64url') };
  });
  const callers = Array.from({ length: keys }, (_, n) => {
    const owner = people[n % owners] ?? { owner_id: '', session: '' };
    return { ...owner, ...makeApiKey(randomBytes), agent_id: `agt_${randomBytes(6).toString('hex')}` };
  });
  await client.query(OWNERS, [
    JSON.stringify(people.map(({ owner_id, session }) => ({ owner_id, session_hash: hex(hashOfSession(session)) }))),
  ]);
  await client.query(KEYS, [
    JSON.stringify(callers.map(({ key, session, ...rest }) => ({ ...rest, key_hash: hex(hashOfKey(key)) }))),
  ]);
  return callers;
}

function hex(bytes: Uint8Array): string {
  return `\\x${Buffer.from(bytes).toString('hex')}`;
}

const OWNERS = `
  with sent as (select * from jsonb_to_recordset($1::jsonb) x(owner_id uuid, session_hash bytea)),
  owners as (insert into app.owners (owner_id, created_at) select owner_id, app.now() from sent)
  insert into app.sessions (session_hash, owner_id, created_at, last_seen_at, authenticated_at)
    select session_hash, owner_id, app.now(), app.now(), app.now() from sent`;

const KEYS = `
  with sent as (
    select * from jsonb_to_recordset($1::jsonb) x(owner_id uuid, agent_id text, key_prefix text, key_hash bytea)
  ), agents as (
    insert into app.agents (agent_id, owner_id, name, created_at) select agent_id, owner_id, 'campaign', app.now() from sent
  )
  insert into app.api_keys (key_prefix, key_hash, owner_id, agent_id, permission_mode, created_at)
    select key_prefix, key_hash, owner_id, agent_id, 'read_write', app.now() from sent`;
