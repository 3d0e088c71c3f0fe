import { describe, expect, test } from '@jest/globals';
import { asTraded, judgeActions, unexplainedLeaps } from '../../../domain/market/action-witnesses.ts';
import type { CorporateAction } from '../../../domain/market/adjustment.ts';
import type { RawBar } from '../../../domain/market/bars.ts';
import { calendarOf } from '../../../domain/market/calendars/by-venue.ts';
import { DAY } from '../../../domain/time.ts';

const NYSE = calendarOf({ market: 'stock', venue: 'NYSE' });
const CRYPTO = calendarOf({ market: 'crypto', venue: 'KRAKEN' });
const MONDAY = Date.UTC(2026, 1, 2);

/** A daily bar of each session from Monday, 2 February 2026. */
function days(...prices: readonly number[]): readonly RawBar[] {
  return prices.map((price, index) => {
    const { open: start, close: end } = NYSE.nthFrom(MONDAY, index + 1);
    return { start, end, open: price, high: price, low: price, close: price, volume: 1, adj_close: null };
  });
}

const at = (index: number) => NYSE.nthFrom(MONDAY, index + 1).open;
const split = (index: number, value: number): CorporateAction => ({ at: at(index), kind: 'split', value });
const dividend = (index: number, value: number): CorporateAction => ({ at: at(index), kind: 'dividend', value });
const judge = (bars: readonly RawBar[], ...actions: readonly CorporateAction[]) =>
  judgeActions(NYSE, bars, actions, false);

describe('actions are held against the prices of their nights', () => {
  const halved = days(100, 102, 51, 50);

  test('one that brings the night nearer to no move fits', () => {
    expect(judge(halved, split(2, 2))).toEqual({ actions: [split(2, 2)], faults: [], moved: [], in_prices: 0 });
    expect(judge(days(100, 100, 70), dividend(2, 30)).faults).toEqual([]);
  });

  test('one whose effect the prices show a session beside takes effect there', () => {
    for (const wrong of [1, 3]) {
      const { actions, moved, faults } = judge(halved, split(wrong, 2));
      expect([actions, moved, faults]).toEqual([[split(2, 2)], [{ from: at(wrong), to: at(2) }], []]);
    }
  });

  test('any other contradicts, and says what to send', () => {
    const flat = days(100, 101, 102, 101);
    expect(judge(flat, split(2, 2)).faults).toMatchObject([
      { at: at(2), fault: expect.stringContaining('--already-adjusted') },
    ]);
    expect(judge(flat, split(2, 0.1)).faults).toHaveLength(1);
    expect(judge(flat, dividend(2, 40)).faults).toHaveLength(1);
  });

  test('prices that are adjusted for splits become those that were traded, and have dividends in them already', () => {
    const flat = days(100, 101, 102, 101);
    const traded = asTraded(flat, [split(2, 2)]);
    expect(traded.map(({ close, volume }) => [close, volume])).toEqual([
      [200, 0.5],
      [202, 0.5],
      [102, 1],
      [101, 1],
    ]);
    const judged = judgeActions(NYSE, traded, [split(2, 2), dividend(1, 0.5)], true);
    expect(judged).toMatchObject({ actions: [split(2, 2)], faults: [], in_prices: 1 });
  });

  test('small ones, and those without a price on both sides, are not tested', () => {
    const flat = days(100, 101, 102);
    expect(judge(flat, dividend(1, 15), split(0, 2), split(9, 2), split(2, 1.1)).faults).toEqual([]);
  });

  test('impossible ones are refused: pence for pounds, a split of 1', () => {
    const flat = days(100, 101, 102);
    expect(judge(flat, dividend(1, 90)).faults).toMatchObject([{ fault: expect.stringContaining('pence') }]);
    for (const value of [1, 5_001, 1 / 5_001]) expect(judge(flat, split(1, value)).faults).toHaveLength(1);
  });

  test('equal rows are one, dividends of a date add up, two splits of a date are refused', () => {
    const flat = days(100, 101, 102);
    expect(judge(flat, dividend(1, 1), dividend(1, 1), dividend(1, 2)).actions).toEqual([dividend(1, 3)]);
    expect(judge(days(100, 50, 50), split(1, 2), split(1, 3)).faults).toContainEqual({
      at: at(1),
      fault: 'two splits of one date; send one row with their product',
    });
  });
});

describe('night leaps that nothing explains', () => {
  const leaps = (bars: readonly RawBar[], actions: readonly CorporateAction[] = [], none: readonly number[] = []) =>
    unexplainedLeaps(NYSE, bars, actions, none);

  test('of more than 1.4, up or down, whatever their ratio', () => {
    expect(leaps(days(100, 72, 100, 141))).toEqual([{ date: '2026-02-05', ratio: 1.41, in_adj_close: false }]);
    expect(leaps(days(100, 12))).toMatchObject([{ date: '2026-02-03', ratio: 0.12 }]);
  });

  test('an action of the night that leaves at most 1.4, or a row that says none, explains one', () => {
    const halved = days(100, 100, 50);
    expect(leaps(halved, [split(2, 2)])).toEqual([]);
    expect(leaps(halved, [split(2, 4)])).toHaveLength(1);
    expect(leaps(halved, [split(1, 2)])).toHaveLength(1);
    expect(leaps(halved, [], [at(2)])).toEqual([]);
  });

  test('an adjusted close that accounts for one is said', () => {
    const [before, after] = days(100, 50) as [RawBar, RawBar];
    expect(
      leaps([
        { ...before, adj_close: 50 },
        { ...after, adj_close: 50 },
      ]),
    ).toMatchObject([{ in_adj_close: true }]);
  });

  test('those of coins are of more than 7', () => {
    const bar = (index: number, price: number): RawBar => ({
      start: index * DAY,
      end: (index + 1) * DAY,
      open: price,
      high: price,
      low: price,
      close: price,
      volume: 1,
      adj_close: null,
    });
    expect(unexplainedLeaps(CRYPTO, [bar(0, 100), bar(1, 15)], [], [])).toEqual([]);
    expect(unexplainedLeaps(CRYPTO, [bar(0, 100), bar(1, 14)], [], [])).toHaveLength(1);
  });
});
