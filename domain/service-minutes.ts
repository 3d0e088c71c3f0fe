/**
 * Upper bounds of the classes in which replies are counted by their duration, in milliseconds; those of the last class
 * took longer than all of them.
 */
export const DURATION_BOUNDS = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1_000, 2_000, 5_000] as const;

/** What one process adds to the figures of a minute. */
export interface MinutePart {
  /** Replies by their class of duration: one more number than there are bounds. */
  readonly durations: readonly number[];
  /** Free bytes on the disk of the database; null where the process does not see it. */
  readonly disk_free: number | null;
  /** Decisions that are due for evaluation. */
  readonly due: number;
  /** Leaves of the newest evidence log; null without one. */
  readonly log_size: number | null;
  /** For how many seconds the oldest event has waited for its leaf. */
  readonly log_waits: number;
}

/** The figures of the service in a minute: sums, or the newest that a process read of the database. */
export interface ServiceMinute extends MinutePart {
  /** Its begin. */
  readonly at: Date;
  /** How many processes are in it. */
  readonly processes: number;
}

/** The index of the class of a duration in milliseconds. */
export function durationClass(millis: number): number {
  const found = DURATION_BOUNDS.findIndex((bound) => millis <= bound);
  return found === -1 ? DURATION_BOUNDS.length : found;
}

/**
 * The duration that this share of the replies did not exceed, in milliseconds: estimated evenly within its class, and the
 * greatest bound for the last class. null without replies.
 */
export function durationAt(durations: readonly number[], share: number): number | null {
  const total = durations.reduce((sum, count) => sum + count, 0);
  if (total === 0) return null;
  let before = 0;
  for (const [n, count] of durations.entries()) {
    const wanted = share * total - before;
    const [low, high] = [DURATION_BOUNDS[n - 1] ?? 0, DURATION_BOUNDS[n] ?? DURATION_BOUNDS.at(-1) ?? 0];
    if (count > 0 && wanted <= count) return low + Math.max(0, high - low) * (wanted / count);
    before += count;
  }
  return DURATION_BOUNDS.at(-1) ?? null;
}

/** Another process adds its part: replies are summed, the least disk counts, and what is read of the database is newer. */
export function joinedMinute(before: ServiceMinute, part: MinutePart): ServiceMinute {
  const disks = [before.disk_free, part.disk_free].filter((free) => free !== null);
  return {
    ...part,
    at: before.at,
    processes: before.processes + 1,
    durations: part.durations.map((count, n) => count + (before.durations[n] ?? 0)),
    disk_free: disks.length === 0 ? null : Math.min(...disks),
  };
}
