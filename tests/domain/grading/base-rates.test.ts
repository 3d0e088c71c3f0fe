import { describe, expect, test } from '@jest/globals';
import { baseRates, type KnownBars } from '../../../domain/grading/base-rates.ts';
import { EVAL_2 } from '../../../domain/grading/eval-2.ts';
import type { EvaluationCall } from '../../../domain/grading/evaluation.ts';
import { endTime } from '../../../domain/grading/windows/window.ts';
import { BAR_FILES, NO_ACTIONS_KNOWN } from '../../../domain/market/market-data.ts';
import { MINUTE } from '../../../domain/time.ts';
import { amchartsBars, at, MSFT, PUFA, pufaBars, series } from '../market/real-bars.ts';

const now = at('2026-01-02T12:00Z');
const bars = amchartsBars('MSFT').slice(0, 120);
const msft: KnownBars = { instrument: MSFT, path: series(bars), daily: series(bars) };

describe('base rates', () => {
  test('count what each window is graded', () => {
    const horizon = { horizon_kind: 'trading_days', horizon_value: 3 } as const;
    const buckets = bars.slice(0, 118).flatMap(({ start }) => {
      const end_time = endTime({ instrument: MSFT, ...horizon }, start);
      const call: EvaluationCall = {
        ...{ instrument: MSFT, direction: 'neutral', ...horizon },
        ...{ anchor_time: start, data_cutoff: start, end_time },
      };
      const result = EVAL_2.evaluate(call, { ...msft, listing: { delisted_at: null } }, now);
      return result.kind === 'evaluated' ? [result.outcome.result_bucket] : [];
    });
    const { starts, graded, ungraded, counts } = baseRates(msft, horizon, now);
    expect([starts, graded, ungraded]).toEqual([118, buckets.length, { insufficient_history: 11 }]);
    for (const [bucket, count] of Object.entries(counts.neutral))
      expect(count).toBe(buckets.filter((each) => each === bucket).length);
  });

  test('of no bars are none', () => {
    const none = { ...msft, path: series([]), daily: series([]) };
    expect(baseRates(none, { horizon_kind: 'trading_days', horizon_value: 1 }, now)).toMatchObject({
      starts: 0,
      graded: 0,
    });
  });

  test('leave out windows that a submission may not have, and say why others have no outcome', () => {
    const day = pufaBars('1m').filter(({ start }) => start >= at('2024-06-18') && start < at('2024-06-19'));
    const pufa = { instrument: PUFA, path: series(day, '1m'), daily: series(pufaBars('1d')) };
    const short = baseRates(pufa, { horizon_kind: 'holding_seconds', horizon_value: 120 }, now);
    // A window that begins a minute before lunch holds less than two minutes of trading.
    const mayStart = day.filter(({ start }) => start + 2 * MINUTE <= (day.at(-1)?.end ?? 0)).length - 1;
    expect([short.starts, short.graded, Object.keys(short.ungraded)]).toEqual([
      mayStart,
      0,
      expect.arrayContaining(['coarse_prices']),
    ]);
  });

  test('do not count windows with a likely split', () => {
    const raw = amchartsBars('MSFT')
      .filter(({ start }) => start > at('2003-01-01') && start < at('2003-03-01'))
      .map((bar) => ({ ...bar, split: 1, total: 1 }));
    const known = { ...msft, path: series(raw), daily: series(raw) };
    const horizon = { horizon_kind: 'trading_days', horizon_value: 3 } as const;
    const unknown = baseRates(known, horizon, now);
    expect(unknown.ungraded.suspected_split).toBe(2);
    const split = { at: at('2003-02-18T14:30Z'), kind: 'split', value: 2, source: BAR_FILES } as const;
    const stated = baseRates({ ...known, known: { ...NO_ACTIONS_KNOWN, actions: [split] } }, horizon, now);
    expect([stated.ungraded.suspected_split, stated.graded]).toEqual([undefined, unknown.graded + 2]);
  });
});
