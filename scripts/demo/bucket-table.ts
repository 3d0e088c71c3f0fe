import { RESULT_BUCKETS } from '../../domain/grading/outcome.ts';
import type { Cast } from './agents.ts';
import type { Grades } from './grades.ts';
import type { Acknowledgement } from './records.ts';

/** Raw counts per agent, in the order of the list: facts without rates or rankings. */
export function bucketTable({ agents }: Cast, records: readonly Acknowledgement[], grades: Grades): string {
  const rows = agents.map(({ name, about }) => {
    const own = records.filter(({ agent }) => agent === name);
    const counts = RESULT_BUCKETS.map(
      (bucket) => own.filter(({ record_id }) => grades.get(record_id)?.result_bucket === bucket).length,
    );
    return [name, ...[own.length, ...counts].map(String), about];
  });
  const head = ['agent', 'decisions', ...RESULT_BUCKETS, 'what it does'];
  return [head, ...rows].map((cells) => line(cells)).join('\n');
}

const WIDTHS = [12, 9, 14, 12, 14, 16];

function line(cells: readonly string[]): string {
  return cells
    .map((cell, column) => {
      const width = WIDTHS[column] ?? 0;
      return column === 0 || width === 0 ? cell.padEnd(width) : cell.padStart(width);
    })
    .join('  ');
}
