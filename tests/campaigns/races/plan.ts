import { DIRECTIONS } from '../../../domain/decisions/call.ts';
import type { Pool } from '../../../domain/quotas/pools.ts';
import { type Random, randomFrom } from '../../../scripts/random.ts';
import type { Caller } from '../stage/callers.ts';
import { submissionOf } from '../stage/submission.ts';
import type { SentSubmission } from './history.ts';

/** A request before it is sent. */
export interface Planned {
  readonly method: 'GET' | 'POST' | 'DELETE';
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  readonly caller: Caller | null;
  readonly address: string;
  readonly pool: Pool | null;
  readonly record_id: string | null;
  readonly submission: SentSubmission | null;
}

/** A readable record with its owner. */
export interface OwnRecord {
  readonly record_id: string;
  readonly owner_id: string;
}

export interface Scene {
  readonly callers: readonly Caller[];
  readonly records: readonly OwnRecord[];
  /** The `data_cutoff` of every submission. */
  readonly at: Date;
}

const AGENT = '/api/v1/agent';
const NONE = 'dec_20260101_00000000';
const ADDRESSES = 8;
const SYMBOLS = 2;

/** Returns a function that makes random requests of all kinds: the same ones for the same seed. */
export function planner({ callers, records, at }: Scene, seed: string): () => Planned {
  const random = randomFrom(seed);
  const byOwner = Map.groupBy(records, ({ owner_id }) => owner_id);
  return () => {
    const caller = callers[random.below(callers.length)];
    if (!caller) throw new Error('There must be at least one caller.');
    const own = byOwner.get(caller.owner_id) ?? [];
    const record_id = own[random.below(own.length)]?.record_id ?? NONE;
    return anyRequest(random, caller, record_id, at);
  };
}

function anyRequest(random: Random, caller: Caller, record_id: string, at: Date): Planned {
  const dice = random.below(100);
  const request = base(random, caller);
  if (dice < 22) return { ...request, path: `${AGENT}/decisions/${record_id}`, pool: 'read' };
  if (dice < 30) return { ...request, path: `${AGENT}/decisions/${NONE}`, pool: 'read' };
  if (dice < 34) return { ...request, path: `${AGENT}/decisions/nonsense`, pool: 'read' };
  if (dice < 44)
    return {
      ...request,
      ...post(request, `${AGENT}/decisions/batch`, { record_ids: [record_id, NONE] }),
      pool: 'read',
    };
  if (dice < 48) return { ...request, ...post(request, `${AGENT}/decisions/batch`, { record_ids: [] }), pool: 'read' };
  if (dice < 62) return { ...request, path: `${AGENT}/decisions/${record_id}/state`, pool: 'check', record_id };
  if (dice < 76) return { ...request, path: `${AGENT}/wisdom?market=crypto`, pool: 'query' };
  if (dice < 90) return submit(random, request, at);
  if (dice < 95) return { ...request, path: '/api/v1/public/auth/status?include=quota' };
  return anonymous(random);
}

function base(random: Random, caller: Caller): Planned {
  const headers = { 'x-api-key': caller.key };
  const rest = { path: '', body: '', pool: null, record_id: null, submission: null } as const;
  const address = addressOf(random);
  return { method: 'GET', headers: { ...headers, 'x-forwarded-for': address }, caller, address, ...rest };
}

function post({ headers }: Planned, path: string, body: unknown) {
  const text = JSON.stringify(body);
  return {
    method: 'POST',
    path,
    body: text,
    headers: { ...headers, 'content-type': 'application/json', 'content-length': String(Buffer.byteLength(text)) },
  } as const;
}

/** Few symbols and keys for many requests, so that equal calls meet. Every other request has an idempotency key. */
function submit(random: Random, request: Planned, at: Date): Planned {
  const symbol = `B${String(random.below(SYMBOLS)).padStart(6, '0')}`;
  const direction = random.pick(DIRECTIONS);
  const key = random.below(2) === 0 ? `${symbol}-${direction}` : null;
  const sent = post(request, `${AGENT}/decisions`, submissionOf({ symbol, direction }, at));
  const headers = { ...sent.headers, ...(key === null ? {} : { 'idempotency-key': key }) };
  return { ...request, ...sent, headers, submission: { symbol, direction, idempotency_key: key } };
}

/** A request without a credential, to a path that exists or not. */
function anonymous(random: Random): Planned {
  const address = addressOf(random);
  const path = random.pick([`/api/v1/public/decisions/${NONE}`, '/api/v1/nowhere', `${AGENT}/wisdom?market=crypto`]);
  const rest = { body: '', caller: null, pool: null, record_id: null, submission: null } as const;
  return { method: 'GET', path, headers: { 'x-forwarded-for': address }, address, ...rest };
}

function addressOf(random: Random): string {
  return `198.51.100.${random.below(ADDRESSES)}`;
}

/** One submission of a caller. */
export function submissionTo(caller: Caller, symbol: string, at: Date): Planned {
  const request = { ...base(randomFrom(caller.key_prefix), caller), submission: null };
  const submission: SentSubmission = { symbol, direction: 'bullish', idempotency_key: null };
  return { ...request, ...post(request, `${AGENT}/decisions`, submissionOf(submission, at)), submission };
}

/** Requests that every key may make. */
export function ownPaths(caller: Caller): Planned[] {
  const request = base(randomFrom(caller.key_prefix), caller);
  return ['/api/v1/public/auth/status', `${AGENT}/decisions`].map((path) => ({ ...request, path }));
}

/** A request from a page of the service to which the owner is logged in. */
export function revocationOf({ key_prefix, session }: Caller): Planned {
  const path = `/api/v1/owner/auth/api-keys/${key_prefix}`;
  const headers = { cookie: `sid=${session}`, 'sec-fetch-site': 'same-origin', 'x-forwarded-for': '203.0.113.1' };
  const rest = { body: '', caller: null, pool: null, record_id: null, submission: null } as const;
  return { method: 'DELETE', path, headers, address: '203.0.113.1', ...rest };
}
