import request from 'supertest';
import { issueKey } from '../../application/accounts/keys/issue-key.ts';
import type { PermissionMode } from '../../domain/caller.ts';
import { A_SOURCE, anAgentOf, anIdentityOf, anOwner } from '../builders/accounts.ts';
import type { TestService } from './service.ts';

const DECISIONS = '/api/v1/agent/decisions';

/** An agent with its own key, with methods for its requests. */
export interface TestAgent {
  readonly owner_id: string;
  readonly agent_id: string;
  readonly email: string;
  readonly api_key: string;
  readonly key_prefix: string;
  submit(body: unknown, headers?: Readonly<Record<string, string>>): request.Test;
  preview(body: unknown): request.Test;
  get(path: string): request.Test;
  read(record_id: string): request.Test;
  state(record_id: string): request.Test;
  batch(record_ids: unknown): request.Test;
  note(record_id: string, text: unknown): request.Test;
}

export interface KeyWishes {
  /** The agent whose owner gets the key; default: a new owner. */
  readonly mate?: Pick<TestAgent, 'owner_id' | 'email'>;
  readonly permission_mode?: PermissionMode;
  readonly bound?: boolean;
  /** Whether the new owner is of an identity provider. */
  readonly verified?: boolean;
}

const OF_PROVIDER = { email: null, password_hash: null } as const;

export async function anAgentAt({ app, ports }: TestService, wishes: KeyWishes = {}): Promise<TestAgent> {
  const { mate, permission_mode = 'read_write', bound = true, verified = false } = wishes;
  const owner = anOwner(mate ? { owner_id: mate.owner_id, email: mate.email } : verified ? OF_PROVIDER : {});
  if (verified) await ports.identities.addOwner(anIdentityOf(owner), owner);
  else if (!mate) await ports.owners.add(owner);
  const agent = anAgentOf(owner);
  await ports.owners.addAgent(agent, 100);
  const agent_id = bound ? agent.agent_id : null;
  const terms = { agent_id, permission_mode, label: null, created_at: owner.created_at };
  const { api_key, key_prefix } = await issueKey(ports, owner, terms, A_SOURCE);
  const get = (path: string) => request(app).get(path).set('X-API-Key', api_key);
  const post = (path: string, body: unknown) =>
    request(app)
      .post(path)
      .set('X-API-Key', api_key)
      .set('Content-Type', 'application/json')
      .send(typeof body === 'string' ? body : JSON.stringify(body));
  return {
    owner_id: owner.owner_id,
    agent_id: agent.agent_id,
    email: owner.email ?? '',
    api_key,
    key_prefix,
    submit: (body, headers = {}) => post(DECISIONS, body).set(headers),
    preview: (body) => post(`${DECISIONS}?validate_only=true`, body),
    get,
    read: (record_id) => get(`${DECISIONS}/${record_id}`),
    state: (record_id) => get(`${DECISIONS}/${record_id}/state`),
    batch: (record_ids) => post(`${DECISIONS}/batch`, { record_ids }),
    note: (record_id, text) => post(`${DECISIONS}/${record_id}/notes`, { text }),
  };
}

/** A caller without any credential. */
export function strangerAt({ app }: TestService) {
  const path = '/api/v1/public/decisions';
  return {
    get: (url: string) => request(app).get(url),
    read: (record_id: string) => request(app).get(`${path}/${record_id}`),
    state: (record_id: string) => request(app).get(`${path}/${record_id}/state`),
  };
}
