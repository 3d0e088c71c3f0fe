import type { Bar } from '../../market/bars.ts';
import { type Millis, rfc3339 } from '../../time.ts';
import type { StoredBar } from '../outcome.ts';

/** A bar with its times as documents write them. */
export function storedBar(bar: Bar): StoredBar {
  return { ...bar, start: barTime(bar.start), end: barTime(bar.end) };
}

/** Bars of all instruments share their start and end times, and formatting one takes longer than a look-up. */
const written = new Map<Millis, string>();
const MOST_WRITTEN = 20_000;

function barTime(at: Millis): string {
  const known = written.get(at);
  if (known !== undefined) return known;
  if (written.size >= MOST_WRITTEN) written.clear();
  const text = rfc3339(at);
  written.set(at, text);
  return text;
}
