const NAMES = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];

export interface Dot<Each> {
  readonly each: Each;
  /** The middle of its column. */
  readonly x: number;
  /** 0 on the line, 1 above it, and so on. */
  readonly level: number;
}

/** Dots of one width in columns, those of one column one above the other, so that none hides another. */
export function dotStacks<Each>(
  all: readonly Each[],
  placeOf: (each: Each) => number,
  column: number,
): readonly Dot<Each>[] {
  const heights = new Map<number, number>();
  return all
    .toSorted((a, b) => placeOf(a) - placeOf(b))
    .map((each) => {
      const at = Math.floor(placeOf(each) / column);
      const level = heights.get(at) ?? 0;
      heights.set(at, level + 1);
      return { each, x: (at + 0.5) * column, level };
    });
}

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

interface AxisLabel {
  /** The place among the months. */
  readonly at: number;
  readonly words: string;
}

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

/** A window in milliseconds, of what is drawn in one group of lanes. */
interface Stretch {
  readonly group: string;
  readonly from: number;
  readonly to: number;
}

interface LaneGroup<Each extends Stretch> {
  readonly group: string;
  /** Windows of one lane do not overlap; as many lanes as windows overlap at once. */
  readonly lanes: readonly (readonly Each[])[];
}

/** The windows of each group in lanes, so that overlap is seen. The groups with the most windows first. */
export function windowLanes<Each extends Stretch>(windows: readonly Each[]): readonly LaneGroup<Each>[] {
  const groups = [...Map.groupBy(windows, ({ group }) => group)];
  return groups
    .toSorted(([a, own], [b, others]) => others.length - own.length || (a < b ? -1 : 1))
    .map(([group, own]) => ({ group, lanes: lanesOf(own) }));
}

/** The first lane that is free at the start; windows that touch do not overlap. */
function lanesOf<Each extends Stretch>(windows: readonly Each[]): readonly (readonly Each[])[] {
  const lanes: Each[][] = [];
  for (const window of windows.toSorted((a, b) => a.from - b.from || a.to - b.to)) {
    const free = lanes.find((lane) => (lane.at(-1)?.to ?? Number.NEGATIVE_INFINITY) <= window.from);
    if (free) free.push(window);
    else lanes.push([window]);
  }
  return lanes;
}
