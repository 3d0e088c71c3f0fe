import { expiredCounts } from '../../../domain/decisions/expired-counts.ts';
import { utcDate } from '../../../domain/time.ts';
import type { Sql } from '../kit/sql.ts';

/** See `DecisionIntake.prune`. */
export async function prune(sql: Sql, now: Date): Promise<number> {
  const { idempotency, cooldowns, submitHours, retroactiveDays } = expiredCounts(now);
  const gone = await sql.atomically(async (own) => [
    await own.rows('delete from app.idempotency where created_at <= $1 returning 1', [idempotency]),
    await own.rows('delete from app.cooldowns where last_at <= $1 returning 1', [cooldowns]),
    await own.rows('delete from app.submit_hours where hour <= $1 returning 1', [submitHours]),
    await own.rows('delete from app.retroactive_days where day <= $1 returning 1', [utcDate(retroactiveDays)]),
  ]);
  return gone.flat().length;
}
