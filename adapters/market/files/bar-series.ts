import { type CorporateAction, factorsOf, firstIndex } from '../../../domain/market/adjustment.ts';
import type { Bar } from '../../../domain/market/bars.ts';
import { soundBars } from '../../../domain/market/sound-bars.ts';
import type { Millis } from '../../../domain/time.ts';
import type { BarRow } from './bar-csv.ts';
import { inSlices } from './csv.ts';

/** All bars of one file, ascending and never overlapping, and the times of the rows that had to be left out. */
export interface ArrangedBars {
  readonly bars: readonly Bar[];
  readonly lost: readonly Span[];
}

interface Span {
  readonly start: Millis;
  readonly end: Millis;
}

/**
 * Rows as bars, whatever their order in the file. Of several rows for one span the last one written counts, as its
 * correction; a row that breaks evaluation.md section 6, or overlaps an earlier bar, is lost.
 * `daily` are the rows of the daily file, from which bars of every size take their factors.
 */
export async function arrangeBars(
  rows: readonly BarRow[],
  daily: readonly BarRow[],
  actions: readonly CorporateAction[],
): Promise<ArrangedBars> {
  const { kept, lost } = apart(rows);
  const factors = factorsOf(apart(daily).kept, actions);
  const bars = await inSlices(kept, ({ adj_close: _, ...bar }) => [{ ...bar, ...factors(bar.start) }]);
  return { bars, lost };
}

/** The bars with start >= from and end <= to, and how many rows were lost there. */
export function windowOf(
  { bars, lost }: ArrangedBars,
  from: Millis,
  to: Millis,
): { bars: readonly Bar[]; dropped: number } {
  return {
    bars: barsBetween(bars, from, to),
    dropped: lost.filter(({ start, end }) => start >= from && end <= to).length,
  };
}

function apart(rows: readonly BarRow[]): { readonly kept: readonly BarRow[]; readonly lost: readonly Span[] } {
  const kept: BarRow[] = [];
  const lost: Span[] = [];
  for (const row of ascending(rows)) {
    const overlaps = row.start < (kept.at(-1)?.end ?? Number.NEGATIVE_INFINITY);
    const [sound] = overlaps ? [] : soundBars([row]).bars;
    if (sound) kept.push(sound);
    else lost.push(row);
  }
  return { kept, lost };
}

function ascending(rows: readonly BarRow[]): readonly BarRow[] {
  if (rows.every(({ start }, index) => start > (rows[index - 1]?.start ?? Number.NEGATIVE_INFINITY))) return rows;
  const latest = new Map(rows.map((row) => [row.start, row]));
  return [...latest.values()].sort((a, b) => a.start - b.start);
}

function barsBetween(bars: readonly Bar[], from: Millis, to: Millis): readonly Bar[] {
  const first = firstIndex(bars, ({ start }) => start >= from);
  return bars.slice(
    first,
    Math.max(
      first,
      firstIndex(bars, ({ end }) => end > to),
    ),
  );
}
