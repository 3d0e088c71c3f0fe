/** How far a server's write-ahead log is. Positions of different timelines cannot be compared. */
export interface Position {
  /** Counts the promotions that led to this log. */
  readonly timeline: number;
  readonly lsn: bigint;
}

/** On the primary: what every replica must have replayed to know all that has been committed durably until now. */
export const FLUSHED = `substr(pg_walfile_name(pg_current_wal_flush_lsn()), 1, 8) || ' ' || pg_current_wal_flush_lsn()`;

/** @throws TypeError when the text is not `timeline lsn` as `FLUSHED` returns it */
export function positionOf(text: string): Position {
  const [, timeline, high, low] = FORM.exec(text) ?? [];
  if (timeline === undefined) throw new TypeError('This text is not a log position.');
  return { timeline: Number.parseInt(timeline, 16), lsn: BigInt(`0x${high}`) * 2n ** 32n + BigInt(`0x${low}`) };
}

const FORM = /^([\dA-F]{8}) ([\dA-F]{1,8})\/([\dA-F]{1,8})$/i;

/** Whether a server that has replayed its log so far knows all that `wanted` stands for; null: it is no standby. */
export function isReached(replayed: Position | null, wanted: Position): boolean {
  return replayed !== null && replayed.timeline === wanted.timeline && replayed.lsn >= wanted.lsn;
}

export interface PositionTracker {
  note(text: string): void;
  /** The newest position that was noted; null before any. */
  newest(): Position | null;
}

export function trackPosition(): PositionTracker {
  let newest: Position | null = null;
  return {
    note(text) {
      const position = positionOf(text);
      if (newest === null || position.timeline > newest.timeline) newest = position;
      else if (position.timeline === newest.timeline && position.lsn > newest.lsn) newest = position;
    },
    newest: () => newest,
  };
}
