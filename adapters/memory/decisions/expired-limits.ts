import { IDEMPOTENCY } from '../../../domain/limits.ts';
import { DAY } from '../../../domain/time.ts';
import type { DecisionTables } from './decision-tables.ts';

/** See `DecisionIntake.prune`. The longest cooldown that an operator can set is far below the age at which one is forgotten. */
export function prune({ idempotency, cooldowns, submitHours, retroactiveDays }: DecisionTables, now: Date): number {
  const before = (age: number) => (at: Date) => at.getTime() <= now.getTime() - age;
  const today = Math.floor(now.getTime() / DAY) * DAY;
  return (
    idempotency.deleteWhere(({ created_at }) => before(IDEMPOTENCY.keep)(created_at)) +
    cooldowns.deleteWhere(({ last_at }) => before(30 * DAY)(last_at)) +
    submitHours.deleteWhere(({ window_start }) => before(2 * DAY)(window_start)) +
    retroactiveDays.deleteWhere(({ window_start }) => window_start.getTime() <= today - 2 * DAY)
  );
}
