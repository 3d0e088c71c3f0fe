import type { Sql } from '../kit/sql.ts';

/** See `DecisionIntake.prune`. The longest cooldown that an operator can set is far below the age at which one is forgotten. */
export async function prune(sql: Sql, now: Date): Promise<number> {
  const gone = await sql.atomically(async (own) => [
    await own.rows(
      `delete from app.idempotency where created_at <= $1::timestamptz - interval '48 hours' returning 1`,
      [now],
    ),
    await own.rows(`delete from app.cooldowns where last_at <= $1::timestamptz - interval '30 days' returning 1`, [
      now,
    ]),
    await own.rows(`delete from app.submit_hours where hour <= $1::timestamptz - interval '2 days' returning 1`, [now]),
    await own.rows(
      `delete from app.retroactive_days where day <= ($1::timestamptz at time zone 'UTC')::date - 2 returning 1`,
      [now],
    ),
  ]);
  return gone.flat().length;
}
