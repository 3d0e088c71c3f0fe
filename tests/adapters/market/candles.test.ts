import { describe, expect, test } from '@jest/globals';
import { type Candle, candlesOf, MalformedAnswer, seriesOf } from '../../../adapters/market/candles.ts';
import { HOUR, MINUTE, SECOND } from '../../../domain/time.ts';

const NOON = Date.UTC(2026, 2, 2, 12);
const COLUMNS = { start: 0, low: 1, high: 2, open: 3, close: 4, volume: 5 };
const candle = (start: number, close = 2): Candle => ({ start, open: 1, high: 3, low: 1, close, volume: 5 });
const closesOf = (candles: readonly Candle[]) => seriesOf('test', '1m', candles).bars.map(({ close }) => close);

describe('a row', () => {
  test('is read by its columns, in text or in numbers, in the unit of its time', () => {
    const expected = { start: NOON, low: 1, high: 3, open: 1.5, close: 2, volume: 0.25 };
    expect(candlesOf([[NOON / SECOND, 1, 3, 1.5, 2, 0.25]], COLUMNS, SECOND)).toEqual([expected]);
    expect(candlesOf([[`${NOON}`, '1', '3.0', '1.50', '2', '2.5e-1']], COLUMNS, 1)).toEqual([expected]);
  });

  test.each(['', ' 1', '-1', '+1', '1,5', '0x1', 'Infinity', 'NaN', null, true, [1], {}])(
    'keeps its place when a price is %j',
    (price) => {
      expect(candlesOf([[NOON, price, 3, 1, 2, 5]], COLUMNS, 1)[0]?.low).toBeNaN();
    },
  );

  test.each([undefined, null, '', 'noon', -1, 1.5, '2026-03-02T12:00:00Z', NOON * SECOND])(
    'makes the whole answer malformed when its time is %j',
    (time) => {
      const rows = [
        [NOON, 1, 3, 1, 2, 5],
        [time, 1, 3, 1, 2, 5],
      ];
      expect(() => candlesOf(rows, COLUMNS, 1)).toThrow(MalformedAnswer);
    },
  );
});

describe('a series', () => {
  test('ascends, whatever the order of the candles', () => {
    expect(closesOf([candle(NOON + MINUTE, 3), candle(NOON, 1), candle(NOON + 2 * MINUTE, 2)])).toEqual([1, 3, 2]);
  });

  test('has each candle once, as it was sent last', () => {
    expect(closesOf([candle(NOON, 1), candle(NOON + MINUTE), candle(NOON, 3)])).toEqual([3, 2]);
  });

  test.each([
    ['lies between the bars of its size', candle(NOON + SECOND)],
    ['has no volume that can be read', { ...candle(NOON), volume: Number.NaN }],
    ['has a price of zero', { ...candle(NOON), low: 0 }],
    ['has a high below its close', { ...candle(NOON), high: 1.5 }],
  ])('drops and counts a candle that %s', (_, wrong) => {
    expect(seriesOf('test', '1m', [wrong, candle(NOON + MINUTE)])).toMatchObject({
      bars: [{ start: NOON + MINUTE }],
      dropped: 1,
    });
  });

  test('has no day that begins in another time zone', () => {
    const hongKong = Date.UTC(2026, 2, 1, 16);
    expect(seriesOf('test', '1d', [candle(hongKong)])).toMatchObject({ bars: [], dropped: 1 });
  });

  test('has bars as long as its size, on the units that they were traded in', () => {
    const [bar] = seriesOf('test', '1h', [candle(NOON)]).bars;
    expect(bar).toEqual({ ...candle(NOON), end: NOON + HOUR, split: 1, total: 1 });
  });
});
