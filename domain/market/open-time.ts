import type { Millis } from '../time.ts';
import type { Calendar, TradingSession } from './calendar.ts';

/** Market-open time in [from, to]: time inside sessions, without lunch breaks; 0 when `to` is not after `from`. */
export function openTime(calendar: Calendar, from: Millis, to: Millis): Millis {
  if (to <= from) return 0;
  if (calendar.continuous) return to - from;
  return calendar.sessions(from, to).reduce((sum, session) => sum + openTimeIn(session, from, to), 0);
}

/** The part of [from, to] in which one session trades. */
export function openTimeIn({ segments }: TradingSession, from: Millis, to: Millis): Millis {
  return segments.reduce((sum, { open, close }) => sum + Math.max(0, Math.min(to, close) - Math.max(from, open)), 0);
}

/** The last instant t such that [from, t] holds no more than `budget` of market-open time. */
export function lastInstantWithin(calendar: Calendar, from: Millis, budget: Millis): Millis {
  let left = budget;
  for (let session = calendar.currentOrNext(from); ; session = calendar.currentOrNext(session.close)) {
    for (const { open, close } of session.segments) {
      const start = Math.max(open, from);
      const length = Math.max(0, close - start);
      if (length > left) return start + left;
      left -= length;
    }
  }
}

/**
 * The first instant t after `at` such that [t, t + span] holds less than `needed` market-open time, searched up to
 * `limit`, which is returned when there is none before. At `at` itself it holds at least that much.
 */
export function openTimeFallsBelow(
  calendar: Calendar,
  {
    at,
    span,
    needed,
    limit,
  }: { readonly at: Millis; readonly span: Millis; readonly needed: Millis; readonly limit: Millis },
): Millis {
  let spare = openTime(calendar, at, at + span) - needed;
  for (let t = at; t < limit; ) {
    if (spare >= limit - t) return limit;
    const leaving = phaseAt(calendar, t);
    const entering = phaseAt(calendar, t + span);
    const step = Math.min(leaving.lasts, entering.lasts, limit - t);
    const slope = Number(entering.open) - Number(leaving.open);
    if (slope < 0 && spare < step) return t + spare + 1;
    spare += slope * step;
    t += step;
  }
  return limit;
}

/** Whether the venue is trading at an instant, and how long that lasts. */
function phaseAt(calendar: Calendar, at: Millis): { readonly open: boolean; readonly lasts: Millis } {
  const session = calendar.currentOrNext(at);
  const segment = session.segments.find(({ close }) => at < close);
  const open = segment?.open ?? session.close;
  return at < open ? { open: false, lasts: open - at } : { open: true, lasts: (segment?.close ?? session.close) - at };
}
