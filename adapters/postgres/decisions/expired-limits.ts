import { expiredCounts } from '../../../domain/decisions/submission/expired-counts.ts';
import { utcDate } from '../../../domain/time.ts';
import { deleteExpired } from '../kit/expired-rows.ts';
import type { Sql } from '../kit/sql.ts';

/** See `DecisionIntake.prune`. */
export async function prune(sql: Sql, now: Date): Promise<number> {
  const { idempotency, cooldowns, submitHours, retroactiveDays } = expiredCounts(now);
  const expired = [
    { table: 'idempotency', condition: 'created_at <= $3', values: [idempotency] },
    { table: 'cooldowns', condition: 'last_at <= $3', values: [cooldowns] },
    { table: 'submit_hours', condition: 'hour <= $3', values: [submitHours] },
    { table: 'retroactive_days', condition: 'day <= $3', values: [utcDate(retroactiveDays)] },
  ];
  let deleted = 0;
  for (const each of expired) deleted += await deleteExpired(sql, each);
  return deleted;
}
