import { lengthOf } from '../../domain/market/bar-size.ts';
import type { Bar, BarSize } from '../../domain/market/bars.ts';
import type { BarSeries } from '../../domain/market/market-data.ts';
import { soundBars } from '../../domain/market/sound-bars.ts';
import type { Millis } from '../../domain/time.ts';
import { listOf, numberOf, timeOf } from './answer.ts';

/** A bar as an exchange sends it; a price that could not be read is NaN. */
export interface Candle extends Pick<Bar, 'open' | 'high' | 'low' | 'close'> {
  readonly start: Millis;
  readonly volume: number;
}

/** Where the fields of a candle lie in an exchange's row. */
export type CandleColumns = Readonly<Record<keyof Candle, number>>;

/**
 * Rows as candles. A row without a time makes the answer malformed, because it is not known which one is missing; prices
 * that cannot be read cost that row alone.
 */
export function candlesOf(rows: unknown, columns: CandleColumns, unit: Millis): Candle[] {
  return listOf(rows).map((row) => {
    const cells = listOf(row);
    const cell = (name: keyof Candle) => cells[columns[name]];
    return {
      start: timeOf(cell('start'), unit),
      open: numberOf(cell('open')),
      high: numberOf(cell('high')),
      low: numberOf(cell('low')),
      close: numberOf(cell('close')),
      volume: numberOf(cell('volume')),
    };
  });
}

/** Candles in whatever order and number as one series: each once, the one sent last, and only on the grid of the size. */
export function seriesOf(source: string, size: BarSize, candles: readonly Candle[]): BarSeries {
  const length = lengthOf(size);
  const each = [...new Map(candles.map((candle) => [candle.start, candle])).values()];
  const bars = each
    .filter(({ start, volume }) => start % length === 0 && volume >= 0)
    .sort((a, b) => a.start - b.start)
    .map((candle) => ({ ...candle, end: candle.start + length, split: 1, total: 1 }));
  const sound = soundBars(bars).bars;
  return { source, size, bars: sound, dropped: each.length - sound.length };
}
