import { expiredCounts } from '../../../domain/decisions/submission/expired-counts.ts';
import type { DecisionTables } from './decision-tables.ts';

/** See `DecisionIntake.prune`. */
export function prune({ idempotency, cooldowns, submitHours, retroactiveDays }: DecisionTables, now: Date): number {
  const expired = expiredCounts(now);
  return (
    idempotency.deleteWhere(({ created_at }) => created_at <= expired.idempotency) +
    cooldowns.deleteWhere(({ last_at }) => last_at <= expired.cooldowns) +
    submitHours.deleteWhere(({ window_start }) => window_start <= expired.submitHours) +
    retroactiveDays.deleteWhere(({ window_start }) => window_start <= expired.retroactiveDays)
  );
}
