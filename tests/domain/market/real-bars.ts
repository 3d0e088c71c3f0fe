import { readFileSync } from 'node:fs';
import type { Bar, BarSize } from '../../../domain/market/bars.ts';
import { calendarOf } from '../../../domain/market/calendars/by-venue.ts';
import type { Instrument } from '../../../domain/market/instrument.ts';
import type { BarSeries } from '../../../domain/market/market-data.ts';
import { DAY } from '../../../domain/time.ts';

const root = new URL('../../../', import.meta.url);

export const SPX: Instrument = {
  market: 'stock',
  symbol: 'SPX',
  venue: 'NYSE',
  asset_class: 'spot',
  quote_currency: 'USD',
};
export const MSFT: Instrument = { ...SPX, symbol: 'MSFT', venue: 'NASDAQ' };
export const PUFA: Instrument = { ...SPX, symbol: '600000', venue: 'SSE', quote_currency: 'CNY' };
export const BTC: Instrument = {
  market: 'crypto',
  symbol: 'BTC',
  venue: 'COINBASE',
  asset_class: 'spot',
  quote_currency: 'USD',
};

/** The UTC instant of a text such as `2003-02-13T14:30Z`. */
export function at(text: string): number {
  return Date.parse(text);
}

/** The S&P 500 index, 2000-01-03 to 2020-04-17. */
export function spxBars(): Bar[] {
  return rowsOf('scripts/prices/node_modules/vega-datasets/data/sp500-2000.csv').map(([date = '', ...row]) => {
    const [open = 0, high = 0, low = 0, close = 0, , volume = 0] = row.map(Number);
    return { ...usDay(date), open, high, low, close, volume, split: 1, total: 1 };
  });
}

/** MSFT or TXN, 2000-01-03 to 2014-08-08; MSFT split 2:1 on 2003-02-18, TXN 2:1 on 2000-05-23. */
export function amchartsBars(symbol: 'MSFT' | 'TXN'): Bar[] {
  const ex = { MSFT: '2003-02-18', TXN: '2000-05-23' }[symbol];
  return rowsOf(`scripts/prices/node_modules/amcharts3/amcharts/plugins/dataloader/examples/data/${symbol}.csv`)
    .map(([date = '', ...row]) => {
      const [open = 0, high = 0, low = 0, close = 0, volume = 0, adjusted = 0] = row.map(Number);
      return { ...usDay(date), open, high, low, close, volume, split: date < ex ? 0.5 : 1, total: adjusted / close };
    })
    .reverse();
}

/** 600000 in Shanghai from the committed fixture. */
export function pufaBars(size: '1m' | '1d'): Bar[] {
  return rowsOf(`tests/fixtures/bars/stock/SSE/spot/600000-CNY/${size}.csv`).map(([start = '', end = '', ...row]) => {
    const [open = 0, high = 0, low = 0, close = 0, volume = 0] = row.map(Number);
    return { start: at(start), end: at(end), open, high, low, close, volume, split: 1, total: 1 };
  });
}

export function series(bars: readonly Bar[], size: BarSize = '1d', dropped = 0): BarSeries {
  return { source: 'test', size, bars, dropped };
}

/** Closes that start at 100 and move by the given log returns. */
export function compounded(returns: readonly number[]): number[] {
  const closes = [100];
  for (const r of returns) closes.push((closes.at(-1) ?? 100) * Math.exp(r));
  return closes;
}

/** One bar per UTC day with the given closes, the last ending at `end`; each opens where the one before closed. */
export function cryptoDays(end: number, closes: readonly number[]): Bar[] {
  return closes.map((close, i) => {
    const start = end - (closes.length - i) * DAY;
    const open = closes[i - 1] ?? close;
    const [high, low] = [Math.max(open, close), Math.min(open, close)];
    return { start, end: start + DAY, open, high, low, close, volume: 1, split: 1, total: 1 };
  });
}

function usDay(date: string): Pick<Bar, 'start' | 'end'> {
  const { open, close } = calendarOf(SPX).currentOrNext(at(date));
  return { start: open, end: close };
}

function rowsOf(path: string): string[][] {
  const lines = readFileSync(new URL(path, root), 'utf8').trim().split(/\r?\n/);
  return lines.slice(1).map((line) => line.split(','));
}
