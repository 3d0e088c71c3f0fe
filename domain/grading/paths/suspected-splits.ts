import { splitRatioNear } from '../../market/adjustment.ts';
import { type Bar, repeatsClose } from '../../market/bars.ts';
import type { Calendar } from '../../market/calendar.ts';
import type { Path } from './path.ts';
import type { Neighbours } from './volatility.ts';

/**
 * Whether the adjusted price leaps from a close to the next open as in a split: its factors do not account for it, so the
 * corporate action may not be known yet (evaluation-2.md section 6). An open that may have been carried over the leap
 * says nothing: then the close of its bar counts.
 */
export function isLikelySplit({ before, bar }: Neighbours): boolean {
  if (before.end >= bar.start) return false;
  const next = repeatsClose(bar, before) ? bar.close : bar.open;
  return splitRatioNear((before.close * before.total) / (next * bar.total)) !== null;
}

/** The first bar of a stock's path, from its entry on, that opens after a likely split; undefined when there is none. */
export function suspectedSplit(calendar: Calendar, { entry, bars }: Path): Bar | undefined {
  if (calendar.continuous) return undefined;
  return bars.find((bar, i) => isLikelySplit({ before: bars[i - 1] ?? entry.bar, bar }));
}
