/** The months from the first to the last of these, none left out, as `2026-01`. */
export function monthsBetween(months: readonly string[]): readonly string[] {
  const numbers = months.map(numberOf);
  const [first, last] = [Math.min(...numbers), Math.max(...numbers)];
  if (!Number.isFinite(first) || !Number.isFinite(last)) return [];
  return Array.from({ length: last - first + 1 }, (_, n) => textOf(first + n));
}

function numberOf(month: string): number {
  const [year = 0, of = 1] = month.split('-').map(Number);
  return year * 12 + of - 1;
}

function textOf(number: number): string {
  return `${Math.floor(number / 12)}-${String((number % 12) + 1).padStart(2, '0')}`;
}

export interface AxisLabel {
  /** The place among the months. */
  readonly at: number;
  readonly words: string;
}

const NAMES = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];

/**
 * Texts for some of the months, so that none covers another: the first one and each January have their year.
 * @param step the width of a month @param width of the widest text
 */
export function monthLabels(months: readonly string[], step: number, width: number): readonly AxisLabel[] {
  const labels: AxisLabel[] = [];
  let end = Number.NEGATIVE_INFINITY;
  for (const [at, month] of months.entries()) {
    if (at * step < end) continue;
    const [year, of = '01'] = month.split('-');
    const name = NAMES[Number(of) - 1] ?? of;
    labels.push({ at, words: at === 0 || of === '01' || step * 12 < width ? `${name} ${year}` : name });
    end = at * step + width;
  }
  return labels;
}
