import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parse } from 'yaml';
import { SECOND } from '../../../domain/time.ts';

/** An agent and its records. The n-th has the Idempotency-Key `call-n`. */
export interface DrilledAgent {
  readonly email: string;
  readonly api_key: string;
  readonly cookie: string;
  readonly records: readonly string[];
}

export interface Population {
  readonly agents: readonly DrilledAgent[];
  /** Hashes of published workflows. */
  readonly hashes: readonly string[];
}

export const PASSWORD = 'seven ducks crossed the icy pond';
/** Cohorts are public from five producers on. */
const AGENTS = 5;

interface Reply {
  readonly status: number;
  readonly text: string;
  // biome-ignore lint/suspicious/noExplicitAny: each caller knows the shape of its reply.
  readonly body: any;
  readonly headers: Headers;
}

/** Sends one request: a POST when there is a body. */
export async function request(
  url: string,
  path: string,
  { body, headers = {} }: { readonly body?: string; readonly headers?: Readonly<Record<string, string>> } = {},
): Promise<Reply> {
  const sent = { 'content-type': 'application/json', ...headers };
  const reply = await fetch(`${url}${path}`, {
    headers: sent,
    ...(body === undefined ? {} : { method: 'POST', body }),
  });
  const text = await reply.text();
  const isJson = reply.headers.get('content-type')?.startsWith('application/json');
  return { status: reply.status, text, body: isJson ? JSON.parse(text) : undefined, headers: reply.headers };
}

/** Makes agents of one owner each, their graded decisions on real price history, and a published workflow that some follow. */
export async function populate(url: string, name: string, records: number): Promise<Population> {
  const accounts = await Promise.all(Array.from({ length: AGENTS }, (_, n) => signUp(url, `${name}-${n}`)));
  const hash = await publish(url, accounts[0]?.cookie ?? '');
  const agents = await Promise.all(
    accounts.map(async (account) => {
      const made: string[] = [];
      for (let n = 0; n < records; n += 1) made.push(await submit(url, account.api_key, n, hash));
      return { ...account, records: made };
    }),
  );
  await graded(url, agents);
  return { agents, hashes: [hash] };
}

export async function signUp(url: string, name: string, agent_name?: string): Promise<Omit<DrilledAgent, 'records'>> {
  const email = `${name}@example.org`;
  const body = JSON.stringify({ email, password: PASSWORD, agent_name });
  const { api_key } = (await expected(201, request(url, '/api/v1/public/auth/quick-setup', { body }))).body;
  return { email, api_key, cookie: await logIn(url, email) };
}

/** Returns the cookie of a new session. */
export async function logIn(url: string, email: string): Promise<string> {
  const body = JSON.stringify({ email, password: PASSWORD });
  const { headers } = await expected(200, request(url, '/api/v1/public/auth/login', { body }));
  return headers.getSetCookie().join(';').split(';')[0] ?? '';
}

const YAML = join(import.meta.dirname, '../../../docs/examples/momentum-plan.yaml');

/** Returns the hash of a new workflow. */
export async function publish(url: string, cookie: string, changes: object = {}): Promise<string> {
  const headers = { cookie, 'sec-fetch-site': 'same-origin' };
  const { schema_version: _, kind: __, ...draft } = parse(readFileSync(YAML, 'utf8'));
  const { body } = await expected(
    201,
    request(url, '/api/v1/owner/workflows', { headers, body: JSON.stringify({ ...draft, ...changes }) }),
  );
  const published = request(url, `/api/v1/owner/workflows/${body.id}/snapshots`, { headers, body: '' });
  return (await expected(200, published)).body.hash;
}

const DIRECTIONS = ['bullish', 'bearish', 'neutral'];

export function callNumber(n: number, hash: string): string {
  const day = new Date(Date.UTC(2003, 1, 13 + Math.floor(n / DIRECTIONS.length), 14));
  return JSON.stringify({
    ...{ market: 'stock', symbol: 'MSFT', venue: 'NASDAQ', asset_class: 'spot', quote_currency: 'USD' },
    ...{ direction: DIRECTIONS[n % DIRECTIONS.length], horizon_kind: 'trading_days', horizon_value: 5 },
    data_cutoff: day.toISOString(),
    key_factors: [`A thing that was seen, ${n}: \u20ac, \u{1f4c8}, "quoted", \\ and \ttabs`],
    summary: 'For the owner alone.',
    ...(n % 2 === 0 ? { workflow_ref: `wf:${hash}` } : {}),
  });
}

/** Submits the n-th decision of an agent, again if it was before. Returns the record's id. */
export async function submit(url: string, api_key: string, n: number, hash: string): Promise<string> {
  const headers = { 'x-api-key': api_key, 'idempotency-key': `call-${n}` };
  const send = () => request(url, '/api/v1/agent/decisions', { headers, body: callNumber(n, hash) });
  return (await expected(201, afterCooldown(send))).body.record_id;
}

/** Sends a submission again for as long as its agent has to wait. */
export async function afterCooldown(send: () => Promise<Reply>): Promise<Reply> {
  for (let reply = await send(); ; reply = await send()) {
    if (reply.status !== 429) return reply;
    await sleep(reply.body.error.retry_after_seconds * SECOND);
  }
}

async function graded(url: string, agents: readonly DrilledAgent[]): Promise<void> {
  for (const { api_key, records } of agents) {
    for (const record_id of records) await closed(url, api_key, record_id);
  }
}

async function closed(url: string, api_key: string, record_id: string): Promise<void> {
  for (const end = Date.now() + 120_000; Date.now() < end; await sleep(200)) {
    const headers = { 'x-api-key': api_key };
    const { body } = await request(url, `/api/v1/agent/decisions/${record_id}/state`, { headers });
    if (body?.state === 'closed') return;
  }
  throw new Error(`${record_id} was not graded within two minutes.`);
}

export async function expected(status: number, reply: Promise<Reply>): Promise<Reply> {
  const { status: sent, text, ...rest } = await reply;
  if (sent !== status) throw new Error(`Answered ${sent} instead of ${status}: ${text}`);
  return { status: sent, text, ...rest };
}
