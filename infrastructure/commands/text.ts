import type { Peg } from '../../domain/circuits/peg.ts';
import { CIRCUIT } from '../../domain/limits.ts';
import type { Bar } from '../../domain/market/bars.ts';
import { DAY, type Millis, rfc3339, utcDate } from '../../domain/time.ts';

/**
 * A table for a terminal: columns as wide as their widest cell, those of numbers at the right. Whatever somebody wrote into
 * a cell stays in it.
 */
export function table(headers: readonly string[], rows: readonly (readonly string[])[]): string {
  const shown = rows.map((row) => row.map(printable));
  const columns = headers.map((header, index) => [header, ...shown.map((row) => row[index] ?? '')]);
  const widths = columns.map((cells) => Math.max(...cells.map(({ length }) => length)));
  const right = columns.map(([, ...cells]) => cells.length > 0 && cells.every((cell) => /^[-+\d.,]*$/.test(cell)));
  const line = (cells: readonly string[]) =>
    widths
      .map((width, index) => (right[index] ? (cells[index] ?? '').padStart(width) : (cells[index] ?? '').padEnd(width)))
      .join('  ')
      .trimEnd();
  return [line(headers), widths.map((width) => '-'.repeat(width)).join('  '), ...shown.map(line)].join('\n');
}

/** The cells of a row by their header. */
export type Columns<Row> = Readonly<Record<string, (row: Row) => string>>;

export function tableOf<Row>(columns: Columns<Row>, rows: readonly Row[]): string {
  const cells = Object.values(columns);
  return table(
    Object.keys(columns),
    rows.map((row) => cells.map((cellOf) => cellOf(row))),
  );
}

/** Such as `2026-03-02T14:30:05Z`. */
export function secondOf(at: Date): string {
  return `${rfc3339(at).slice(0, 19)}Z`;
}

/** What could move the cursor, begin a line or turn the writing round is shown as its code. */
export function printable(text: string): string {
  return text.replace(/[\p{Cc}\p{Cf}\u2028\u2029]/gu, (one) => `\\u{${one.codePointAt(0)?.toString(16)}}`);
}

const PRICE_ROWS = 15;
/** Of a chart. */
const COLUMNS = 72;

/**
 * Bars as text: a column per bar, or per few, `│` from low to high and `●` at its close, prices at the left, dates below.
 * Prices are split-adjusted, in units of the newest bar; null for no bars.
 */
export function priceChart(bars: readonly Bar[]): string | null {
  const columns = priceColumns(bars);
  const [first, last] = [bars.at(0), bars.at(-1)];
  if (!first || !last) return null;
  const [bottom, top] = [Math.min(...columns.map(({ low }) => low)), Math.max(...columns.map(({ high }) => high))];
  const step = (top - bottom) / (PRICE_ROWS - 1);
  const rowOf = (price: number) => (step === 0 ? 0 : Math.round((top - price) / step));
  const labels = Array.from({ length: PRICE_ROWS }, (_, row) => (row % 7 === 0 ? priceText(top - row * step) : ''));
  const width = Math.max(...labels.map(({ length }) => length));
  const rows = labels.map(
    (label, row) => `${label.padStart(width)} ┤${columns.map((each) => priceCell(each, row, rowOf)).join('')}`,
  );
  const [from, to] = [utcDate(first.start), utcDate(last.end)];
  const dates = `${from}${to.padStart(Math.max(columns.length - from.length, to.length + 1))}`;
  return [...rows.map((row) => row.trimEnd()), `${' '.repeat(width + 2)}${dates}`].join('\n');
}

interface PriceColumn {
  readonly low: number;
  readonly high: number;
  readonly close: number;
}

function priceColumns(bars: readonly Bar[]): readonly PriceColumn[] {
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

function priceCell({ low, high, close }: PriceColumn, row: number, rowOf: (price: number) => number): string {
  if (rowOf(close) === row) return '●';
  return row >= rowOf(high) && row <= rowOf(low) ? '│' : ' ';
}

/** Five digits that count, whatever the price. */
export function priceText(price: number): string {
  return String(Number(price.toPrecision(6)));
}

const DRIFT_ROWS = 9;
const SPAN: Millis = DAY;

/** The threshold that counts for a recovery is drawn as a line. */
const LINE = CIRCUIT.subThresholdBps;

/**
 * Drift in bps over the 24 h that end now, as text: a column for 20 minutes, `│` from the least to the most and `●` at the
 * last, nothing where nothing was observed; null without any observation in that time.
 */
export function driftChart(observations: readonly Peg[], now: Date): string | null {
  const from = now.getTime() - SPAN;
  const columns = driftColumns(observations, from);
  const drifts = columns.flatMap((column) => (column ? [column.high] : []));
  if (drifts.length === 0) return null;
  const step = Math.max(CIRCUIT.tripBps, ...drifts) / (DRIFT_ROWS - 1);
  const rowOf = (drift: number) => DRIFT_ROWS - 1 - Math.round(drift / step);
  const labels = Array.from({ length: DRIFT_ROWS }, (_, row) =>
    row % 4 === 0 ? priceText((DRIFT_ROWS - 1 - row) * step) : '',
  );
  const width = Math.max(...labels.map(({ length }) => length));
  const rows = labels.map((label, row) => {
    const cells = columns.map((column) => driftCell(column, row, rowOf)).join('');
    return `${label.padStart(width)} ┤${cells}`.trimEnd();
  });
  const [first, last] = [from, now].map((at) => `${rfc3339(at).slice(0, 16)}Z`);
  return [...rows, `${' '.repeat(width + 2)}${first}${last?.padStart(COLUMNS - (first?.length ?? 0))}`].join('\n');
}

interface DriftColumn {
  readonly low: number;
  readonly high: number;
  readonly last: number;
}

function driftColumns(observations: readonly Peg[], from: Millis): readonly (DriftColumn | null)[] {
  const columns: (DriftColumn | null)[] = Array.from({ length: COLUMNS }, () => null);
  for (const { drift_bps: drift, observed_at } of observations) {
    const place = Math.min(COLUMNS - 1, Math.floor(((observed_at.getTime() - from) / SPAN) * COLUMNS));
    if (place < 0) continue;
    const { low, high } = columns[place] ?? { low: drift, high: drift };
    columns[place] = { low: Math.min(low, drift), high: Math.max(high, drift), last: drift };
  }
  return columns;
}

function driftCell(column: DriftColumn | null, row: number, rowOf: (drift: number) => number): string {
  if (column && rowOf(column.last) === row) return '●';
  if (column && row > rowOf(column.high) - 1 && row < rowOf(column.low) + 1) return '│';
  return row === rowOf(LINE) ? '┄' : ' ';
}
