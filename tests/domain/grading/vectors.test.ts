import { describe, expect, test } from '@jest/globals';
import type { Direction, HorizonKind } from '../../../domain/decisions/call.ts';
import { bucketOf } from '../../../domain/grading/bucket.ts';
import type { EvaluationCall } from '../../../domain/grading/evaluation.ts';
import { EVAL_1 } from '../../../domain/grading/method.ts';
import type { Outcome } from '../../../domain/grading/outcome.ts';
import { planWindow, windowAt } from '../../../domain/grading/windows/window.ts';
import type { Bar } from '../../../domain/market/bars.ts';
import type { Instrument } from '../../../domain/market/instrument.ts';
import { amchartsBars, at, MSFT, PUFA, pufaBars, SPX, series, spxBars } from '../market/real-bars.ts';

// The table of evaluation.md section 9: real prices, submitted long after (retroactive).
const received = at('2026-01-02T12:00Z');

interface Case {
  readonly instrument: Instrument;
  readonly cutoff: string;
  readonly horizon: readonly [HorizonKind, number];
  readonly direction?: Direction;
}

function outcome(
  { instrument, cutoff, horizon, direction = 'bullish' }: Case,
  path: Bar[],
  daily: Bar[] = path,
): Outcome {
  const [horizon_kind, horizon_value] = horizon;
  const terms = { instrument, horizon_kind, horizon_value, data_cutoff: at(cutoff) };
  const plan = planWindow(terms, received);
  if (Array.isArray(plan)) throw new Error(plan[0]?.message);
  const call: EvaluationCall = { ...terms, direction, ...windowAt(plan, received) };
  const needed = EVAL_1.barsNeeded(call, path === daily ? ['1d'] : ['1m', '1d']);
  if (needed.kind !== 'bars') throw new Error(needed.detail);
  const evidence = {
    path: series(barsWithin(path, needed.path), needed.path.size),
    daily: series(barsWithin(daily, needed.daily)),
    listing: { delisted_at: null },
  };
  const evaluation = EVAL_1.evaluate(call, evidence, received);
  if (evaluation.kind !== 'evaluated') throw new Error(evaluation.detail);
  return evaluation.outcome;
}

function barsWithin(bars: readonly Bar[], { from, to }: { readonly from: number; readonly to: number }): Bar[] {
  return bars.filter(({ start, end }) => start >= from && end <= to);
}

describe('sigma_d 0.01, entry 100, tau 1', () => {
  test.each([
    [101, 0.995033, 'strong_correct', 'weak_incorrect'],
    [100.5, 0.498754, 'weak_correct', 'weak_correct'],
    [100, 0, 'weak_incorrect', 'strong_correct'],
    [99, -1.005034, 'strong_incorrect', 'weak_incorrect'],
  ])('exit %d is z0 %d: %s bullish, %s neutral', (exit, expected, bullish, neutral) => {
    const z0 = Math.log(exit / 100) / 0.01;
    expect(z0).toBeCloseTo(expected, 6);
    expect([bucketOf('bullish', z0), bucketOf('neutral', z0)]).toEqual([bullish, neutral]);
  });
});

test('MSFT over five sessions across its split of 2003-02-18', () => {
  const bars = amchartsBars('MSFT');
  const msft: Case = { instrument: MSFT, cutoff: '2003-02-13T14:00Z', horizon: ['trading_days', 5] };
  const { result_bucket, facts } = outcome(msft, bars);
  expect(result_bucket).toBe('strong_correct');
  expect([facts.entry.price, facts.exit.price]).toEqual([46.41, 24.14]);
  expect([facts.entry.time, facts.exit.time]).toEqual(['2003-02-13T14:30:00.000Z', '2003-02-20T21:00:00.000Z']);
  expect(facts.entry.adjusted_price).toBeCloseTo(23.1364, 4);
  expect(facts.exit.adjusted_price).toBe(24.14);
  expect(facts.raw_return).toBeCloseTo(0.043377, 6);
  expect(facts.sigma_d).toBeCloseTo(0.025707, 6);
  expect(facts.tau).toBe(5);
  expect(facts.z).toBeCloseTo(0.738692, 6);
  expect(facts.mfe?.value).toBeCloseTo(0.076737, 6);
  expect(facts.mfe?.time.slice(0, 10)).toBe('2003-02-18');
  expect(facts.mae.value).toBeCloseTo(-0.006033, 6);
  expect(facts.mae.time.slice(0, 10)).toBe('2003-02-13');
});

test.each([
  ['bullish', 0.102497, 'weak_correct'],
  ['bearish', -0.102497, 'weak_incorrect'],
  ['neutral', 0.102497, 'strong_correct'],
] as const)('S&P 500 from 2008-09-15, N = 5, %s: z %d, %s', (direction, z, bucket) => {
  const spx: Case = { instrument: SPX, cutoff: '2008-09-15T13:00Z', horizon: ['trading_days', 5], direction };
  const { result_bucket, facts } = outcome(spx, spxBars());
  expect([facts.entry.price, facts.exit.price]).toEqual([1250.920044, 1255.079956]);
  expect(facts.z).toBeCloseTo(z, 6);
  expect(result_bucket).toBe(bucket);
});

test.each([
  ['bullish', -1.067895, 'strong_incorrect'],
  ['bearish', 1.067895, 'strong_correct'],
  ['neutral', 1.067895, 'weak_incorrect'],
] as const)('S&P 500 from 2020-03-09, N = 5, %s: z %d, %s', (direction, z, bucket) => {
  const spx: Case = { instrument: SPX, cutoff: '2020-03-09T13:00Z', horizon: ['trading_days', 5], direction };
  const { result_bucket, facts } = outcome(spx, spxBars());
  expect(facts.z).toBeCloseTo(z, 6);
  expect(result_bucket).toBe(bucket);
});

test('600000 at lunch, held for two hours: from 13:00 to 14:00 in Shanghai', () => {
  const pufa: Case = { instrument: PUFA, cutoff: '2024-06-17T12:00+08:00', horizon: ['holding_seconds', 7_200] };
  const { facts, bars } = outcome(pufa, pufaBars('1m'), pufaBars('1d'));
  expect(facts.entry).toEqual({ time: '2024-06-17T05:00:00.000Z', price: 8.05, adjusted_price: 8.05 });
  expect(facts.exit).toEqual({ time: '2024-06-17T06:00:00.000Z', price: 8.08, adjusted_price: 8.08 });
  expect(bars).toHaveLength(60);
  expect(facts.coverage).toEqual({ bars_expected: 60, bars_observed: 60, bars_carried: 0, ratio: 1 });
  expect(facts.tau).toBe(0.25);
  expect(facts.sigma_d).toBeCloseTo(0.009976, 6);
  expect(facts.z).toBeCloseTo(0.7457, 4);
});
