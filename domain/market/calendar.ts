import type { Millis } from '../time.ts';

/** Trading without a pause: [open, close). A session with a lunch break has two. */
export interface Segment {
  readonly open: Millis;
  readonly close: Millis;
}

/** One trading day of a venue: its core session, or a whole UTC day where trading never stops. */
export interface TradingSession extends Segment {
  /** `YYYY-MM-DD` at the venue; a session may open on the UTC date before or after it. */
  readonly date: string;
  /** In order, never empty; the first opens and the last closes the session. */
  readonly segments: readonly Segment[];
  /** Trading time: the sum of the segments. */
  readonly length: Millis;
}

/** When a venue trades (evaluation.md section 8). Defined for every instant from 1970 on; n counts from 1. */
export interface Calendar {
  readonly name: string;
  /** Trading never stops. */
  readonly continuous: boolean;
  /** The trading time of an ordinary session at that time. */
  regularSession(at: Millis): Millis;
  /**
   * The time whose sessions are not known, in order: the days outside those that the exchange has announced, where every
   * weekday counts as a session, and the sessions without known hours.
   */
  readonly generic: readonly Segment[];
  /** From here on a later closure was known, which this calendar leaves out; `Infinity` where it has all. */
  readonly learned_until: Millis;
  /** Whether the instant is within the generic time. */
  isGeneric(at: Millis): boolean;
  /** The session of a local date `YYYY-MM-DD`. */
  onDate(date: string): TradingSession | undefined;
  /** The n-th session whose open is at or after the instant. */
  nthFrom(at: Millis, n: number): TradingSession;
  /** The n-th last session whose close is at or before the instant. */
  nthBefore(at: Millis, n: number): TradingSession;
  /** The session that contains the instant (open <= at < close, lunch included), else the next one. */
  currentOrNext(at: Millis): TradingSession;
  /** The sessions that share more than an instant with [from, to), in order. */
  sessions(from: Millis, to: Millis): readonly TradingSession[];
}
