import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Entry, emptyJournal, type Journal } from './journal.ts';

export interface Load {
  readonly journal: Journal;
  /** Lets each submission be acknowledged first. */
  stop(): Promise<void>;
}

/** Milliseconds that a sender waits for an answer. */
const PATIENCE = 10_000;
const PAUSE = 200;

/** Senders that submit and read what they were acknowledged, each at one node after the other. */
export function startLoad(urls: readonly string[], keys: readonly string[], senders: number): Load {
  const journal = emptyJournal();
  const graded: Entry[] = [];
  let open = true;
  const loops = Array.from({ length: senders }, async (_, n) => {
    const key = keys[n % keys.length] ?? '';
    for (let turn = n; open; turn += 1) {
      const entry: Entry = { key: randomUUID() };
      journal.entries.push(entry);
      const ask = asker(urls, key, journal, turn);
      const past = turn % 10 === 0;
      if (!(await submitted(ask, entry, journal, past))) continue;
      await readBack(ask, entry, journal);
      if (past) graded.push(entry);
      await readPublic(ask, graded[Math.floor(Math.random() * graded.length)], journal);
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

type Ask = (path: string, body?: unknown, key?: string) => Promise<Answer>;
interface Answer {
  readonly status: number;
  readonly body: {
    readonly record_id?: string;
    readonly error?: { readonly code: string; readonly retry_after_seconds: number | null };
  };
}

/** Asks until there is an answer that is no 503; the next node after each try. A refusal must say when to come back. */
function asker(urls: readonly string[], apiKey: string, journal: Journal, turn: number): Ask {
  return async (path, body, key) => {
    for (let attempt = turn; ; attempt += 1) {
      const url = `${urls[attempt % urls.length]}${path}`;
      const answer = await once(url, apiKey, body, key);
      if (answer && answer.status !== 503) return answer;
      if (answer) {
        journal.refused += 1;
        if (!answer.body.error?.retry_after_seconds) journal.oddities.push({ what: 'a 503 without a wait' });
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
    const reply = await fetch(url, { ...sent, headers, signal: AbortSignal.timeout(PATIENCE) });
    return { status: reply.status, body: (await reply.json()) as Answer['body'] };
  } catch {
    return null;
  }
}

async function submitted(ask: Ask, entry: Entry, journal: Journal, past: boolean): Promise<boolean> {
  const { key } = entry;
  const { status, body } = await ask('/api/v1/agent/decisions', { ...(past ? PAST : present()), meta: { key } }, key);
  if (status !== 201 || body.record_id === undefined) {
    journal.oddities.push({ what: `a submission was answered ${status} ${body.error?.code}` });
    return false;
  }
  entry.record_id = body.record_id;
  journal.acknowledged.push(performance.now());
  return true;
}

async function readBack(ask: Ask, { record_id }: Entry, { oddities }: Journal): Promise<void> {
  const { status } = await ask(`/api/v1/agent/decisions/${record_id}`);
  if (status !== 200) oddities.push({ what: `reading what had just been acknowledged was answered ${status}` });
}

/** What everybody can read comes from a standby, whichever is asked: none may know less than another one has told. */
async function readPublic(ask: Ask, entry: Entry | undefined, { oddities }: Journal): Promise<void> {
  if (entry === undefined) return;
  const wasPublic = entry.public;
  const { status } = await ask(`/api/v1/public/decisions/${entry.record_id}`);
  if (status === 200) entry.public = true;
  else if (status !== 404 || wasPublic)
    oddities.push({ what: `reading what everybody could read was answered ${status}` });
}

const COMMON = { asset_class: 'spot', direction: 'bullish', key_factors: [] } as const;

/** Stays open: nobody here knows prices of today. */
function present() {
  const pair = { market: 'crypto', symbol: 'BTC', venue: 'KRAKEN', quote_currency: 'USD' } as const;
  const horizon = { horizon_kind: 'holding_seconds', horizon_value: 86_400 } as const;
  return { ...COMMON, ...pair, ...horizon, data_cutoff: new Date(Date.now() - 1_000).toISOString() };
}

/** Is graded at once from the packaged prices, and public then. */
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
