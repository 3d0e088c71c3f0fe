import { DAY, type Millis } from '../../time.ts';
import type { Calendar, TradingSession } from '../calendar.ts';

/** Crypto: always open, its sessions are full UTC days (evaluation.md sections 2 and 8). */
export function continuousCalendar(): Calendar {
  return {
    name: 'continuous',
    continuous: true,
    regular_session: DAY,
    isGeneric: () => false,
    nthFrom: (at, n) => utcDay(Math.ceil(at / DAY) + n - 1),
    nthBefore: (at, n) => utcDay(Math.floor(at / DAY) - n),
    currentOrNext: (at) => utcDay(Math.floor(at / DAY)),
    sessions: (from, to) => {
      const first = Math.floor(from / DAY);
      return Array.from({ length: Math.max(0, Math.ceil(to / DAY) - first) }, (_, i) => utcDay(first + i));
    },
  };
}

function utcDay(day: number): TradingSession {
  const open: Millis = day * DAY;
  const segment = { open, close: open + DAY };
  return { ...segment, segments: [segment], length: DAY };
}
