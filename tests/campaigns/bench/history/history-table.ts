import type { Measured } from '../measured.ts';

/** The measurements of an operation, one for each size, the smallest first. */
export interface OperationRow {
  readonly name: string;
  readonly bySize: readonly Measured[];
}

/** The most that the median of the largest history may be, as a multiple of that of the smallest. */
const AIM = 2;

/** A table of the times and the CPU of each operation in histories of these sizes. */
export function historyTable(sizes: readonly number[], rows: readonly OperationRow[]): string {
  const width = Math.max(...rows.map(({ name }) => name.length));
  const heads = [...sizes.map((size) => size.toLocaleString('en')), 'ratio']
    .map((head) => head.padStart(WIDTH))
    .join('');
  const group = WIDTH * (sizes.length + 1);
  const lines = rows.map(({ name, bySize }) => {
    const parts = [column(bySize, 'p50', 1), column(bySize, 'cpu', 0)];
    const met = ratioOf(bySize, 'p50') <= AIM ? '  met' : '  missed';
    return `${name.padEnd(width)}${parts.join('')}${met}`;
  });
  return [
    `${''.padEnd(width)}${'p50, ms'.padStart(group)}${'CPU, us'.padStart(group)}`,
    `${''.padEnd(width)}${heads}${heads}  p50 at most ${AIM} times`,
    ...lines,
  ].join('\n');
}

const WIDTH = 12;

function column(bySize: readonly Measured[], field: 'p50' | 'cpu', digits: number): string {
  const values = bySize.map((measured) => measured[field].toFixed(digits));
  return [...values, ratioOf(bySize, field).toFixed(2)].map((value) => value.padStart(WIDTH)).join('');
}

function ratioOf(bySize: readonly Measured[], field: 'p50' | 'cpu'): number {
  return (bySize.at(-1)?.[field] ?? Number.NaN) / (bySize[0]?.[field] ?? Number.NaN);
}
