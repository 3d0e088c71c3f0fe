import { DIRECTIONS, PERSPECTIVE_TYPES } from '../../../domain/decisions/call.ts';
import type { Decision } from '../../../domain/decisions/decision.ts';
import type { EvaluationEnd } from '../../../domain/decisions/evaluation-store.ts';
import { RESULT_BUCKETS } from '../../../domain/grading/outcome.ts';
import { DAY } from '../../../domain/time.ts';
import type { AgentCaller } from '../../builders/decisions.ts';
import { anOutcome, aSuspectedOutcome } from '../../builders/outcomes.ts';
import type { Bench, Change } from '../decisions/bench.ts';
import { endOf, evaluateAll, FAR } from '../decisions/evaluated.ts';

/** Records of two agents of one owner and one of another, of all kinds and in all states that a store can bring about. */
export interface Population {
  readonly owner_id: string;
  readonly agents: readonly [AgentCaller, AgentCaller];
  readonly stranger: AgentCaller;
  /** As the store has them, in no order. */
  records(): Promise<readonly Decision[]>;
}

export async function aPopulation(bench: Bench): Promise<Population> {
  const first = await bench.agent();
  const agents = [first, await bench.agent(first)] as const;
  const stranger = await bench.agent();
  const ids: string[] = [];
  const submit = async (agent: AgentCaller, change: Change) => {
    const { record_id } = await bench.accepted(agent, change);
    ids.push(record_id);
    return record_id;
  };
  for (const [round, result_bucket] of RESULT_BUCKETS.entries()) {
    // Several of one millisecond, so that an order by time alone is none.
    for (const kind of KINDS) await submit(agents[kind % 2] ?? first, await kindOf(bench, kind + round));
    await submit(stranger, await kindOf(bench, round));
    const grouped = await bench.group(
      agents[round % 2] ?? first,
      await kindOf(bench, round + 1),
      VALUES[round % 2] ?? [],
    );
    ids.push(...grouped.map(({ record_id }) => record_id));
    await evaluateAll(bench, anOutcome({ result_bucket }));
    await bench.arrange().advance(11 * DAY);
  }
  for (const kind of KINDS) await submit(agents[kind % 2] ?? first, await kindOf(bench, kind));
  await evaluateAll(bench, aSuspectedOutcome());
  await bench.arrange().advance(11 * DAY);
  await leaveOpen(bench, agents, submit);
  const archived_at = await bench.now();
  for (const record_id of ids.filter((_, i) => i % 5 === 0)) await bench.arrange().mark(record_id, { archived_at });
  await bench.arrange().mark(ids[3] ?? '', { quarantine_reason: 'made up' });
  return { owner_id: first.owner_id, agents, stranger, records: () => bench.storage().decisions.find(ids, null) };
}

/** The horizons of groups: of coins, and of stocks. */
const VALUES = [
  [7_200, 3_600, 86_400],
  [3, 5, 8],
];

const KINDS = [0, 1, 2, 3, 4, 5, 6, 7];

/** One verified, one rejected, one that was put off, two without data, one that waits for its verification. */
async function leaveOpen(
  bench: Bench,
  [one, two]: Population['agents'],
  submit: (agent: AgentCaller, change: Change) => Promise<string>,
): Promise<void> {
  const { verification, evaluations } = bench.storage();
  const settle = async (verdict: 'verified' | 'rejected') => {
    for (const instrument of await verification.awaitingVerification(FAR, 10)) {
      await verification.settleVerification(instrument, verdict);
    }
  };
  await submit(one, { symbol: 'NOSUCH' });
  await settle('rejected');
  const end = async (agent: AgentCaller, symbol: string, result: EvaluationEnd['result'], retry_at: Date | null) => {
    await submit(agent, { symbol, confidence: 0.4 });
    await settle('verified');
    const [claimed] = await evaluations.claimDue(FAR, FAR, 1);
    if (!claimed) throw new Error('Nothing is due.');
    await evaluations.endEvaluations([endOf(claimed, result, retry_at)], await bench.now());
  };
  await end(one, 'XRP', { kind: 'data_unavailable', reason: 'no_print', detail: 'No trade: not one.' }, null);
  await end(one, 'ADA', { kind: 'deferred', reason: 'no_entry', detail: '' }, null);
  await end(two, 'SOL', { kind: 'deferred', reason: 'coverage', detail: '' }, FAR);
  await submit(two, { symbol: 'DOGE' });
  await settle('verified');
  await submit(one, { symbol: 'ETH' });
}

/** What models knew until; a text that looks like a member is none. */
const modelsAt = (now: Date) => [
  undefined,
  { id: 'a "quoted\\" model', knowledge_cutoff: now.toISOString().slice(0, 10) },
  { knowledge_cutoff: new Date(now.getTime() - 9 * DAY).toISOString().replace('Z', '+00:00') },
  { id: `"model":{"knowledge_cutoff":"${now.toISOString()}"` },
  { id: 'b', knowledge_cutoff: '2020-01-01' },
];

async function kindOf(bench: Bench, kind: number): Promise<Change> {
  const direction = DIRECTIONS[kind % 3] ?? 'neutral';
  const said = { direction, ...(kind % 3 ? { confidence: (kind % 11) / 10 } : {}) };
  const perspective = PERSPECTIVE_TYPES[kind % 9];
  const perspective_type = perspective ? { perspective_type: perspective } : {};
  const cutoff = new Date((await bench.now()).getTime() - 9 * DAY).toISOString();
  const hindsight = kind % 4 === 1 ? { data_cutoff: cutoff } : {};
  const models = modelsAt(await bench.now());
  const model = models[kind % models.length];
  const known = model ? { model } : {};
  return { ...said, ...known, ...perspective_type, ...hindsight, ...(INSTRUMENTS[kind % INSTRUMENTS.length] ?? {}) };
}

const STOCK = { market: 'stock', venue: 'NYSE', horizon_kind: 'trading_days', horizon_value: 3 } as const;

const INSTRUMENTS: readonly Change[] = [
  { horizon_value: 3_600 },
  { symbol: 'ETH-USD', horizon_value: 7_200 },
  { ...STOCK, symbol: 'BRK/B' },
  { symbol: 'BTCUSDT', venue: 'BINANCE', asset_class: 'perp', quote_currency: 'USDT' },
  { ...STOCK, symbol: 'eth', venue: 'NASDAQ' },
];
