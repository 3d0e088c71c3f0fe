import { DIRECTIONS } from '../../../domain/decisions/call.ts';
import { DAY, MINUTE } from '../../../domain/time.ts';
import type { Caller } from '../stage/callers.ts';
import { SYMBOLS } from '../stage/prices.ts';

/** A submission that was acknowledged. */
export interface Acknowledged {
  readonly caller: Caller;
  readonly record_id: string;
  /** When the reply came, and until when it promised a proof. */
  readonly at: Date;
  readonly included_by: Date | null;
}

/** Submits a decision: a retroactive one, which is graded at once, or one of now, which stays open. Null for a refusal. */
export async function submit(url: string, caller: Caller, n: number, graded: boolean): Promise<Acknowledged | null> {
  const body = JSON.stringify({
    market: 'crypto',
    symbol: SYMBOLS[n % SYMBOLS.length],
    venue: 'BINANCE',
    asset_class: 'spot',
    quote_currency: 'USDT',
    direction: DIRECTIONS[n % DIRECTIONS.length],
    ...(graded
      ? { horizon_kind: 'trading_days', horizon_value: 1 + (n % 5) }
      : { horizon_kind: 'holding_seconds', horizon_value: 86_400 }),
    data_cutoff: new Date(Date.now() - (graded ? 30 * DAY + (n % 1_000) * MINUTE : 0)).toISOString(),
    key_factors: [{ factor: `Reason ${n}` }],
  });
  const headers = { 'x-api-key': caller.key, 'content-type': 'application/json' };
  const reply = await fetch(`${url}/api/v1/agent/decisions`, { method: 'POST', headers, body });
  const text = await reply.text();
  if (reply.status >= 500) return null;
  if (reply.status !== 201) throw new Error(`A submission was answered ${reply.status}: ${text}`);
  const { record_id, receipt } = JSON.parse(text);
  return { caller, record_id, at: new Date(), included_by: receipt && new Date(receipt.included_by) };
}

const AT_ONCE = 64;

/** Submits the decisions of these numbers, by default every second one to be graded. */
export async function submitAll(
  url: string,
  callers: readonly Caller[],
  from: number,
  to: number,
  isGraded = (n: number) => n % 2 === 0,
): Promise<readonly Acknowledged[]> {
  const all: Acknowledged[] = [];
  let next = from;
  const send = async () => {
    while (next < to) {
      const n = next++;
      const caller = callers[n % callers.length];
      const acknowledged = caller && (await submit(url, caller, n, isGraded(n)));
      if (acknowledged) all.push(acknowledged);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, send));
  return all;
}

/** The owner's proof of a leaf; null while no signed checkpoint has it. */
export async function receiptOf(
  url: string,
  { caller, record_id }: Pick<Acknowledged, 'caller' | 'record_id'>,
  query = 'leaf=decision',
): Promise<string | null> {
  const headers = { 'x-api-key': caller.key };
  const reply = await fetch(`${url}/api/v1/agent/decisions/${record_id}/receipt?${query}`, { headers });
  const text = await reply.text();
  return reply.status === 200 ? text : null;
}
