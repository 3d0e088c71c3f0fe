import { describe, expect, test } from '@jest/globals';
import { unexplainedLeaps } from '../../../domain/grading/unexplained-leaps.ts';
import { type CorporateAction, factorsOf } from '../../../domain/market/adjustment.ts';
import { calendarOf } from '../../../domain/market/calendars/by-venue.ts';
import { NO_ACTIONS_KNOWN } from '../../../domain/market/market-data.ts';
import { DAY } from '../../../domain/time.ts';

const NYSE = calendarOf({ market: 'stock', venue: 'NYSE' });
const CRYPTO = calendarOf({ market: 'crypto', venue: 'KRAKEN' });
const MONDAY = Date.UTC(2026, 1, 2);

const at = (index: number) => NYSE.nthFrom(MONDAY, index + 1).open;
const split = (index: number, value: number): CorporateAction => ({ at: at(index), kind: 'split', value });
const dividend = (index: number, value: number): CorporateAction => ({ at: at(index), kind: 'dividend', value });

/** A daily bar of each session from Monday, 2 February 2026, adjusted by the actions. */
function days(prices: readonly number[], actions: readonly CorporateAction[] = []) {
  const rows = prices.map((price, index) => {
    const { open: start, close: end } = NYSE.nthFrom(MONDAY, index + 1);
    return { start, end, open: price, high: price, low: price, close: price, volume: 1, adj_close: null };
  });
  const factors = factorsOf(rows, actions);
  return rows.map(({ adj_close: _, ...bar }) => ({ ...bar, ...factors(bar.start) }));
}

const found = (prices: readonly number[], actions: readonly CorporateAction[] = [], none: readonly string[] = []) =>
  unexplainedLeaps(NYSE, { size: '1d', bars: days(prices, actions) }, { ...NO_ACTIONS_KNOWN, none });

describe('night leaps that nothing explains', () => {
  test('of more than 1.4, up or down, whatever their ratio, with what answers them', () => {
    expect(found([100, 72, 100, 141]).leaps).toEqual([
      {
        ...{ at: '2026-02-05T14:30:00.000Z', from: 100, to: 141, ratio: 1.41 },
        answer:
          'In --actions send 2026-02-05,split,0.7092 if it was a split, 2026-02-05,none if the price really moved so; ' +
          '--actions-until 2026-02-05 or later says that the file has every action up to then.',
      },
    ]);
    const [beyond] = found([100, 12]).leaps;
    expect(beyond).toMatchObject({ ratio: 0.12, answer: expect.not.stringContaining('--actions-until') });
  });

  test('an action of the night that leaves at most 1.4, or a row that says none, explains one', () => {
    const halved = [100, 100, 50];
    expect(found(halved, [split(2, 2)]).leaps).toEqual([]);
    expect(found(halved, [split(2, 3)]).leaps).toHaveLength(1);
    // Dated a session late, the third of all.
    expect(found([102, 51, 50], [split(2, 2)])).toMatchObject({ leaps: [], contradicted: [] });
    expect(found(halved, [], ['2026-02-04']).leaps).toEqual([]);
    expect(found([100, 100, 50, 50], [dividend(2, 50)])).toMatchObject({ leaps: [], contradicted: [] });
  });

  test('prices that no grading uses are listed, and are no leaps', () => {
    const prices = days([100, 101, 102, 103]).map((bar, index) =>
      index === 1 ? { ...bar, high: 10_100, close: 10_100 } : bar,
    );
    expect(unexplainedLeaps(NYSE, { size: '1d', bars: prices }, NO_ACTIONS_KNOWN)).toEqual({
      ...{ leaps: [], contradicted: [], open_run: null },
      left_out: [{ time: '2026-02-03T21:00:00.000Z', at: 'close', price: 10_100 }],
    });
    expect(unexplainedLeaps(NYSE, { size: '1d', bars: prices.slice(0, 2) }, NO_ACTIONS_KNOWN)).toMatchObject({
      open_run: { time: '2026-02-03T21:00:00.000Z', at: 'close', price: 10_100 },
      left_out: [],
    });
  });

  test('those of coins are of more than 7', () => {
    const bars = (...prices: readonly number[]) =>
      prices.map((price, index) => ({
        ...{ start: index * DAY, end: (index + 1) * DAY, volume: 1, split: 1, total: 1 },
        ...{ open: price, high: price, low: price, close: price },
      }));
    const leaps = (...prices: readonly number[]) =>
      unexplainedLeaps(CRYPTO, { size: '1d', bars: bars(...prices) }, NO_ACTIONS_KNOWN).leaps;
    expect(leaps(100, 15)).toEqual([]);
    expect(leaps(100, 14)).toMatchObject([{ answer: expect.not.stringContaining('split') }]);
  });
});

describe('actions are held against the prices of their nights', () => {
  const halved = [100, 102, 51, 50];

  test('one that the prices show there, or one session earlier or later, explains the leap', () => {
    for (const index of [1, 2, 3])
      expect(found(halved, [split(index, 2)])).toMatchObject({ leaps: [], contradicted: [] });
  });

  test('one of the first session explains the leap of the next night, one after the newest bar that of the last', () => {
    const known = (index: number) => ({ ...NO_ACTIONS_KNOWN, actions: [{ ...split(index, 2), source: 'bar-files' }] });
    const leaps = (prices: readonly number[], index: number) =>
      unexplainedLeaps(NYSE, { size: '1d', bars: days(prices, [split(index, 2)]) }, known(index)).leaps.length;
    expect([leaps([100, 51, 50], 0), leaps([100, 102, 51], 3)]).toEqual([0, 0]);
    // The other way, in another night, or two sessions later.
    const others = [
      leaps([100, 204, 205], 0),
      leaps([100, 101, 50], 0),
      leaps([100, 102, 51], 4),
      leaps([100, 51, 50], 4),
    ];
    expect(others).toEqual([1, 1, 1, 1]);
  });

  test('any other contradicts them, and the leap that it makes is not another finding', () => {
    const flat = [100, 101, 102, 101];
    expect(found(flat, [split(2, 2)])).toMatchObject({ leaps: [], contradicted: ['2026-02-04'] });
    expect(found(flat, [split(2, 0.1)]).contradicted).toHaveLength(1);
    expect(found(flat, [dividend(2, 40)]).contradicted).toHaveLength(1);
  });

  test('small ones, and those without a price on both sides, are not tested', () => {
    const actions = [dividend(1, 15), split(0, 2), split(9, 2), split(2, 1.1)];
    expect(found([100, 101, 102], actions)).toMatchObject({ leaps: [], contradicted: [] });
  });
});
