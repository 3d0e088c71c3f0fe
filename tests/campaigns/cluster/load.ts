import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Entry, emptyJournal, type Journal } from './journal.ts';

export interface Load {
  readonly journal: Journal;
  /** Stops after each open submission is acknowledged. */
  stop(): Promise<void>;
}

/** Milliseconds that a sender waits for a reply. */
const TIMEOUT = 10_000;
const PAUSE = 200;

/** Starts senders that submit and read their records, each at one node after the other. */
export function startLoad(urls: readonly string[], keys: readonly string[], senders: number): Load {
  const journal = emptyJournal();
  const graded: Entry[] = [];
  let open = true;
  const loops = Array.from({ length: senders }, async (_, n) => {
    const key = keys[n % keys.length] ?? '';
    for (let turn = n; open; turn += 1) {
      const entry: Entry = { key: randomUUID() };
      journal.entries.push(entry);
      const send = sender(urls, key, journal, turn);
      const past = turn % 10 === 0;
      if (!(await submitted(send, entry, journal, past))) continue;
      await readBack(send, entry, journal);
      if (past) graded.push(entry);
      await readPublic(send, graded[Math.floor(Math.random() * graded.length)], journal);
    }
  });
  return {
    journal,
    async stop() {
      open = false;
      await Promise.all(loops);
    },
  };
}

type Send = (path: string, body?: unknown, key?: string) => Promise<Answer>;
interface Answer {
  readonly status: number;
  readonly body: {
    readonly record_id?: string;
    readonly error?: { readonly code: string; readonly retry_after_seconds: number | null };
  };
}

/** Sends until the reply is no 503, at the next node after each attempt. Every 503 must have a retry time. */
function sender(urls: readonly string[], apiKey: string, journal: Journal, turn: number): Send {
  return async (path, body, key) => {
    for (let attempt = turn; ; attempt += 1) {
      const url = `${urls[attempt % urls.length]}${path}`;
      const answer = await once(url, apiKey, body, key);
      if (answer && answer.status !== 503) return answer;
      if (answer) {
        journal.refused += 1;
        if (!answer.body.error?.retry_after_seconds) journal.oddities.push('a 503 without a retry time');
      } else journal.unanswered += 1;
      await sleep(PAUSE);
    }
  };
}

async function once(url: string, apiKey: string, body: unknown, key: string | undefined): Promise<Answer | null> {
  const headers = {
    'x-api-key': apiKey,
    'content-type': 'application/json',
    ...(key ? { 'idempotency-key': key } : {}),
  };
  try {
    const sent = body === undefined ? {} : { method: 'POST', body: JSON.stringify(body) };
    const reply = await fetch(url, { ...sent, headers, signal: AbortSignal.timeout(TIMEOUT) });
    return { status: reply.status, body: (await reply.json()) as Answer['body'] };
  } catch {
    return null;
  }
}

async function submitted(send: Send, entry: Entry, journal: Journal, past: boolean): Promise<boolean> {
  const { key } = entry;
  const { status, body } = await send('/api/v1/agent/decisions', { ...(past ? PAST : present()), meta: { key } }, key);
  if (status !== 201 || body.record_id === undefined) {
    journal.oddities.push(`a submission was answered ${status} ${body.error?.code}`);
    return false;
  }
  entry.record_id = body.record_id;
  journal.acknowledged.push(performance.now());
  return true;
}

async function readBack(send: Send, { record_id }: Entry, { oddities }: Journal): Promise<void> {
  const { status } = await send(`/api/v1/agent/decisions/${record_id}`);
  if (status !== 200) oddities.push(`a read of an acknowledged record was answered ${status}`);
}

/** Public reads come from any standby. No standby may miss a record that another has returned. */
async function readPublic(send: Send, entry: Entry | undefined, { oddities }: Journal): Promise<void> {
  if (entry === undefined) return;
  const wasPublic = entry.public;
  const { status } = await send(`/api/v1/public/decisions/${entry.record_id}`);
  if (status === 200) entry.public = true;
  else if (status !== 404 || wasPublic) oddities.push(`a read of a public record was answered ${status}`);
}

const COMMON = { asset_class: 'spot', direction: 'bullish', key_factors: [] } as const;

/** A decision that stays open: there are no prices of today. */
function present() {
  const pair = { market: 'crypto', symbol: 'BTC', venue: 'KRAKEN', quote_currency: 'USD' } as const;
  const horizon = { horizon_kind: 'holding_seconds', horizon_value: 86_400 } as const;
  return { ...COMMON, ...pair, ...horizon, data_cutoff: new Date(Date.now() - 1_000).toISOString() };
}

/** A decision that is graded at once from the packaged prices, and then public. */
const PAST = {
  ...COMMON,
  market: 'stock',
  symbol: 'MSFT',
  venue: 'NASDAQ',
  quote_currency: 'USD',
  horizon_kind: 'trading_days',
  horizon_value: 5,
  data_cutoff: '2003-02-13T14:00:00Z',
} as const;
