import type { Calendar } from '../../market/calendar.ts';
import type { BarSeries } from '../../market/market-data.ts';
import { clipToSessions } from '../../market/sound-bars.ts';
import type { Millis } from '../../time.ts';
import type { Evidence } from '../evaluation.ts';

/** The evidence with only those bars that were final at `now`, cut to their sessions (evaluation.md sections 2 and 6). */
export function finalEvidence(calendar: Calendar, evidence: Evidence, now: Millis): Evidence {
  const final = (series: BarSeries) => {
    return { ...series, bars: clipToSessions(calendar, series.bars).filter(({ end }) => end <= now) };
  };
  return { ...evidence, path: final(evidence.path), daily: final(evidence.daily) };
}
