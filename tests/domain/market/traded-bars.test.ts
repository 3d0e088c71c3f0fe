import { expect, test } from '@jest/globals';
import { hasVolume, isUntraded, tradedBars } from '../../../domain/market/bars.ts';
import { at, cryptoDays } from './real-bars.ts';

const [ranged, flat] = cryptoDays(at('2024-03-09'), [100, 101]).toReversed();
if (!ranged || !flat) throw new Error('There are no bars');

test('a bar with one price and a volume of 0 has no trade', () => {
  expect(isUntraded({ ...flat, volume: 0 })).toBe(true);
  expect(
    [
      { ...flat, volume: 1 },
      { ...flat, volume: null },
      { ...ranged, volume: 0 },
    ].map(isUntraded),
  ).toEqual([false, false, false]);
});

test('each of the four prices counts', () => {
  const off = (price: object) => isUntraded({ ...flat, volume: 0, ...price });
  expect([{ open: 99 }, { high: 102 }, { low: 99 }, { close: 99 }].map(off)).toEqual([false, false, false, false]);
});

test('where the volume is unknown, every bar counts as traded', () => {
  const bars = [{ ...flat, volume: 0 }, ranged];
  expect(tradedBars(bars, true)).toEqual([ranged]);
  expect(tradedBars(bars, false)).toBe(bars);
});

test('a series without any volume does not know it', () => {
  expect(
    hasVolume([
      { ...flat, volume: 0 },
      { ...ranged, volume: null },
    ]),
  ).toBe(false);
  expect(hasVolume([{ ...flat, volume: 0 }, ranged])).toBe(true);
});
