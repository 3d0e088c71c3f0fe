import { WEBHOOK } from '../../../domain/limits.ts';
import type { ClaimedDelivery } from '../../../domain/webhooks/delivery-store.ts';
import type { Webhook } from '../../../domain/webhooks/webhook.ts';
import type { Sql } from '../kit/sql.ts';
import { DELIVERY_COLUMNS, type DeliveryRow, deliveryOf, WEBHOOK_COLUMNS } from './rows.ts';

/** `DeliveryStore.claim`, inside a transaction. @param lease an interval */
export async function claim(sql: Sql, limit: number, lease: string): Promise<ClaimedDelivery[]> {
  const due = await sql.rows<Webhook & { readonly running: number }>(LOCK_DUE, [limit, WEBHOOK.atOnce]);
  if (due.length === 0) return [];
  const webhooks = due.map(({ running: _, ...webhook }) => webhook);
  const slots = webhooks.map(({ failures }) => (failures > 0 ? 1 : WEBHOOK.atOnce));
  const ids = webhooks.map(({ webhook_id }) => webhook_id);
  const owners = webhooks.map(({ owner_id }) => owner_id);
  const values = [ids, slots, owners, due.map(({ running }) => running), limit, lease];
  const rows = await sql.rows<DeliveryRow & { readonly token: string }>(CLAIM, values);
  return rows.flatMap(({ token, ...row }) => {
    const webhook = webhooks.find(({ webhook_id }) => webhook_id === row.webhook_id);
    return webhook ? [{ webhook, delivery: deliveryOf(row), token }] : [];
  });
}

const IS_OPEN = "w.status = 'active' and o.suspended_at is null";

/** Webhooks `w` to which something may be sent. */
export const OPEN = `app.webhooks w join app.owners o using (owner_id) where ${IS_OPEN}`;

/**
 * Claims of one webhook come one after the other, so that they count each other's leases. Webhooks with all their leases are
 * left out, and owners with the fewest come first.
 */
const LOCK_DUE = `
  with clock as materialized (select app.now() as now), due as (
    select w.webhook_id, leases.running,
      leases.running + row_number() over (partition by w.owner_id order by random()) as turn
    from clock cross join app.webhooks w join app.owners o using (owner_id) cross join lateral (
      select count(*)::int as running, count(*) filter (where l.webhook_id = w.webhook_id) as own
      from app.webhooks s join app.webhook_deliveries l on l.webhook_id = s.webhook_id
      where s.owner_id = w.owner_id and l.status = 'pending' and l.token is not null and l.due_at > clock.now
    ) leases
    where ${IS_OPEN} and (w.waits_until is null or w.waits_until <= clock.now)
      and leases.own < case when w.failures > 0 then 1 else $2::int end
      and exists (select from app.webhook_deliveries d
        where d.webhook_id = w.webhook_id and d.status = 'pending' and d.due_at <= clock.now)
  )
  select ${WEBHOOK_COLUMNS}, due.running from due join app.webhooks w using (webhook_id)
  order by due.turn limit $1 for no key update of w skip locked`;

/** Rows that follow a claimed one are due again when its lease ends, so that nothing looks at them before. */
const CLAIM = `
  with clock as materialized (select app.now() as now), picked as (
    select p.seq, p.subject, w.webhook_id
    from clock, unnest($1::uuid[], $2::integer[], $3::uuid[], $4::integer[]) as w (webhook_id, slots, owner_id, running), lateral (
      select d.seq, d.subject, d.due_at from app.webhook_deliveries d
      where d.webhook_id = w.webhook_id and d.status = 'pending' and d.due_at <= clock.now
        and not exists (select from app.webhook_deliveries e where e.webhook_id = d.webhook_id
          and e.subject = d.subject and e.status = 'pending' and e.seq < d.seq)
      order by d.due_at, d.seq
      limit greatest(0, w.slots - (select count(*) from app.webhook_deliveries l where l.webhook_id = w.webhook_id
        and l.status = 'pending' and l.token is not null and l.due_at > clock.now))
    ) p
    order by w.running + row_number() over (partition by w.owner_id order by p.due_at, p.seq), p.due_at, p.seq limit $5
  ), claimed as (
    update app.webhook_deliveries d set due_at = clock.now + $6::interval, token = gen_random_uuid()
    from clock, picked where d.seq = picked.seq
    returning ${DELIVERY_COLUMNS}, d.token
  ), following as (
    update app.webhook_deliveries d set due_at = clock.now + $6::interval
    from clock, picked
    where d.webhook_id = picked.webhook_id and d.subject = picked.subject and d.status = 'pending' and d.seq > picked.seq
  )
  select * from claimed order by seq::bigint`;
