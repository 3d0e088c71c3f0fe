import { WEBHOOK } from '../../../domain/limits.ts';
import type { ClaimedDelivery } from '../../../domain/webhooks/delivery-store.ts';
import type { Webhook } from '../../../domain/webhooks/webhook.ts';
import type { Sql } from '../kit/sql.ts';
import { DELIVERY_COLUMNS, type DeliveryRow, deliveryOf, WEBHOOK_COLUMNS } from './rows.ts';

/** `DeliveryStore.claim`, inside a transaction. @param lease an interval */
export async function claim(sql: Sql, limit: number, lease: string): Promise<ClaimedDelivery[]> {
  const webhooks = await sql.rows<Webhook>(LOCK_DUE, [limit]);
  if (webhooks.length === 0) return [];
  const slots = webhooks.map(({ failures }) => (failures > 0 ? 1 : WEBHOOK.atOnce));
  const ids = webhooks.map(({ webhook_id }) => webhook_id);
  const rows = await sql.rows<DeliveryRow & { readonly token: string }>(CLAIM, [ids, slots, limit, lease]);
  return rows.flatMap(({ token, ...row }) => {
    const webhook = webhooks.find(({ webhook_id }) => webhook_id === row.webhook_id);
    return webhook ? [{ webhook, delivery: deliveryOf(row), token }] : [];
  });
}

/** Webhooks `w` to which something may be sent. */
export const OPEN = `app.webhooks w join app.owners o using (owner_id)
  where w.status = 'active' and o.suspended_at is null`;

/** Claims of one webhook come one after the other, so that they count each other's leases. */
const LOCK_DUE = `
  select ${WEBHOOK_COLUMNS.replace('owner_id', 'w.owner_id').replace('created_at', 'w.created_at')} from ${OPEN}
    and (w.waits_until is null or w.waits_until <= (select app.now()))
    and exists (select from app.webhook_deliveries d
      where d.webhook_id = w.webhook_id and d.status = 'pending' and d.due_at <= (select app.now()))
  order by w.waits_until nulls first limit $1 for no key update of w skip locked`;

/** Rows that follow a claimed one are due again when its lease ends, so that nothing looks at them before. */
const CLAIM = `
  with clock as materialized (select app.now() as now), picked as (
    select p.seq, p.subject, w.webhook_id
    from clock, unnest($1::uuid[], $2::integer[]) as w (webhook_id, slots), lateral (
      select d.seq, d.subject, d.due_at from app.webhook_deliveries d
      where d.webhook_id = w.webhook_id and d.status = 'pending' and d.due_at <= clock.now
        and not exists (select from app.webhook_deliveries e where e.webhook_id = d.webhook_id
          and e.subject = d.subject and e.status = 'pending' and e.seq < d.seq)
      order by d.due_at, d.seq
      limit greatest(0, w.slots - (select count(*) from app.webhook_deliveries l where l.webhook_id = w.webhook_id
        and l.status = 'pending' and l.token is not null and l.due_at > clock.now))
    ) p
    order by p.due_at, p.seq limit $3
  ), claimed as (
    update app.webhook_deliveries d set due_at = clock.now + $4::interval, token = gen_random_uuid()
    from clock, picked where d.seq = picked.seq
    returning ${DELIVERY_COLUMNS}, d.token
  ), following as (
    update app.webhook_deliveries d set due_at = clock.now + $4::interval
    from clock, picked
    where d.webhook_id = picked.webhook_id and d.subject = picked.subject and d.status = 'pending' and d.seq > picked.seq
  )
  select * from claimed order by seq::bigint`;
