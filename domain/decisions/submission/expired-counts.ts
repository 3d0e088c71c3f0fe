import { IDEMPOTENCY, SUBMIT_COUNTS } from '../../limits.ts';
import type { Millis } from '../../time.ts';

/** For each kind of row that limits submissions, the newest time that has no effect any more. */
export interface ExpiredCounts {
  /** The first use of an idempotency key: after older ones the key counts as new (settled.md section 4). */
  readonly idempotency: Date;
  /** The last accepted submission. */
  readonly cooldowns: Date;
  /** The start of the hour. */
  readonly submitHours: Date;
  /** The start of the day. */
  readonly retroactiveDays: Date;
}

/** What can be deleted at `now`. */
export function expiredCounts(now: Date): ExpiredCounts {
  const before = (age: Millis) => new Date(now.getTime() - age);
  return {
    idempotency: before(IDEMPOTENCY.keep),
    cooldowns: before(SUBMIT_COUNTS.keepCooldowns),
    submitHours: before(SUBMIT_COUNTS.keepHours),
    retroactiveDays: before(SUBMIT_COUNTS.keepDays),
  };
}
