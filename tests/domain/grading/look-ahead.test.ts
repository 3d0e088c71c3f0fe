import { describe, expect, jest, test } from '@jest/globals';
import fc from 'fast-check';
import { EVAL_2 } from '../../../domain/grading/eval-2.ts';
import type { EvaluationMethod } from '../../../domain/grading/evaluation.ts';
import { EVAL_1 } from '../../../domain/grading/method.ts';
import type { MethodName } from '../../../domain/grading/method-facts.ts';
import { MSFT, PUFA } from '../market/real-bars.ts';
import { KNOWING, UNSKILLED } from './look-ahead/agents.ts';
import { type Chance, chanceFrom } from './look-ahead/chance.ts';
import { aboveHadSaid, aboveQuarter } from './look-ahead/judge.ts';
import type { SimulatedMarket } from './look-ahead/market.ts';
import { type PairTerms, pairMarket } from './look-ahead/pair-market.ts';
import { type PlayedOutcome, playOn } from './look-ahead/play.ts';
import { type StockTerms, stockMarket } from './look-ahead/stock-market.ts';

/**
 * Agents that know the whole past up to the moment of receipt, other venues and announced splits included, play on
 * markets whose fair price nobody can predict. The same seed plays the same markets; LOOK_AHEAD=<seed>,<runs> plays
 * others, and more of them.
 */
const [seed = 0, runs = 0] = (process.env.LOOK_AHEAD ?? '20260302,5').split(',').map(Number);
jest.setTimeout(600_000);
/** Markets of each run: as many decisions at most, so that a price that is known too early shows. */
const MARKETS = 80;
/** In standard errors. Chance alone exceeds it once in a million tests. */
const BEYOND_CHANCE = 4.9;
/** Of all runs together. */
const POOLED = 4.5;

const habits = {
  silent: fc.constantFrom('missing' as const, 'flat' as const),
  carriesOpens: fc.boolean(),
};

const pairs: fc.Arbitrary<PairTerms> = fc.record({
  ...habits,
  sigma: fc.constantFrom(0.01, 0.03, 0.08),
  horizon_value: fc.integer({ min: 600, max: 3_600 }),
  active: fc.integer({ min: 8, max: 40 }),
  silence: fc.integer({ min: 4, max: 30 }),
  trades: fc.constantFrom(0.3, 0.6, 1),
});

/** Before a half day, a weekend, a long weekend, and changes of the clocks. */
const DATES = ['2024-07-02', '2024-11-27', '2024-12-23', '2024-03-07', '2024-10-31', '2024-06-13'];

const stocks: fc.Arbitrary<StockTerms> = fc.record({
  ...habits,
  instrument: fc.constantFrom(MSFT, PUFA),
  sigma: fc.constantFrom(0.01, 0.03),
  night: fc.constantFrom(0.1, 0.3, 0.5),
  horizon_value: fc.integer({ min: 1, max: 4 }),
  trades: fc.constantFrom(0.05, 0.1, 0.5),
  from: fc.constantFrom(...DATES),
  split: fc.constantFrom(null, 'ahead' as const, 'behind' as const),
});

interface Scores {
  readonly agent: string;
  readonly decisions: number;
  readonly hadSaid: number;
  readonly quarter: number;
}

function scoresOf(agent: string, outcomes: readonly PlayedOutcome[]): Scores {
  const [hadSaid, quarter] = [aboveHadSaid(outcomes), aboveQuarter(outcomes)];
  return { agent, decisions: outcomes.length, hadSaid, quarter };
}

/** The scores of each agent in all runs together, after each run by itself was within its bound. */
function playAll<T>(
  method: EvaluationMethod<MethodName>,
  terms: fc.Arbitrary<T>,
  marketFrom: (chance: Chance, terms: T) => SimulatedMarket,
  { bound, numRuns }: { readonly bound: number; readonly numRuns: number },
): readonly Scores[] {
  const all = new Map<string, PlayedOutcome[]>();
  const property = fc.property(terms, fc.nat(), (each, salt) => {
    const markets = Array.from({ length: MARKETS }, (_, i) => marketFrom(chanceFrom(salt + i), each));
    for (const agent of [UNSKILLED, ...KNOWING]) {
      const outcomes = playOn(method, agent, markets, chanceFrom(salt));
      all.set(agent.name, [...(all.get(agent.name) ?? []), ...outcomes]);
      const scores = scoresOf(agent.name, outcomes);
      if (scores.decisions >= 30 && isBeyond(scores, bound)) throw new Error(JSON.stringify(scores));
    }
  });
  fc.assert(property, { seed, numRuns, endOnFailure: true });
  return [...all].map(([agent, outcomes]) => scoresOf(agent, outcomes));
}

function isBeyond({ hadSaid, quarter }: Scores, bound: number): boolean {
  return hadSaid > bound || quarter > bound;
}

const JUDGED = { bound: BEYOND_CHANCE, numRuns: runs };
const onPairs = (method: EvaluationMethod<MethodName>) => playAll(method, pairs, pairMarket, JUDGED);
const onStocks = (method: EvaluationMethod<MethodName>) => playAll(method, stocks, stockMarket, JUDGED);

describe('by eval/2 knowing the whole past does not help', () => {
  test.each([
    ['on minutes of a pair with silences', onPairs],
    ['on hours of a thinly traded stock, around nights and splits', onStocks],
  ])('%s', (_, play) => {
    const scores = play(EVAL_2);
    expect(scores.filter((each) => isBeyond(each, POOLED))).toEqual([]);
    expect(scores.filter(({ decisions }) => decisions > 20 * runs).length).toBeGreaterThan(4);
  });
});

const TWO_RUNS = { bound: Number.POSITIVE_INFINITY, numRuns: 2 };
const PAIR = { silent: 'flat', carriesOpens: false, sigma: 0.03, horizon_value: 1_200 } as const;
const STOCK = { instrument: MSFT, sigma: 0.02, night: 0.3, horizon_value: 1, from: '2024-07-02', split: null } as const;

test('by eval/2 the fair price at night does not help where hours open at the close of the session before', () => {
  const terms: StockTerms = { ...STOCK, trades: 0.5, silent: 'missing', carriesOpens: true, carriesNights: true };
  const nights: Pick<StockTerms, 'night' | 'horizon_value'>[] = [
    { night: 0.5, horizon_value: 1 },
    { night: 0.3, horizon_value: 2 },
  ];
  for (const each of nights) {
    const scores = playAll(EVAL_2, fc.constant({ ...terms, ...each }), stockMarket, { bound: POOLED, numRuns: 4 });
    expect(scores.find(({ agent }) => agent === 'follows the fair price at night')?.decisions).toBeGreaterThan(200);
  }
});

describe('the same test finds that by eval/1 it does', () => {
  test.each([
    ['on minutes of a pair with silences', onPairs],
    ['on hours of a thinly traded stock, around nights and splits', onStocks],
  ])('%s', (_, play) => {
    expect(() => play(EVAL_1)).toThrow('Property failed');
  });

  const pairsOf = (terms: PairTerms) => playAll(EVAL_1, fc.constant(terms), pairMarket, TWO_RUNS);
  const stocksOf = (terms: Omit<StockTerms, keyof typeof STOCK> & Partial<StockTerms>) =>
    playAll(EVAL_1, fc.constant({ ...STOCK, ...terms }), stockMarket, TWO_RUNS);

  test.each([
    ['waits for a very stale trade', () => pairsOf({ ...PAIR, active: 20, silence: 15, trades: 0.6 })],
    ['counts on a silence', () => pairsOf({ ...PAIR, active: 20, silence: 15, trades: 0.6 })],
    ['waits for a very stale trade', () => stocksOf({ trades: 0.03, silent: 'flat', carriesOpens: true })],
    [
      'knows of a split',
      () => stocksOf({ trades: 0.5, silent: 'missing', carriesOpens: false, split: 'ahead', horizon_value: 4 }),
    ],
    [
      'knows a false volatility',
      () => stocksOf({ trades: 0.5, silent: 'missing', carriesOpens: false, split: 'behind' }),
    ],
  ])('the agent that %s', (name, play) => {
    const scores = play().filter((each) => isBeyond(each, POOLED));
    expect(scores.map(({ agent }) => agent)).toContain(name);
  });
});
