import { readFileSync } from 'node:fs';
import { describe, expect, test } from '@jest/globals';
import type { Direction } from '../../../domain/decisions/call.ts';
import { tradedHistory } from '../../../domain/grading/bars/history.ts';
import { baseRates } from '../../../domain/grading/base-rates.ts';
import { hadSaid, moveZ } from '../../../domain/grading/bucket.ts';
import { EVAL_2 } from '../../../domain/grading/eval-2.ts';
import type { EvaluationCall, EvaluationMethod } from '../../../domain/grading/evaluation.ts';
import { EVAL_1 } from '../../../domain/grading/method.ts';
import type { MethodName } from '../../../domain/grading/method-facts.ts';
import { RESULT_BUCKETS, type ResultBucket } from '../../../domain/grading/outcome.ts';
import type { Bar } from '../../../domain/market/bars.ts';
import { calendarOf } from '../../../domain/market/calendars/by-venue.ts';
import type { Instrument } from '../../../domain/market/instrument.ts';
import { amchartsBars, at, MSFT, PUFA, pufaBars, SPX, series, spxBars } from '../market/real-bars.ts';

// The tables of evaluation-2.md section 2: real prices, submitted long after (retroactive).
const received = at('2026-01-02T12:00Z');
const TXN: Instrument = { ...MSFT, symbol: 'TXN' };
const [msft, txn, spx] = [amchartsBars('MSFT'), amchartsBars('TXN'), spxBars()];

/** So many sessions from the open of bar `first`, on daily bars. */
function sessionsFrom<Name extends MethodName>(
  method: EvaluationMethod<Name>,
  instrument: Instrument,
  bars: readonly Bar[],
  { first, n, direction = 'bullish' }: { readonly first: number; readonly n: number; readonly direction?: Direction },
) {
  const [anchor_time, end_time] = [bars[first]?.start ?? 0, bars[first + n - 1]?.end ?? 0];
  const call: EvaluationCall = {
    ...{ instrument, direction, horizon_kind: 'trading_days', horizon_value: n },
    ...{ data_cutoff: anchor_time, anchor_time, end_time },
  };
  const evidence = {
    path: series(bars.slice(Math.max(0, first - 1), first + n + 1)),
    daily: series(bars.slice(Math.max(0, first - 30), first)),
    listing: { delisted_at: null },
  };
  return method.evaluate(call, evidence, received);
}

function indexOf(bars: readonly Bar[], date: string): number {
  return bars.findIndex(({ start }) => start >= at(date));
}

test.each([
  ['MSFT', '2003-02-13', 5, MSFT, msft, 'bullish', 0.025707, 0.311934, 4.688066, 0.762872, 'strong_correct'],
  ['MSFT', '2003-02-13', 1, MSFT, msft, 'bullish', 0.025707, 0.311934, 0.688066, 0.58243, 'weak_correct'],
  ['MSFT', '2003-02-13', 1, MSFT, msft, 'neutral', 0.025707, 0.311934, 0.688066, 0.58243, 'weak_correct'],
  ['TXN', '2008-10-10', 1, TXN, txn, 'bullish', 0.032938, 0.199253, 0.800747, 2.72748, 'strong_correct'],
  ['S&P 500', '2008-09-15', 5, SPX, spx, 'bullish', 0.014486, 0.02747, 4.97253, 0.10278, 'weak_correct'],
] as const)('%s from %s, N = %d', (_, date, n, instrument, bars, direction, sigma_d, omega, tau, z, bucket) => {
  const result = sessionsFrom(EVAL_2, instrument, bars, { first: indexOf(bars, date), n, direction });
  if (result.kind !== 'evaluated') throw new Error(result.detail);
  const { facts, result_bucket } = result.outcome;
  const expected = [sigma_d, omega, tau, z];
  expect([facts.sigma_d, facts.omega ?? 0, facts.tau, facts.z].map((x) => x.toFixed(6))).toEqual(
    expected.map((x) => x.toFixed(6)),
  );
  expect(result_bucket).toBe(bucket);
  expect(facts).toMatchObject({ method: 'eval/2', carried_open: false, suspected_split: false });
  expect(facts).toMatchObject({ bars_traded: n, bars_expected: n, seconds_to_entry: 0, seconds_after_exit: 0 });
});

test('the example of docs/evaluation.md is that of MSFT to the last digit', () => {
  const text = readFileSync(new URL('../../../docs/evaluation.md', import.meta.url), 'utf8');
  const result = sessionsFrom(EVAL_2, MSFT, msft, { first: indexOf(msft, '2003-02-13'), n: 5 });
  if (result.kind !== 'evaluated') throw new Error(result.detail);
  const { sigma_d, omega, tau, z, entry } = result.outcome.facts;
  const digits = [sigma_d, omega, tau, z, entry.adjusted_price].map(String);
  expect(digits.filter((each) => !text.includes(each))).toEqual([]);
});

describe('a decision without skill over one session, from the 71st day on', () => {
  const FIRST = 70;
  const sharesOf = (method: EvaluationMethod, instrument: Instrument, bars: readonly Bar[]) => {
    const all = bars.slice(FIRST).map((_, i) => {
      const result = sessionsFrom(method, instrument, bars, { first: FIRST + i, n: 1 });
      if (result.kind !== 'evaluated') throw new Error(`${i}: ${result.detail}`);
      return hadSaid(moveZ('bullish', result.outcome.facts));
    });
    const share = (direction: Direction, bucket: ResultBucket) =>
      Math.round((100 * all.filter((said) => said[direction] === bucket).length) / all.length);
    return { starts: all.length, of: (direction: Direction) => RESULT_BUCKETS.map((each) => share(direction, each)) };
  };

  test.each([
    ['MSFT', 'eval/1', EVAL_1, MSFT, msft, [21, 27, 32, 20], [32, 28, 22, 18]],
    ['MSFT', 'eval/2', EVAL_2, MSFT, msft, [24, 24, 28, 24], [26, 26, 22, 26]],
    ['TXN', 'eval/1', EVAL_1, TXN, txn, [22, 29, 28, 21], [31, 26, 24, 19]],
    ['TXN', 'eval/2', EVAL_2, TXN, txn, [26, 25, 24, 25], [25, 25, 23, 27]],
  ] as const)('%s by %s', (_symbol, _name, method, instrument, bars, bullish, neutral) => {
    const shares = sharesOf(method, instrument, bars);
    expect(shares.starts).toBe(3_603);
    expect([shares.of('bullish'), shares.of('neutral')]).toEqual([bullish, neutral]);
  });
});

test('drift: S&P 500 over 252 sessions gives bullish 45/28/10/17', () => {
  const known = { instrument: SPX, path: series(spx), daily: series(spx) };
  const { graded, counts } = baseRates(known, { horizon_kind: 'trading_days', horizon_value: 252 }, received);
  const { bullish } = counts;
  expect(RESULT_BUCKETS.map((bucket) => Math.round((100 * bullish[bucket]) / graded))).toEqual([45, 28, 10, 17]);
});

describe('carried opens', () => {
  const carried = (instrument: Instrument, bars: readonly Bar[]) =>
    bars.slice(21).flatMap(({ start }, i) => {
      const history = tradedHistory(calendarOf(instrument), bars.slice(i, i + 21), start);
      if ('kind' in history) throw new Error(history.detail);
      return history.carriedOpens > 0.5 ? [start] : [];
    });

  test('are those of the packaged S&P 500 up to 2005, into 2006, and for a while in 2012 and 2013', () => {
    const years = Map.groupBy(carried(SPX, spx), (start) => new Date(start).getUTCFullYear());
    expect([...years].map(([year, starts]) => [year, starts.length])).toEqual([
      [2000, 231],
      [2001, 248],
      [2002, 252],
      [2003, 252],
      [2004, 252],
      [2005, 252],
      [2006, 100],
      [2012, 11],
      [2013, 84],
    ]);
  });

  test('are never those of MSFT, TXN and 600000', () => {
    expect([carried(MSFT, msft), carried(TXN, txn), carried(PUFA, pufaBars('1d'))]).toEqual([[], [], []]);
  });
});
