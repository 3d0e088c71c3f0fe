import { describe, expect, test } from '@jest/globals';
import { carriedNights, carriedShare, longestFlatRun, tradedHistory } from '../../../../domain/grading/bars/history.ts';
import { neighbours } from '../../../../domain/grading/paths/volatility.ts';
import { calendarOf } from '../../../../domain/market/calendars/by-venue.ts';
import { amchartsBars, at, BTC, compounded, cryptoDays, MSFT, PUFA, pufaBars } from '../../market/real-bars.ts';

const [us, crypto] = [calendarOf(MSFT), calendarOf(BTC)];
const end = at('2024-03-09');
const days = (returns: readonly number[]) => cryptoDays(end, compounded(returns));
const historyOf = (...args: Parameters<typeof tradedHistory>) => {
  const history = tradedHistory(...args);
  if ('kind' in history) throw new Error(history.detail);
  return history;
};

describe('the history', () => {
  const moves = Array.from({ length: 25 }, (_, i) => (i % 2 ? 0.02 : -0.02));

  test('is the last twenty returns, and has no floor', () => {
    const { sigma_d, omega, bars, carriedOpens } = historyOf(crypto, days([0.5, ...moves]), end);
    expect([sigma_d.toFixed(9), omega, bars.length, carriedOpens]).toEqual(['0.020000000', null, 21, 0]);
  });

  test('has no day without trades, nor a return over one', () => {
    const bars = days(moves).map((bar, i) => {
      const flat = { open: bar.close, high: bar.close, low: bar.close, volume: 0 };
      return i === 20 ? { ...bar, ...flat } : bar;
    });
    const history = historyOf(crypto, bars, end);
    expect(history.bars).toHaveLength(22);
    expect(history.bars).not.toContain(bars[20]);
  });

  test('the volume is unknown where no day before the anchor has any', () => {
    const bars = days(moves);
    const silent = bars.map((bar, i) => ({ ...bar, volume: i < 25 ? 0 : 5 }));
    expect(historyOf(crypto, silent, end).volumeIsKnown).toBe(true);
    expect(historyOf(crypto, silent, end - 1).volumeIsKnown).toBe(false);
  });

  test('of a coin keeps a leap that would be a split of a stock', () => {
    expect(historyOf(crypto, days([...moves, Math.log(2)]), end).sigma_d).toBeGreaterThan(0.1);
  });

  test('counts opens that repeat the close before', () => {
    const bars = amchartsBars('MSFT').slice(-25);
    const carried = bars.map((bar, i) => ({ ...bar, open: (bars[i - 1]?.close ?? 1) + (i % 4 ? 0 : 0.01) }));
    expect(carriedShare(neighbours(us, carried))).toBe(0.75);
    expect(carriedShare([])).toBe(0);
    expect([carriedNights(us, carried), carriedNights(us, []), carriedNights(crypto, carried)]).toEqual([
      0.75,
      null,
      null,
    ]);
  });

  test('bars that repeat one price stand still, unless a volume shows whether they traded', () => {
    const bars = days(moves);
    const standing = (volume: number | null, others: number | null = null) =>
      bars.map((bar, i) => {
        const price = bars[i < 10 ? 3 : 12]?.close ?? 0;
        const isFlat = (i > 3 && i < 7) || (i > 12 && i < 20);
        const flat = { open: price, high: price, low: price, close: price, volume };
        return isFlat ? { ...bar, ...flat } : { ...bar, volume: others };
      });
    const longest = { bars: 7, price: bars[12]?.close, from: bars[13]?.start };
    expect([longestFlatRun(standing(null)), longestFlatRun(standing(0))]).toEqual([longest, longest]);
    expect(longestFlatRun(standing(null, 5))).toEqual(longest);
    expect([longestFlatRun(standing(0, 5)), longestFlatRun(standing(3, 5)), longestFlatRun([])]).toEqual([
      null,
      null,
      null,
    ]);
  });

  test('counts only the first open of a session in shorter bars, and no lunch break', () => {
    const minutes = pufaBars('1m').map((bar, i, all) => ({ ...bar, open: all[i - 1]?.close ?? bar.open }));
    const calendar = calendarOf(PUFA);
    const genuine = minutes.map((bar) =>
      calendar.currentOrNext(bar.start).open === bar.start ? { ...bar, open: 1 } : bar,
    );
    expect([carriedNights(calendar, minutes), carriedNights(calendar, genuine)]).toEqual([1, 0]);
  });
});
