import { setTimeout as sleep } from 'node:timers/promises';
import type { RunningService } from './service.ts';

export interface Reply {
  readonly status: number;
  readonly headers: Headers;
  /** The raw body, to be searched for forbidden texts. */
  readonly text: string;
  // biome-ignore lint/suspicious/noExplicitAny: each test knows what it asked for.
  readonly body: any;
}

export interface Call {
  /** Default: POST with a body, GET without. */
  readonly method?: string;
  readonly key?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
}

/** An owner's first agent. */
export interface Caller {
  readonly owner_id: string;
  readonly agent_id: string;
  readonly email: string;
  readonly api_key: string;
  readonly key_prefix: string;
}

type Place = Pick<RunningService, 'url'>;

/** One request; a POST when there is a body. */
export async function call({ url }: Place, path: string, { method, key, headers, body }: Call = {}): Promise<Reply> {
  const response = await fetch(`${url}${path}`, {
    ...(body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) }),
    ...(method === undefined ? {} : { method }),
    headers: { 'content-type': 'application/json', ...(key ? { 'x-api-key': key } : {}), ...headers },
  });
  const text = await response.text();
  return { status: response.status, headers: response.headers, text, body: text === '' ? undefined : JSON.parse(text) };
}

export const PASSWORD = 'seven ducks crossed the icy pond';

export function quickSetup(service: Place, name: string): Promise<Reply> {
  const body = { email: `${name}@example.org`, password: PASSWORD };
  return call(service, '/api/v1/public/auth/quick-setup', { body });
}

export async function newCaller(service: Place, name: string): Promise<Caller> {
  const { status, body, text } = await quickSetup(service, name);
  if (status !== 201) throw new Error(text);
  return body;
}

/** The vector of the evaluation method that crosses a split: MSFT before the open of 2003-02-13, five sessions. */
export const VECTOR = {
  market: 'stock',
  symbol: 'MSFT',
  venue: 'NASDAQ',
  asset_class: 'spot',
  quote_currency: 'USD',
  direction: 'bullish',
  horizon_kind: 'trading_days',
  horizon_value: 5,
  data_cutoff: '2003-02-13T14:00:00Z',
  key_factors: [{ factor: 'Stock split announced', source: { name: 'a wire service' } }],
  price_targets: { targets: [{ price: 49 }], stop_loss: { price: 44, kind: 'hard' } },
} as const;

export function submit(service: Place, key: string, body: unknown, idempotencyKey?: string): Promise<Reply> {
  const headers = idempotencyKey ? { 'idempotency-key': idempotencyKey } : {};
  return call(service, '/api/v1/agent/decisions', { key, headers, body });
}

/** Polls the state of a record until it is closed; the deadline stops the polling of a broken service. */
export async function closed(service: Place, key: string, record_id: string): Promise<Reply> {
  const deadline = Date.now() + 90_000;
  for (;;) {
    const reply = await call(service, `/api/v1/agent/decisions/${record_id}/state`, { key });
    if (reply.body?.state === 'closed') return reply;
    if (reply.status !== 200 || Date.now() > deadline) throw new Error(`${record_id} is not closed: ${reply.text}`);
    await sleep(300);
  }
}
