import { setTimeout as sleep } from 'node:timers/promises';
import { type DrilledAgent, expected, logIn, publish, request, signUp } from './population.ts';

/** What the owner who leaves wrote contains it, wherever only that owner reads it; no text of the project does. */
export const CANARY = 'kingfisher-41c7e0d9';

/** How many submissions are sent at once. */
const AT_ONCE = 8;
/** Milliseconds between the submissions of an owner who stays. */
const PACE = 200;
/** Of the records, how many are of now, and so are not graded. */
const OPEN = 10;

/** Makes an owner with records, private text in each, and a workflow that is published privately. */
export async function ownerToErase(url: string, records: number): Promise<DrilledAgent> {
  const account = await signUp(url, CANARY, `${CANARY} agent`);
  await publish(url, account.cookie, {
    name: `${CANARY} plan`,
    description: `${CANARY} thesis`,
    visibility: 'private',
  });
  const made: string[] = [];
  let next = 0;
  const send = async () => {
    while (next < records) {
      const n = next++;
      made[n] = await submitBody(url, account.api_key, bodyOf(n, n < OPEN ? new Date() : null, CANARY));
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, send));
  return { ...account, records: made };
}

/** Owners who submit one decision after the other until they are stopped. */
export interface Load {
  /** Returns what was accepted. @throws what ended the load of an owner before */
  stop(): Promise<readonly string[]>;
}

/** @param owners their number */
export async function startLoad(url: string, owners: number): Promise<Load> {
  const accounts = await Promise.all(Array.from({ length: owners }, (_, n) => signUp(url, `stays-${n}`)));
  const accepted: string[] = [];
  const faults: unknown[] = [];
  let open = true;
  const send = async (api_key: string, owner: number) => {
    for (let n = 0; open; n += 1) {
      accepted.push(await submitBody(url, api_key, bodyOf(n % 1_000, null, `stays-${owner}`)));
      await sleep(PACE);
    }
  };
  const sending = accounts.map(({ api_key }, n) => send(api_key, n).catch((fault: unknown) => faults.push(fault)));
  return {
    async stop() {
      open = false;
      await Promise.all(sending);
      if (faults.length > 0) throw faults[0];
      return accepted;
    },
  };
}

/** Logs in as an owner does, and asks for the erasure. */
export async function askForErasure(url: string, { email }: DrilledAgent): Promise<void> {
  const headers = { cookie: await logIn(url, email), 'sec-fetch-site': 'same-origin' };
  await expected(202, request(url, '/api/v1/owner/erasure', { headers, body: '' }));
}

const DIRECTIONS = ['bullish', 'bearish', 'neutral'];

async function submitBody(url: string, api_key: string, body: object): Promise<string> {
  const headers = { 'x-api-key': api_key };
  const reply = request(url, '/api/v1/agent/decisions', { headers, body: JSON.stringify(body) });
  return (await expected(201, reply)).body.record_id;
}

/** The n-th decision, on price history unless it is of `now`. What only its owner reads has the word in it. */
function bodyOf(n: number, now: Date | null, word: string): object {
  const day = now ?? new Date(Date.UTC(2003, 1, 13 + Math.floor(n / 15), 14));
  return {
    ...{ market: 'stock', symbol: 'MSFT', venue: 'NASDAQ', asset_class: 'spot', quote_currency: 'USD' },
    ...{ direction: DIRECTIONS[n % 3], horizon_kind: 'trading_days', horizon_value: 1 + (Math.floor(n / 3) % 5) },
    data_cutoff: day.toISOString(),
    key_factors: [
      'Momentum',
      { factor: 'Volume', weight: 0.5, source: { name: `${word} wire`, url: `https://${word}.example/${n}` } },
    ],
    confidence: 0.7,
    model: { id: `${word}-model` },
    summary: `${word} summary ${n}`,
    tags: [`${word} tag`],
    meta: { run: `${word} meta`, n },
    execution_info: { executed: false, note: `${word} execution` },
    service_interaction: { consulted: false, note: `${word} consulted` },
  };
}
