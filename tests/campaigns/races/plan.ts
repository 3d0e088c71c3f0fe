import { DIRECTIONS } from '../../../domain/decisions/call.ts';
import type { Pool } from '../../../domain/quotas/pools.ts';
import { type Random, randomFrom } from '../../../scripts/random.ts';
import type { Caller } from '../stage/callers.ts';
import { submissionOf } from '../stage/submission.ts';
import type { SentSubmission } from './history.ts';

/** A request that is going to be sent. */
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

/** A record that can be read, and whose it is. */
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

/** Requests of all kinds, mixed by chance; the same seed mixes them in the same way. */
export function planner({ callers, records, at }: Scene, seed: string): () => Planned {
  const random = randomFrom(seed);
  const byOwner = Map.groupBy(records, ({ owner_id }) => owner_id);
  return () => {
    const caller = callers[random.below(callers.length)];
    if (!caller) throw new Error('There are no callers.');
    const own = byOwner.get(caller.owner_id) ?? [];
    const record_id = own[random.below(own.length)]?.record_id ?? NONE;
    return request(random, caller, record_id, at);
  };
}

function request(random: Random, caller: Caller, record_id: string, at: Date): Planned {
  const dice = random.below(100);
  const asked = base(random, caller);
  if (dice < 22) return { ...asked, path: `${AGENT}/decisions/${record_id}`, pool: 'read' };
  if (dice < 30) return { ...asked, path: `${AGENT}/decisions/${NONE}`, pool: 'read' };
  if (dice < 34) return { ...asked, path: `${AGENT}/decisions/nonsense`, pool: 'read' };
  if (dice < 44)
    return { ...asked, ...post(asked, `${AGENT}/decisions/batch`, { record_ids: [record_id, NONE] }), pool: 'read' };
  if (dice < 48) return { ...asked, ...post(asked, `${AGENT}/decisions/batch`, { record_ids: [] }), pool: 'read' };
  if (dice < 62) return { ...asked, path: `${AGENT}/decisions/${record_id}/state`, pool: 'check', record_id };
  if (dice < 76) return { ...asked, path: `${AGENT}/wisdom?market=crypto`, pool: 'query' };
  if (dice < 90) return submit(random, asked, at);
  if (dice < 95) return { ...asked, path: '/api/v1/public/auth/status?include=quota' };
  return stranger(random);
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

/** Few instruments for many requests, so that equal calls meet; every other one with a key, of which there are as few. */
function submit(random: Random, asked: Planned, at: Date): Planned {
  const symbol = `B${String(random.below(SYMBOLS)).padStart(6, '0')}`;
  const direction = random.pick(DIRECTIONS);
  const key = random.below(2) === 0 ? `${symbol}-${direction}` : null;
  const sent = post(asked, `${AGENT}/decisions`, submissionOf({ symbol, direction }, at));
  const headers = { ...sent.headers, ...(key === null ? {} : { 'idempotency-key': key }) };
  return { ...asked, ...sent, headers, submission: { symbol, direction, idempotency_key: key } };
}

/** Somebody without a credential, on a path that there is or not. */
function stranger(random: Random): Planned {
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
  const asked = { ...base(randomFrom(caller.key_prefix), caller), submission: null };
  const submission: SentSubmission = { symbol, direction: 'bullish', idempotency_key: null };
  return { ...asked, ...post(asked, `${AGENT}/decisions`, submissionOf(submission, at)), submission };
}

/** What any key may ask. */
export function ownPaths(caller: Caller): Planned[] {
  const asked = base(randomFrom(caller.key_prefix), caller);
  return ['/api/v1/public/auth/status', `${AGENT}/decisions`].map((path) => ({ ...asked, path }));
}

/** By a page of the service that the owner is logged in to. */
export function revocationOf({ key_prefix, session }: Caller): Planned {
  const path = `/api/v1/owner/auth/api-keys/${key_prefix}`;
  const headers = { cookie: `sid=${session}`, 'sec-fetch-site': 'same-origin', 'x-forwarded-for': '203.0.113.1' };
  const rest = { body: '', caller: null, pool: null, record_id: null, submission: null } as const;
  return { method: 'DELETE', path, headers, address: '203.0.113.1', ...rest };
}
