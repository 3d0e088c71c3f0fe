import { given } from '../../../domain/given.ts';
import { WEBHOOK } from '../../../domain/limits.ts';
import type { Attempt, DeliveredEvent, Delivery } from '../../../domain/webhooks/delivery.ts';
import type { ClaimedDelivery } from '../../../domain/webhooks/delivery-store.ts';
import { HEALTHY, type Webhook, type WebhookStore } from '../../../domain/webhooks/webhook.ts';
import { lockOwner } from '../accounts/provider-stores.ts';
import { insertion, selection } from '../entities/columns.ts';
import { WEBHOOKS } from '../entities/webhooks.ts';
import { FEED_HISTORY, HORIZON } from '../events/event-store.ts';
import { interval } from '../kit/expired-rows.ts';
import type { Sql } from '../kit/sql.ts';

/** The columns of `Webhook`, of a row `w`. */
export const WEBHOOK_COLUMNS = selection(WEBHOOKS, 'w');

export const DELIVERY_COLUMNS = `d.delivery_id, d.webhook_id, d.seq::text, d.event_id, d.type, d.at, d.data, d.status,
  d.step, d.due_at, d.attempts, d.created_at`;

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

export function postgresWebhooks(sql: Sql): WebhookStore {
  const find = (on: Sql, owner_id: string, webhook_id: string): Promise<Webhook | null> =>
    on.tables.findOneBy(WEBHOOKS, { owner_id, webhook_id });
  return {
    add: (draft, atMost) =>
      sql.atomically(async (own) => {
        await lockOwner(own, draft.owner_id);
        return (await own.rows<Webhook>(ADD, [atMost, ...NEW_WEBHOOK.values(draft)]))[0] ?? null;
      }),

    list: (owner_id): Promise<Webhook[]> =>
      sql.tables.find(WEBHOOKS, { where: { owner_id }, order: { created_at: 'asc', webhook_id: 'asc' } }),

    find: (owner_id, webhook_id) => find(sql, owner_id, webhook_id),

    change: (owner_id, webhook_id, { status, ...changes }) =>
      sql.atomically(async (own) => {
        if ((await own.rows(LOCK, [owner_id, webhook_id])).length === 0) return null;
        const health = status === 'active' ? HEALTHY : status && { status };
        const set = given({ ...changes, ...health });
        if (Object.keys(set).length > 0) await own.tables.update(WEBHOOKS, { webhook_id }, set);
        if (status === 'active') await own.rows(DUE_NOW, [webhook_id]);
        return find(own, owner_id, webhook_id);
      }),

    async replaceSecret(owner_id, webhook_id, secret, overlap) {
      const [webhook] = await sql.rows<Webhook>(REPLACE, [owner_id, webhook_id, secret, interval(overlap)]);
      return webhook ?? null;
    },

    async remove(owner_id, webhook_id) {
      const [webhook] = await sql.rows<Webhook>(REMOVE, [owner_id, webhook_id]);
      return webhook ?? null;
    },
  };
}

/** Without its place in the feed; $1 is how many its owner may have. */
const NEW_WEBHOOK = insertion(WEBHOOKS, 2, ['history', 'position', 'seq']);

/**
 * SQL by hand: a count and an insert in one statement, at the place of the feed that the snapshot has reached. What
 * commits later has a later place.
 */
const ADD = `
  insert into app.webhooks as w (${NEW_WEBHOOK.names.join(', ')}, history, position, seq)
  select ${NEW_WEBHOOK.params}, ${FEED_HISTORY},
    ${HORIZON}, 0
  where (select count(*) from app.webhooks where owner_id = ${NEW_WEBHOOK.param('owner_id')}) < $1
  returning ${WEBHOOK_COLUMNS}`;

/** SQL by hand: a lock, and the clock. Attempts lock the webhook before its deliveries, too. */
const LOCK = 'select from app.webhooks where owner_id = $1 and webhook_id = $2 for no key update';

const DUE_NOW = `
  update app.webhook_deliveries set due_at = app.now()
  where webhook_id = $1 and status = 'pending' and token is null and due_at > app.now()`;

const REPLACE = `
  update app.webhooks w set former_secret = secret, former_until = app.now() + $4::interval, secret = $3
  where owner_id = $1 and webhook_id = $2 returning ${WEBHOOK_COLUMNS}`;

/** SQL by hand: it returns the row. */
const REMOVE = `delete from app.webhooks w where owner_id = $1 and webhook_id = $2 returning ${WEBHOOK_COLUMNS}`;

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

/** A delivery as the columns `DELIVERY_COLUMNS` of a row `d`. */
export type DeliveryRow = Omit<Delivery, 'event' | 'attempts'> & {
  readonly event_id: string;
  readonly type: string;
  readonly at: Date;
  readonly data: unknown;
  readonly attempts: readonly (Omit<Attempt, 'at'> & { readonly at: string })[];
};

export function deliveryOf({ event_id, type, at, data, attempts, ...row }: DeliveryRow): Delivery {
  const event = { id: event_id, type, at, data } as DeliveredEvent;
  return { ...row, event, attempts: attempts.map((attempt) => ({ ...attempt, at: new Date(attempt.at) })) };
}
