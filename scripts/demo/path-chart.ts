import type { PriceTargets } from '../../domain/decisions/call.ts';
import type { OutcomeFacts, StoredBar } from '../../domain/grading/outcome.ts';
import type { Excursion } from '../../domain/grading/paths/path-facts.ts';

/** The parts of a record in a chart. */
export type Charted = Pick<OutcomeFacts, 'entry' | 'exit' | 'mfe' | 'mae'> & { readonly bars: readonly StoredBar[] };

const ROWS = 15;
const COLUMNS = 60;

/**
 * The path of a record as text: a column per bar (or per few), `│` from low to high, `●` at its close, and to the right
 * the levels: entry, exit, targets and stop. Below, where the largest favourable and adverse moves were.
 */
export function pathChart({ bars, entry, exit, mfe, mae }: Charted, { targets = [], stop_loss }: PriceTargets): string {
  const columns = columnsOf(bars);
  const levels = [
    { label: 'entry', price: entry.price },
    { label: 'exit', price: columns.at(-1)?.close ?? exit.price },
    ...targets.map(({ price }, index) => ({ label: `target ${index + 1}`, price })),
    ...(stop_loss ? [{ label: `stop (${stop_loss.kind})`, price: stop_loss.price }] : []),
  ];
  const prices = [...columns.flatMap(({ low, high }) => [low, high]), ...levels.map(({ price }) => price)];
  const [bottom, top] = [Math.min(...prices), Math.max(...prices)];
  const rowOf = (price: number) => Math.round(((top - price) / (top - bottom || 1)) * (ROWS - 1));
  const rows = Array.from({ length: ROWS }, (_, row) => {
    const labels = levels.filter(({ price }) => rowOf(price) === row);
    const cells = columns.map((column) => cellOf(column, row, rowOf)).join('');
    const name = labels.map(({ label, price }) => `${label} ${price.toFixed(2)}`).join(', ');
    return `  ${labels.length > 0 ? cells.replaceAll(' ', '┄') : cells}  ${name ? `◂ ${name}` : ''}`.trimEnd();
  });
  return [...rows, ...marks(columns, mfe, mae)].join('\n');
}

interface Column {
  readonly low: number;
  readonly high: number;
  readonly close: number;
  readonly ends: readonly string[];
}

/** Converts to the units of the first bar, before any splits. */
function columnsOf(bars: readonly StoredBar[]): Column[] {
  const unit = bars[0]?.split ?? 1;
  const per = Math.max(1, Math.ceil(bars.length / COLUMNS));
  return Array.from({ length: Math.ceil(bars.length / per) }, (_, index) => {
    const own = bars.slice(index * per, (index + 1) * per);
    const inUnits = (price: number, split: number) => (price * split) / unit;
    return {
      low: Math.min(...own.map(({ low, split }) => inUnits(low, split))),
      high: Math.max(...own.map(({ high, split }) => inUnits(high, split))),
      close: own.map(({ close, split }) => inUnits(close, split)).at(-1) ?? Number.NaN,
      ends: own.map(({ end }) => end),
    };
  });
}

function cellOf({ low, high, close }: Column, row: number, rowOf: (price: number) => number): string {
  const mark = rowOf(close) === row ? '●' : row >= rowOf(high) && row <= rowOf(low) ? '│' : ' ';
  return `${mark} `;
}

function marks(columns: readonly Column[], mfe: Excursion | null, mae: Excursion): string[] {
  const at = (time: string | undefined) => columns.findIndex(({ ends }) => ends.some((end) => end === time));
  const place = (name: string, time: string | undefined) => {
    const index = at(time);
    return index < 0 ? [] : [`  ${' '.repeat(2 * index)}▲ ${name}`];
  };
  return [...place('largest favourable move (MFE)', mfe?.time), ...place('largest adverse move (MAE)', mae.time)];
}
