import { WEBHOOK } from '../../../domain/limits.ts';
import type { DeliveryBacklog, DeliveryStore } from '../../../domain/webhooks/delivery-store.ts';
import { deleteExpired, olderThan } from '../kit/expired-rows.ts';
import { interval } from '../kit/interval.ts';
import type { Sql } from '../kit/sql.ts';
import { claim, OPEN } from './claim.ts';
import { fanOutInTurns } from './fan-out.ts';
import { DELIVERY_COLUMNS, type DeliveryRow, deliveryOf } from './rows.ts';
import { settle } from './settle.ts';

/** SQL by hand: claims under locks, and rows that are made of the feed. */
export function postgresDeliveries(sql: Sql): DeliveryStore {
  const isOwn = async (owner_id: string, webhook_id: string) =>
    (await sql.rows(OWN, [owner_id, webhook_id])).length > 0;
  const one = async (text: string, values: readonly unknown[]) => {
    const [row] = await sql.rows<DeliveryRow>(text, values);
    return row ? deliveryOf(row) : null;
  };
  return {
    fanOut: fanOutInTurns(sql),
    claim: (limit, lease) => sql.atomically((own) => claim(own, limit, interval(lease))),
    settle: (claimed, rule) => sql.atomically((own) => settle(own, claimed, rule)),

    async nextDue() {
      const [row] = await sql.rows<{ due_at: Date | null }>(NEXT_DUE);
      return row?.due_at ?? null;
    },

    async backlog() {
      const [row] = await sql.rows<DeliveryBacklog>(BACKLOG);
      return row ?? { due: 0, since: null, stopped: 0 };
    },

    async list(owner_id, webhook_id, { status = null }, after, limit) {
      if (!(await isOwn(owner_id, webhook_id))) return null;
      return (await sql.rows<DeliveryRow>(LIST, [webhook_id, status, after, limit])).map(deliveryOf);
    },

    addTest: (owner_id, webhook_id, event_id) => one(ADD_TEST, [owner_id, webhook_id, event_id]),
    resend: (owner_id, webhook_id, delivery_id) => one(RESEND, [owner_id, webhook_id, delivery_id]),

    async resendFailed(owner_id, webhook_id, since) {
      if (!(await isOwn(owner_id, webhook_id))) return null;
      return (await sql.rows<{ resent: number }>(RESEND_FAILED, [owner_id, webhook_id, since]))[0]?.resent ?? 0;
    },

    prune: () => deleteExpired(sql, olderThan('webhook_deliveries', 'created_at', WEBHOOK.kept)),
  };
}

const OWN = 'select from app.webhooks where owner_id = $1 and webhook_id = $2';

const NEXT_DUE = `
  select min(greatest(d.due_at, w.waits_until)) as due_at from (select w.webhook_id, w.waits_until from ${OPEN}) w
  cross join lateral (
    select min(due_at) as due_at from app.webhook_deliveries
    where webhook_id = w.webhook_id and status = 'pending'
  ) d
  where d.due_at is not null`;

const BACKLOG = `
  select coalesce(sum(d.due), 0)::int as due, min(d.since) as since,
    (count(*) filter (where w.status in ('paused', 'gone')))::int as stopped
  from app.webhooks w join app.owners o using (owner_id) cross join lateral (
    select count(*) as due, min(due_at) as since from app.webhook_deliveries
    where webhook_id = w.webhook_id and w.status = 'active' and o.suspended_at is null and status = 'pending'
      and due_at <= (select app.now())
  ) d`;

const LIST = `
  select ${DELIVERY_COLUMNS} from app.webhook_deliveries d
  where d.webhook_id = $1 and ($2::text is null or d.status = $2) and ($3::bigint is null or d.seq < $3)
  order by d.seq desc limit $4`;

const ADD_TEST = `
  insert into app.webhook_deliveries as d (webhook_id, event_id, type, at, data, subject)
  select webhook_id, $3::uuid, 'webhook.test', app.now(), jsonb_build_object('webhook_id', webhook_id), $3::text
  from app.webhooks where owner_id = $1 and webhook_id = $2
  returning ${DELIVERY_COLUMNS}`;

/** One that is being sent stays with its process. */
const AGAIN = `
  update app.webhook_deliveries d
  set status = 'pending', step = 0, due_at = case when d.token is null then app.now() else d.due_at end
  from app.webhooks w where w.webhook_id = d.webhook_id and w.owner_id = $1 and w.webhook_id = $2`;

const RESEND = `${AGAIN} and d.delivery_id = $3 returning ${DELIVERY_COLUMNS}`;

const RESEND_FAILED = `
  with resent as (${AGAIN} and d.status = 'failed' and d.created_at >= $3 returning 1)
  select count(*)::int as resent from resent`;
