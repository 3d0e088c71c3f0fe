import type { Bar } from './bars.ts';
import type { Calendar } from './calendar.ts';

type Prices = Pick<Bar, 'start' | 'end' | 'open' | 'high' | 'low' | 'close'>;

/**
 * The possible ones of the raw bars, and how many are impossible (evaluation.md section 6); the latter count as
 * missing.
 */
export function soundBars<T extends Prices>(
  bars: readonly T[],
): { readonly bars: readonly T[]; readonly dropped: number } {
  const sound = bars.filter(isSound);
  return { bars: sound, dropped: bars.length - sound.length };
}

/** Bars cut to the sessions that contain them; trades outside every session are left out (evaluation.md section 2). */
export function clipToSessions<T extends Prices>(calendar: Calendar, bars: readonly T[]): readonly T[] {
  return calendar.continuous ? bars : bars.flatMap((bar) => clip(calendar, bar));
}

function isSound({ start, end, open, high, low, close }: Prices): boolean {
  // Written so that a NaN anywhere fails.
  const isOrdered = low > 0 && low <= Math.min(open, close) && high >= Math.max(open, close);
  return isOrdered && Number.isFinite(high) && start < end;
}

function clip<T extends Prices>(calendar: Calendar, bar: T): readonly T[] {
  const { segments } = calendar.currentOrNext(bar.start);
  const first = segments.find(({ close }) => close > bar.start);
  const last = segments.findLast(({ open }) => open < bar.end);
  if (!first || !last || first.open >= bar.end) return [];
  return [{ ...bar, start: Math.max(bar.start, first.open), end: Math.min(bar.end, last.close) }];
}
