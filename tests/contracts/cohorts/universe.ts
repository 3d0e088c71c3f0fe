import fc from 'fast-check';
import { newestNames } from '../../../application/market/names.ts';
import type { Storage } from '../../../application/ports.ts';
import { ANALYSIS_CLASSES, DIRECTIONS, type Direction, PERSPECTIVE_TYPES } from '../../../domain/decisions/call.ts';
import type { Decision } from '../../../domain/decisions/decision.ts';
import type { Submission } from '../../../domain/decisions/submission/submission.ts';
import { type OutcomeFacts, RESULT_BUCKETS, type ResultBucket } from '../../../domain/grading/outcome.ts';
import type { Instrument } from '../../../domain/market/instrument.ts';
import { DAY, HOUR, SECOND } from '../../../domain/time.ts';
import { type AgentCaller, NO_LIMITS, receiptOf } from '../../builders/decisions.ts';
import { aGraded, anOutcome } from '../../builders/outcomes.ts';
import { NOON } from '../decisions/adapters.ts';
import type { Bench } from '../decisions/bench.ts';
import { endOf, FAR } from '../decisions/evaluated.ts';
import { factsOf, methodOf, type OutcomePart, SOME_PART } from './outcome-parts.ts';

const INSTRUMENTS = [
  { market: 'stock', symbol: 'AAPL', venue: 'NASDAQ', asset_class: 'spot', quote_currency: 'USD' },
  { market: 'stock', symbol: 'F', venue: 'NYSE', asset_class: 'spot', quote_currency: 'USD' },
  { market: 'crypto', symbol: 'BTC', venue: 'COINBASE', asset_class: 'spot', quote_currency: 'USD' },
  { market: 'crypto', symbol: 'BTC', venue: 'BINANCE', asset_class: 'spot', quote_currency: 'USDT' },
  { market: 'crypto', symbol: 'BTC', venue: 'BINANCE', asset_class: 'perp', quote_currency: 'USDT' },
  { market: 'crypto', symbol: 'ETH', venue: 'BINANCE', asset_class: 'spot', quote_currency: 'BTC' },
] as const;

/** What random records say; few values each, so that cohorts are neither empty nor all alike. */
export const SAYING = fc.record({
  place: fc.record({
    instrument: fc.constantFrom(...INSTRUMENTS),
    days: fc.constantFrom(1, 5, 20),
    seconds: fc.constantFrom(3_600, 86_400, 604_800),
    inDays: fc.boolean(),
  }),
  direction: fc.constantFrom(...DIRECTIONS),
  analysis_class: fc.constantFrom(...ANALYSIS_CLASSES, 'opinion' as const),
  perspective_type: fc.constantFrom(undefined, ...PERSPECTIVE_TYPES.slice(0, 3)),
  /** Milliseconds before it is said: now and then long enough to be retroactive. */
  age: fc.oneof(fc.constantFrom(0, SECOND), fc.integer({ min: 0, max: 80 * DAY })),
  owner: fc.integer({ min: 0, max: 7 }),
  bucket: fc.constantFrom(...RESULT_BUCKETS),
  part: SOME_PART,
});
type Drawn = typeof SAYING extends fc.Arbitrary<infer T> ? T : never;
export type Saying = Omit<Drawn, 'place' | 'part'> & {
  /** `fine` by default. */
  readonly part?: OutcomePart;
  readonly place: Omit<Drawn['place'], 'instrument'> & { readonly instrument: Instrument };
};

/** Submits and grades one record; its id. */
export async function graded(bench: Bench, agents: readonly AgentCaller[], saying: Saying): Promise<string> {
  const record_id = await submitted(bench, agents, saying);
  await grade(bench.storage(), [{ ...saying, record_id }], await bench.now());
  return record_id;
}

/** A record that is due to be evaluated, as early as evaluations may look at it. */
export async function submitted(bench: Bench, agents: readonly AgentCaller[], saying: Saying): Promise<string> {
  const { agent, submission, options } = await saidBy(bench, agents, saying);
  const { names, intake } = bench.storage();
  const draft = await bench.draft(agent, submission, options);
  const { newest } = await newestNames(names);
  return receiptOf(await intake.submit({ ...draft, names: newest })).record_id;
}

/** The same decision with two further horizons, as a decision group; in the order of the horizons. */
export async function submittedGroup(
  bench: Bench,
  agents: readonly AgentCaller[],
  saying: Saying,
): Promise<readonly string[]> {
  const { agent, submission, options } = await saidBy(bench, agents, saying);
  const { market, horizon_kind, horizon_value } = submission;
  const values =
    horizon_kind === 'trading_days'
      ? [1, 5, 20]
      : market === 'stock'
        ? [604_800, 1_209_600, 1_814_400]
        : [3_600, 86_400, 604_800];
  const horizons = [horizon_value, ...values.filter((value) => value !== horizon_value)];
  return (await bench.group(agent, submission, horizons, options)).map(({ record_id }) => record_id);
}

async function saidBy(bench: Bench, agents: readonly AgentCaller[], saying: Saying) {
  const { owner, place, age, part = 'fine', ...said } = saying;
  const { instrument, days, seconds, inDays } = place;
  const stock = instrument.market === 'stock';
  const trading = stock && inDays;
  const agent = agents[owner % agents.length];
  if (!agent) throw new Error('There are agents');
  const { perspective_type, analysis_class, direction } = said;
  const planned = analysis_class === 'trade_plan' ? { price_targets: { targets: [{ price: 1 }] } } : {};
  const submission = {
    ...instrument,
    ...(analysis_class === 'trade_plan' && direction === 'neutral' ? {} : { analysis_class, ...planned }),
    direction,
    ...(perspective_type ? { perspective_type } : {}),
    horizon_kind: trading ? 'trading_days' : 'holding_seconds',
    // Within fewer seconds a stock exchange may not open at all.
    horizon_value: trading ? days : Math.max(seconds, stock ? 604_800 : 0),
    ...(age > 0 ? { data_cutoff: new Date((await bench.now()).getTime() - age).toISOString() } : {}),
  } satisfies Partial<Submission>;
  return { agent, submission, options: { limits: NO_LIMITS, method: methodOf(part) } };
}

interface GradedRecord {
  readonly record_id: string;
  readonly bucket: ResultBucket;
  /** `fine` by default; it must be of the method of the record. */
  readonly part?: OutcomePart;
}

/** Ends the evaluations of these records, all of them waiting; at `now`. */
export async function grade(
  storage: Pick<Storage, 'verification' | 'evaluations'>,
  graded: readonly GradedRecord[],
  now: Date,
): Promise<void> {
  const { verification, evaluations } = storage;
  for (const instrument of await verification.awaitingVerification(FAR, 1_000)) {
    await verification.settleVerification(instrument, 'verified');
  }
  const wanted = new Map(graded.map((each) => [each.record_id, each]));
  const claimed = await evaluations.claimDue(FAR, FAR, 10_000);
  const ends = claimed.map((each, i) => {
    const { record_id, direction } = each.decision;
    const { bucket: result_bucket = 'weak_correct', part = 'fine' } = wanted.get(record_id) ?? {};
    const facts = factsOf(part, movedBy(direction, MOVES[i % MOVES.length] ?? 0));
    return endOf(each, aGraded(record_id, anOutcome({ result_bucket, facts })));
  });
  await evaluations.endEvaluations(ends, now);
}

/** One move within each range of the buckets, and on its edges. */
const MOVES = [1.5, -0.2, 0, -0.67449, 0.9, -2, 0.318639, 0.67449, -0.5, 0.1, -1.150349, 0.4, -1];

/** The facts of a move in sigmas of the window, signed by the price. */
function movedBy(direction: Direction, move_z: number): OutcomeFacts {
  const z = { bullish: move_z, bearish: 0 - move_z, neutral: Math.abs(move_z) }[direction];
  return { ...anOutcome().facts, z, raw_return: move_z / 100 };
}

/**
 * Records of these owners, by default of eight new ones, over some months, graded; as the storage has them. Of every fourth
 * decision there are further horizons, which are graded as it is.
 */
export async function universe(
  bench: Bench,
  count: number,
  seed: number,
  owners?: readonly AgentCaller[],
): Promise<readonly Decision[]> {
  const agents = owners ?? (await Promise.all(Array.from({ length: 8 }, () => bench.agent())));
  const ids: string[] = [];
  const sayings = fc.sample(SAYING, { numRuns: count, seed });
  for (let batch = 0; batch * 15 < count; batch += 1) {
    await bench.arrange().freeze(new Date(NOON.getTime() + batch * 9 * DAY + batch * 7 * HOUR));
    const due = sayings.slice(batch * 15, batch * 15 + 15);
    const ends = await Promise.all(
      due.map(async (saying, i) => {
        const records =
          i % 4 === 3 ? await submittedGroup(bench, agents, saying) : [await submitted(bench, agents, saying)];
        return records.map((record_id) => ({ record_id, bucket: saying.bucket, part: saying.part }));
      }),
    );
    await grade(bench.storage(), ends.flat(), await bench.now());
    ids.push(...ends.flat().map(({ record_id }) => record_id));
  }
  return bench.storage().decisions.find(ids, null);
}
