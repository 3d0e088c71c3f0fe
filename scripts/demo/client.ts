import { setTimeout as sleep } from 'node:timers/promises';
import type { Direction } from '../../domain/decisions/call.ts';
import type { Submission } from '../../domain/decisions/submission/submission.ts';
import type { OutcomeFacts, OwnerFacts, ResultBucket, StoredBar } from '../../domain/grading/outcome.ts';

/** A submission that the service has answered with 201. */
export interface Acknowledged {
  readonly record_id: string;
  /** Whether an earlier request with the same Idempotency-Key had been accepted. */
  readonly replayed: boolean;
}

export interface NewAccount {
  readonly email: string;
  readonly owner_id: string;
  readonly agent_id: string;
  readonly api_key: string;
}

export interface RecordState {
  readonly record_id: string;
  readonly state: string;
  readonly window: { readonly anchor_time: string; readonly end_time: string };
  readonly outcome?: { readonly result_bucket: ResultBucket; readonly bars: readonly StoredBar[] } & OutcomeFacts &
    OwnerFacts;
  readonly evaluation: { readonly evaluated_at: string | null; readonly last_error: string | null };
}

/** The public form of a record. */
export interface Grade {
  readonly result_bucket: ResultBucket;
  readonly evaluated_at: string;
}

/** The parts that the demo uses. */
export interface Cohort {
  readonly overview: {
    readonly sample_count: number | null;
    readonly result_distribution: Readonly<Record<ResultBucket, number>> | null;
    readonly had_said: Readonly<Record<Direction, Readonly<Record<ResultBucket, number>>>> | null;
    readonly suppression: { readonly reason: string | null };
  };
  readonly items: readonly { readonly record_id: string }[];
  readonly next_cursor: string | null;
}

type BatchItem =
  | { readonly status: 'found'; readonly record_id: string; readonly decision: Grade }
  | { readonly status: 'not_visible'; readonly record_id: string };

/** The parts that the demo uses. */
export interface OwnWorkflow {
  readonly id: string;
  readonly name: string;
  readonly node_count: number;
  readonly published_hash: string | null;
}

/** The requests of an owner with a session. */
export interface OwnerClient {
  workflows(): Promise<readonly OwnWorkflow[]>;
  importYaml(yaml: string): Promise<OwnWorkflow>;
  /** The hash of the snapshot. */
  publish(workflow_id: string): Promise<string>;
}

export interface Client {
  quickSetup(account: { email: string; password: string; agent_name: string }): Promise<NewAccount>;
  submit(api_key: string, idempotency_key: string, submission: Submission): Promise<Acknowledged>;
  state(api_key: string, record_id: string): Promise<RecordState>;
  /** `query` is the text after the question mark. */
  wisdom(api_key: string, query: string): Promise<Cohort>;
  /** At most 32. */
  batch(api_key: string, record_ids: readonly string[]): Promise<readonly BatchItem[]>;
  /** The proofs of the submission and of the grade, as they are downloaded. */
  receipts(api_key: string, record_id: string): Promise<readonly string[]>;
  /** The key of the evidence log. */
  logPolicy(): Promise<string>;
  logIn(email: string, password: string): Promise<OwnerClient>;
  /** The archive of a public snapshot. */
  skill(hash: string): Promise<Uint8Array>;
}

/** Every request of the demo, over HTTP like any agent. @throws Error with the refusal of the service */
export function clientOf(url: string): Client {
  const send = (path: string, headers: Record<string, string>, body?: unknown) =>
    request(`${url}${path}`, headers, body);
  return {
    quickSetup: async (account) => (await send('/api/v1/public/auth/quick-setup', {}, account)).body as NewAccount,
    async submit(key, idempotencyKey, submission) {
      const headers = { 'x-api-key': key, 'idempotency-key': idempotencyKey };
      const { body, response } = await send('/api/v1/agent/decisions', headers, submission);
      const { record_id } = body as { record_id: string };
      return { record_id, replayed: response.headers.get('idempotency-replayed') === 'true' };
    },
    state: async (key, id) =>
      (await send(`/api/v1/agent/decisions/${id}/state`, { 'x-api-key': key })).body as RecordState,
    wisdom: async (key, query) => (await send(`/api/v1/agent/wisdom?${query}`, { 'x-api-key': key })).body as Cohort,
    async batch(key, record_ids) {
      const { body } = await send('/api/v1/agent/decisions/batch', { 'x-api-key': key }, { record_ids });
      return (body as { items: readonly BatchItem[] }).items;
    },
    receipts(key, id) {
      const path = `/api/v1/agent/decisions/${id}/receipt?opening=full&leaf=`;
      const receipt = async (leaf: string) => textOf((await send(`${path}${leaf}`, { 'x-api-key': key })).body);
      return Promise.all(['decision', 'outcome'].map(receipt));
    },
    logPolicy: async () => textOf((await send('/log/policy', {})).body),
    async logIn(email, password) {
      const { response } = await send('/api/v1/public/auth/login', {}, { email, password });
      const [cookie = ''] = response.headers.getSetCookie().map((set) => set.replace(/;.*/, ''));
      return ownerClient(`${url}/api/v1/owner/workflows`, { cookie, 'sec-fetch-site': 'same-origin' });
    },
    async skill(hash) {
      const { body } = await send(`/api/v1/public/workflows/snapshots/${hash}/export`, {});
      return body as Uint8Array;
    },
  };
}

function ownerClient(url: string, session: Record<string, string>): OwnerClient {
  return {
    workflows: async () => ((await request(url, session)).body as { items: readonly OwnWorkflow[] }).items,
    importYaml: async (yaml) =>
      (await request(`${url}/import`, { ...session, 'content-type': 'application/yaml' }, yaml)).body as OwnWorkflow,
    publish: async (id) => ((await request(`${url}/${id}/snapshots`, session, '')).body as { hash: string }).hash,
  };
}

const TRIES = 5;

/** Sends a request, and again after the wait that the service returns. Text is sent unchanged, everything else as JSON. */
async function request(url: string, headers: Record<string, string>, body?: unknown) {
  for (let tries = 1; ; tries++) {
    const response = await fetch(url, requestOf(headers, body));
    const reply: unknown = await contentOf(response);
    if (response.ok) return { response, body: reply };
    const { error } = reply as { error: { code: string; message: string; retry_after_seconds: number | null } };
    const wait = error.retry_after_seconds;
    if (wait === null || wait > 60 || tries === TRIES)
      throw new Error(`${response.status} ${error.code}: ${error.message}`);
    await sleep(wait * 1_000);
  }
}

function requestOf(headers: Record<string, string>, body: unknown): RequestInit {
  if (body === undefined) return { headers };
  if (typeof body === 'string') return { method: 'POST', headers, body };
  return { method: 'POST', headers: { ...headers, 'content-type': 'application/json' }, body: JSON.stringify(body) };
}

function textOf(content: unknown): string {
  return new TextDecoder().decode(content as Uint8Array);
}

async function contentOf(response: Response): Promise<unknown> {
  const isJson = response.headers.get('content-type')?.startsWith('application/json');
  return isJson ? response.json() : response.bytes();
}
