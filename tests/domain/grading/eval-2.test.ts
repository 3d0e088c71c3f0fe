import { describe, expect, test } from '@jest/globals';
import { EVAL_2, givenUp } from '../../../domain/grading/eval-2.ts';
import type { EvaluationCall } from '../../../domain/grading/evaluation.ts';
import type { Bar } from '../../../domain/market/bars.ts';
import { DAY, MINUTE, rfc3339 } from '../../../domain/time.ts';
import {
  amchartsBars,
  at,
  compounded,
  cryptoDays,
  MSFT,
  PUFA,
  pufaBars,
  SPX,
  series,
  spxBars,
} from '../market/real-bars.ts';
import { type Changes, minutesOf, noon, outcomeOf, reason, sessionsOfSpxBy } from './evaluations.ts';
import { fine, finely, printed, repeat, rising, tenMinutes } from './traded-minutes.ts';

const sessionsOfSpx = (n: number, from: string, path: readonly Bar[], changes: Changes = {}) =>
  sessionsOfSpxBy(EVAL_2, n, from, path, changes);

describe('the size', () => {
  test('is one of which a bar is whole within the window', () => {
    const call: EvaluationCall = {
      ...{ instrument: SPX, direction: 'bullish', horizon_kind: 'holding_seconds', horizon_value: 25_200 },
      ...{
        anchor_time: at('2024-03-06T15:02Z'),
        data_cutoff: at('2024-03-06T15:02Z'),
        end_time: at('2024-03-06T22:02Z'),
      },
    };
    expect(EVAL_2.barsNeeded(call, ['1m', '1h', '1d'])).toMatchObject({ path: { size: '1h' } });
    expect(EVAL_2.barsNeeded(call, ['1d'])).toMatchObject({ reason: 'below_resolution' });
    const late = { ...call, anchor_time: at('2024-03-06T19:31Z') };
    expect(EVAL_2.barsNeeded(late, ['1m', '1h', '1d'])).toMatchObject({ path: { size: '1h' } });
    expect(EVAL_2.barsNeeded({ ...late, anchor_time: at('2024-03-06T20:31Z') }, ['1m', '1h', '1d'])).toMatchObject({
      path: { size: '1m' },
    });
  });
});

describe('the checks come in their order', () => {
  const silent = printed([...repeat(100, 10), ...repeat(undefined, 60)]);
  const short = { daily: series(fine.slice(-5)) };

  test('the window is open, whatever is known', () => {
    expect(reason(tenMinutes([], { now: noon, evidence: short }))).toBe('deferred: window_open');
  });

  test('bars that do not fit, before anything about them', () => {
    expect(reason(tenMinutes([], { evidence: { path: series([]), ...short } }))).toBe(
      'data_unavailable: below_resolution',
    );
  });

  test('a source is late, for three days, before it has no trades', () => {
    const call = { end_time: noon + 30 * MINUTE };
    expect(reason(tenMinutes(silent, { call }))).toBe('deferred: source_behind');
    expect(reason(tenMinutes(silent, { call, now: call.end_time + 3 * DAY }))).toBe('data_unavailable: no_trade');
    const proved = [...silent, ...minutesOf([90], noon + 50 * MINUTE)];
    expect(reason(tenMinutes(proved, { call }))).toBe('data_unavailable: no_trade');
    const flat = printed([...repeat(100, 10), ...repeat(null, 50)]);
    expect(reason(tenMinutes(flat, { call }))).toBe('data_unavailable: no_trade');
  });

  test('rows that cannot have been traded are missing, before the history is too short', () => {
    const path = rising.filter((_, i) => i % 5 < 3);
    const dropped = (count: number) => tenMinutes(path, { evidence: { path: series(path, '1m', count), ...short } });
    expect([reason(dropped(2)), reason(dropped(3))]).toEqual([
      'data_unavailable: insufficient_history',
      'deferred: coverage',
    ]);
  });

  test('the history is too short, before there are no trades', () => {
    const flat = printed([...repeat(100, 10), ...repeat(null, 50)]);
    expect(reason(tenMinutes(flat, { evidence: short }))).toBe('data_unavailable: insufficient_history');
  });

  test('the prices are too coarse, after there were trades', () => {
    const minutes = pufaBars('1m').filter(({ start }) => start >= at('2024-06-18') && start < at('2024-06-19'));
    const anchor_time = at('2024-06-18T02:00Z');
    const call = { instrument: PUFA, data_cutoff: anchor_time, anchor_time, end_time: anchor_time + 2 * MINUTE };
    const evidence = { daily: series(pufaBars('1d')) };
    const of = (path: readonly Bar[]) =>
      reason(tenMinutes([], { call, evidence: { ...evidence, path: series(path, '1m') }, now: at('2024-06-20') }));
    expect(of(minutes)).toBe('data_unavailable: coarse_prices');
    const silent = minutes.filter(({ start }) => start < anchor_time || start >= call.end_time);
    expect(of(silent)).toBe('data_unavailable: no_trade');
  });
});

describe('a volatility that is too small to grade by', () => {
  const daily = (move: number) =>
    series(finely(cryptoDays(at('2024-03-09'), compounded(repeat(0, 30).map((_, i) => (i % 2 ? move : -move))))));

  test('has no floor', () => {
    expect(reason(tenMinutes(rising, { evidence: { daily: daily(0.000_99) } }))).toBe(
      'data_unavailable: below_resolution',
    );
    expect(reason(tenMinutes(rising, { evidence: { daily: daily(0) } }))).toBe('data_unavailable: below_resolution');
    expect(outcomeOf(tenMinutes(rising, { evidence: { daily: daily(0.001_01) } })).facts.sigma_d).toBeCloseTo(
      0.001_01,
      9,
    );
  });

  test('may be that of the sessions alone', () => {
    const bars = spxBars().filter(({ start }) => start > at('2015-04-01'));
    const bill = bars.map((bar, i) => {
      const close = 100 * 1.002 ** i;
      return { ...bar, open: close, high: close * 1.0001, low: close * 0.9999, close };
    });
    const evidence = { daily: series(bill) };
    expect(reason(sessionsOfSpx(5, '2015-06-01', bill, { evidence }))).toBe('data_unavailable: below_resolution');
  });
});

describe('a split that the source does not know', () => {
  const bars = amchartsBars('MSFT').map((bar) => ({ ...bar, split: 1, total: 1 }));
  const first = bars.findIndex(({ start }) => start >= at('2003-02-13'));
  const call: EvaluationCall = {
    ...{ instrument: MSFT, direction: 'bearish', horizon_kind: 'trading_days', horizon_value: 5 },
    ...{
      anchor_time: bars[first]?.start ?? 0,
      data_cutoff: bars[first]?.start ?? 0,
      end_time: bars[first + 4]?.end ?? 0,
    },
  };
  const graded = (changes: Partial<EvaluationCall>, path: readonly Bar[], now: number) =>
    EVAL_2.evaluate(
      { ...call, ...changes },
      { path: series(path), daily: series(path), listing: { delisted_at: null } },
      now,
    );

  test('is waited for, at most four days, and then flagged', () => {
    expect(reason(graded({}, bars, call.end_time + 4 * DAY - 1))).toBe('deferred: suspected_split');
    const { facts } = outcomeOf(graded({}, bars, call.end_time + 4 * DAY));
    expect([facts.suspected_split, facts.raw_return < -0.4]).toEqual([true, true]);
  });

  test('is found behind an open that was carried over it', () => {
    const carried = bars.map((bar, i) => {
      const before = bars[i - 1]?.close ?? bar.open;
      return i === first + 2 ? { ...bar, open: before, high: before } : bar;
    });
    expect(reason(graded({}, carried, call.end_time))).toBe('deferred: suspected_split');
  });

  test('is none when it is known', () => {
    const { facts } = outcomeOf(graded({}, amchartsBars('MSFT'), call.end_time));
    expect([facts.suspected_split, facts.raw_return.toFixed(6)]).toEqual([false, '0.043377']);
  });

  test('is left out of the volatility', () => {
    const window = { anchor_time: bars[first + 8]?.start ?? 0, end_time: bars[first + 9]?.end ?? 0 };
    const [unknown, known] = [bars, amchartsBars('MSFT')].map((path) =>
      outcomeOf(graded(window, path, at('2026-01-01'))),
    );
    expect(unknown?.facts.sigma_d).toBeLessThan(0.04);
    expect(Math.abs(Number(unknown?.facts.sigma_d) - Number(known?.facts.sigma_d))).toBeLessThan(0.003);
    expect(unknown?.facts.suspected_split).toBe(false);
  });
});

describe('an instrument that is delisted', () => {
  test('exits at its last trade', () => {
    const bars = spxBars().filter(({ start }) => start > at('2015-05-28') && start < at('2015-06-10'));
    const delisted_at = bars.at(-1)?.end ?? 0;
    const { facts } = outcomeOf(sessionsOfSpx(40, '2015-06-01', bars, { evidence: { listing: { delisted_at } } }));
    expect(facts).toMatchObject({ delisted_exit: true, bars_traded: 7, bars_expected: 40 });
    expect(facts.exit.time).toBe(rfc3339(delisted_at));
  });

  test('has no outcome when it does not trade any more', () => {
    const evidence = { listing: { delisted_at: noon - DAY } };
    expect(reason(tenMinutes([], { evidence }))).toBe('data_unavailable: delisted');
  });

  test('ends as delisted when its bars never came and its tries are used up', () => {
    const missing = { kind: 'deferred', reason: 'out_of_reach', detail: 'No source has bars.' } as const;
    expect(givenUp(missing, true)).toMatchObject({ kind: 'data_unavailable', reason: 'delisted' });
    expect(givenUp(missing, false)).toBe(missing);
  });
});

describe('a halt', () => {
  const halted = (from: number, count: number) => {
    const bars = spxBars().filter(({ start }) => start > at('2015-05-28'));
    return bars.filter((_, i) => i < from || i >= from + count);
  };

  test('of up to five sessions is carried, and not counted as a part of the window without trades', () => {
    const { facts } = outcomeOf(sessionsOfSpx(6, '2015-06-01', halted(2 + 2, 4)));
    expect(facts).toMatchObject({ halted: true, bars_traded: 2, bars_expected: 6 });
  });

  test('of more sessions defers', () => {
    expect(reason(sessionsOfSpx(40, '2015-06-01', halted(2 + 34, 6)))).toBe('deferred: halted');
  });

  test('of the day before leaves the open of the next session a price', () => {
    const bars = spxBars().filter(({ start }) => start > at('2015-06-01'));
    const { facts } = outcomeOf(sessionsOfSpx(1, '2015-06-02', bars.slice(1)));
    expect(facts).toMatchObject({ bars_traded: 1, seconds_to_entry: 0 });
  });
});
