import { type Millis, SECOND } from '../../domain/time.ts';

/** What a source lets one address spend; a request costs 1 unless its documentation weighs requests. */
export interface Allowance {
  readonly perSecond: number;
  /** What may be spent at once after a rest. */
  readonly burst: number;
}

/** Keeps the requests to one source within its allowance. */
export interface Pace {
  /** Books a request and returns how long to wait before sending it; null, with nothing booked, when that is too long. */
  book(cost: number, now: Millis): Millis | null;
  /** The source asked not to be asked before that instant. */
  hold(until: Millis): void;
}

/** Nobody waits longer than this for a turn: the sweep comes again, and others wait behind it. */
const PATIENCE = 20 * SECOND;

/** A token bucket that lends: who comes while it is empty waits for what those before have borrowed. */
export function pace({ perSecond, burst }: Allowance): Pace {
  let left = burst;
  let at: Millis = 0;
  let held: Millis = 0;
  return {
    book(cost, now) {
      left = Math.min(burst, left + (Math.max(0, now - at) / SECOND) * perSecond);
      at = Math.max(at, now);
      const wait = Math.max(0, held - now, ((cost - left) / perSecond) * SECOND);
      if (wait > PATIENCE) return null;
      left -= cost;
      return Math.ceil(wait);
    },
    hold(until) {
      held = Math.max(held, until);
    },
  };
}
