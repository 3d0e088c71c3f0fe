/** One submission, sent with one key until it is acknowledged. */
export interface Entry {
  /** The idempotency key, which is also `meta.key` of the body. */
  readonly key: string;
  /** The acknowledged id; undefined before the acknowledgement. */
  record_id?: string;
  /** Whether it has been read without a credential. */
  public?: boolean;
}

/** The results of the senders. Times are of this machine's monotonic clock, in milliseconds. */
export interface Journal {
  readonly entries: Entry[];
  readonly acknowledged: number[];
  /** Replies that are never allowed. */
  readonly oddities: string[];
  /** Attempts that were answered 503, and unanswered ones. */
  refused: number;
  unanswered: number;
}

export function emptyJournal(): Journal {
  return { entries: [], acknowledged: [], oddities: [], refused: 0, unanswered: 0 };
}

/** The longest time without an acknowledgement that began after `since` and has ended. */
export function longestSilence({ acknowledged }: Pick<Journal, 'acknowledged'>, since: number): number {
  const times = acknowledged.filter((at) => at >= since).toSorted((a, b) => a - b);
  return times.reduce((longest, at, i) => Math.max(longest, at - (times[i - 1] ?? since)), 0);
}
