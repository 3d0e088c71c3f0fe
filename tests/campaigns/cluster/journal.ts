/** One submission as its sender knows it: made once, sent under one key until it was acknowledged. */
export interface Entry {
  /** The idempotency key, which also stands in `meta.key` of the body. */
  readonly key: string;
  /** What was acknowledged; undefined while nothing was. */
  record_id?: string;
  /** Whether somebody has read it without a credential. */
  public?: boolean;
}

/** A reply that may not be, whatever happens to the database. */
export interface Oddity {
  readonly what: string;
}

/** What the senders have seen. Times are of this machine's monotonic clock, in milliseconds. */
export interface Journal {
  readonly entries: Entry[];
  readonly acknowledged: number[];
  readonly oddities: Oddity[];
  /** How often it was answered 503, and how often not at all. */
  refused: number;
  unanswered: number;
}

export function emptyJournal(): Journal {
  return { entries: [], acknowledged: [], oddities: [], refused: 0, unanswered: 0 };
}

/** The longest time without any acknowledgement, of those that began after `since` and ended. */
export function longestSilence({ acknowledged }: Pick<Journal, 'acknowledged'>, since: number): number {
  const times = acknowledged.filter((at) => at >= since).toSorted((a, b) => a - b);
  return times.reduce((longest, at, i) => Math.max(longest, at - (times[i - 1] ?? since)), 0);
}
