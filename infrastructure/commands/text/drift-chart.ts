import type { Peg } from '../../../domain/circuits/peg.ts';
import { CIRCUIT } from '../../../domain/limits.ts';
import { DAY, type Millis, rfc3339 } from '../../../domain/time.ts';
import { priceText } from './price-chart.ts';

const ROWS = 9;
const COLUMNS = 72;
const SPAN: Millis = DAY;

/** The threshold that counts for a recovery is drawn as a line. */
const LINE = CIRCUIT.subThresholdBps;

/**
 * Drift in bps over the 24 h that end now, as text: a column for 20 minutes, `│` from the least to the most and `●` at the
 * last, nothing where nobody observed; null without any observation in that time.
 */
export function driftChart(observations: readonly Peg[], now: Date): string | null {
  const from = now.getTime() - SPAN;
  const columns = columnsOf(observations, from);
  const drifts = columns.flatMap((column) => (column ? [column.high] : []));
  if (drifts.length === 0) return null;
  const step = Math.max(CIRCUIT.tripBps, ...drifts) / (ROWS - 1);
  const rowOf = (drift: number) => ROWS - 1 - Math.round(drift / step);
  const labels = Array.from({ length: ROWS }, (_, row) => (row % 4 === 0 ? priceText((ROWS - 1 - row) * step) : ''));
  const width = Math.max(...labels.map(({ length }) => length));
  const rows = labels.map((label, row) => {
    const cells = columns.map((column) => cell(column, row, rowOf)).join('');
    return `${label.padStart(width)} ┤${cells}`.trimEnd();
  });
  const [first, last] = [from, now].map((at) => `${rfc3339(at).slice(0, 16)}Z`);
  return [...rows, `${' '.repeat(width + 2)}${first}${last?.padStart(COLUMNS - (first?.length ?? 0))}`].join('\n');
}

interface Column {
  readonly low: number;
  readonly high: number;
  readonly last: number;
}

function columnsOf(observations: readonly Peg[], from: Millis): readonly (Column | null)[] {
  const columns: (Column | null)[] = Array.from({ length: COLUMNS }, () => null);
  for (const { drift_bps: drift, observed_at } of observations) {
    const place = Math.min(COLUMNS - 1, Math.floor(((observed_at.getTime() - from) / SPAN) * COLUMNS));
    if (place < 0) continue;
    const { low, high } = columns[place] ?? { low: drift, high: drift };
    columns[place] = { low: Math.min(low, drift), high: Math.max(high, drift), last: drift };
  }
  return columns;
}

function cell(column: Column | null, row: number, rowOf: (drift: number) => number): string {
  if (column && rowOf(column.last) === row) return '●';
  if (column && row > rowOf(column.high) - 1 && row < rowOf(column.low) + 1) return '│';
  return row === rowOf(LINE) ? '┄' : ' ';
}
