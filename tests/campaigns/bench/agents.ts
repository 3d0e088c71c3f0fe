import { randomBytes, randomUUID } from 'node:crypto';
import type pg from 'pg';
import { hashOfKey } from '../../../application/accounts/keys/issue-key.ts';
import { makeApiKey } from '../../../domain/accounts/api-key.ts';
import { AGENTS } from './calls.ts';

/** One agent of one owner, with its API key. */
export interface Agent {
  readonly owner_id: string;
  readonly agent_id: string;
  readonly key: string;
  readonly key_prefix: string;
}

export async function addAgents(client: pg.Client): Promise<readonly Agent[]> {
  const agents = Array.from({ length: AGENTS }, anAgent);
  const rows = agents.map(({ key, ...agent }) => ({ ...agent, key_hash: Buffer.from(hashOfKey(key)).toString('hex') }));
  await client.query(ADD, [JSON.stringify(rows)]);
  return agents;
}

function anAgent(): Agent {
  const { key, key_prefix } = makeApiKey(randomBytes);
  return { owner_id: randomUUID(), agent_id: `agt_${randomBytes(6).toString('hex')}`, key, key_prefix };
}

const ADD = `
  with sent as (
    select * from jsonb_to_recordset($1::jsonb) x(owner_id uuid, agent_id text, key_prefix text, key_hash text)
  ), owners as (
    insert into app.owners (owner_id, created_at) select owner_id, app.now() from sent returning owner_id
  ), agents as (
    insert into app.agents (agent_id, owner_id, name, created_at)
      select agent_id, owner_id, 'bench', app.now() from sent join owners using (owner_id) returning agent_id
  )
  insert into app.api_keys (key_prefix, key_hash, owner_id, agent_id, permission_mode, created_at)
    select key_prefix, decode(key_hash, 'hex'), owner_id, agent_id, 'read_write', app.now()
    from sent join agents using (agent_id)`;
