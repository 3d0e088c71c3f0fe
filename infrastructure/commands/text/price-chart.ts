import type { Bar } from '../../../domain/market/bars.ts';
import { utcDate } from '../../../domain/time.ts';

const ROWS = 15;
const COLUMNS = 72;

/**
 * Bars as text: a column per bar, or per few, `│` from low to high and `●` at its close, prices at the left, dates below.
 * Prices are split-adjusted, in units of the newest bar; null for no bars.
 */
export function priceChart(bars: readonly Bar[]): string | null {
  const columns = columnsOf(bars);
  const [first, last] = [bars.at(0), bars.at(-1)];
  if (!first || !last) return null;
  const [bottom, top] = [Math.min(...columns.map(({ low }) => low)), Math.max(...columns.map(({ high }) => high))];
  const step = (top - bottom) / (ROWS - 1);
  const rowOf = (price: number) => (step === 0 ? 0 : Math.round((top - price) / step));
  const labels = Array.from({ length: ROWS }, (_, row) => (row % 7 === 0 ? priceText(top - row * step) : ''));
  const width = Math.max(...labels.map(({ length }) => length));
  const rows = labels.map(
    (label, row) => `${label.padStart(width)} ┤${columns.map((each) => cell(each, row, rowOf)).join('')}`,
  );
  const [from, to] = [utcDate(first.start), utcDate(last.end)];
  const dates = `${from}${to.padStart(Math.max(columns.length - from.length, to.length + 1))}`;
  return [...rows.map((row) => row.trimEnd()), `${' '.repeat(width + 2)}${dates}`].join('\n');
}

interface Column {
  readonly low: number;
  readonly high: number;
  readonly close: number;
}

function columnsOf(bars: readonly Bar[]): readonly Column[] {
  const per = Math.max(1, Math.ceil(bars.length / COLUMNS));
  return Array.from({ length: Math.ceil(bars.length / per) }, (_, index) => {
    const own = bars.slice(index * per, (index + 1) * per);
    return {
      low: Math.min(...own.map(({ low, split }) => low * split)),
      high: Math.max(...own.map(({ high, split }) => high * split)),
      close: own.map(({ close, split }) => close * split).at(-1) ?? Number.NaN,
    };
  });
}

function cell({ low, high, close }: Column, row: number, rowOf: (price: number) => number): string {
  if (rowOf(close) === row) return '●';
  return row >= rowOf(high) && row <= rowOf(low) ? '│' : ' ';
}

/** Five digits that count, whatever the price. */
export function priceText(price: number): string {
  return String(Number(price.toPrecision(6)));
}
