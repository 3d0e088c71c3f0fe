import { randomUUID } from 'node:crypto';
import { EVENTS, WEBHOOK } from '../../../domain/limits.ts';
import { type Delivery, type Settled, subjectOf } from '../../../domain/webhooks/delivery.ts';
import type { ClaimedDelivery, DeliveryBacklog, DeliveryStore } from '../../../domain/webhooks/delivery-store.ts';
import { type Webhook, wants } from '../../../domain/webhooks/webhook.ts';
import { WEBHOOKS } from '../entities/webhooks.ts';
import { FEED_HISTORY, HORIZON, isBehind, pageOf } from '../events/event-store.ts';
import { deleteExpired, interval, olderThan } from '../kit/expired-rows.ts';
import type { Sql } from '../kit/sql.ts';
import { claim, DELIVERY_COLUMNS, type DeliveryRow, deliveryOf, OPEN, WEBHOOK_COLUMNS } from './webhook-store.ts';

const LEAST_UUID = '00000000-0000-0000-0000-000000000000';

const CLOCK = `
  with clock as materialized (
    select ${FEED_HISTORY} as history, ${HORIZON} as horizon
  )`;

/** Open webhooks in whose feed, events of the owner and of everybody, one `e` meets the condition. */
const withEvent = (columns: string, condition: string) => `${CLOCK}
  select ${columns} from clock, ${OPEN} and (
    exists (select from app.events e where e.owner_id = w.owner_id and ${condition})
    or exists (select from app.events e where e.owner_id is null and ${condition}))`;

/** Events of another history than the place's are all behind it. */
const BEHIND = `${withEvent(
  'w.webhook_id, owner_id, w.event_types, w.created_at, w.history, w.position::text, w.seq::text',
  `e.position < clock.horizon
    and ${isBehind('case when w.history = clock.history then w.position else -1 end', 'w.seq')}`,
)} and w.webhook_id > $1 order by w.webhook_id limit 1 for no key update of w skip locked`;

/** Events that a snapshot shows, and that are not in order yet. */
const HIDDEN = `${withEvent('', 'e.position >= clock.horizon')} limit 1`;

/** An event that is a delivery already, after a restore, stays that. Those that follow a pending one are due with it. */
const ADD = `
  insert into app.webhook_deliveries (webhook_id, event_id, type, at, data, subject, due_at)
  select $1, e.event_id, e.type, e.at, e.data, e.subject,
    coalesce((select max(d.due_at) from app.webhook_deliveries d
      where d.webhook_id = $1 and d.subject = e.subject and d.status = 'pending'), app.now())
  from rows from (jsonb_to_recordset($2::jsonb)
    as (event_id uuid, type text, at timestamptz, data jsonb, subject text)) with ordinality
    as e (event_id, type, at, data, subject, n)
  order by e.n
  on conflict (webhook_id, event_id) do nothing`;

const MOVE = 'update app.webhooks set history = $2, position = $3, seq = $4 where webhook_id = $1';

const LOCK_WEBHOOK = `select ${WEBHOOK_COLUMNS} from app.webhooks w where webhook_id = $1 for no key update`;

const LOCK_DELIVERY = `
  select ${DELIVERY_COLUMNS}, d.subject, (select app.now()) as now from app.webhook_deliveries d
  where d.delivery_id = $1 and d.token = $2 for no key update`;

const UPDATE = `
  update app.webhook_deliveries set status = $2, step = $3, due_at = $4, attempts = $5, token = null
  where delivery_id = $1`;

/** What waits for this one is looked at when this one is due again, or now. */
const FOLLOW = `
  update app.webhook_deliveries set due_at = $4
  where webhook_id = $1 and subject = $2 and seq > $3 and status = 'pending' and token is null`;

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

/** `DeliveryStore.settle`, inside a transaction. */
async function settle(
  sql: Sql,
  { webhook: { webhook_id }, delivery: { delivery_id }, token }: ClaimedDelivery,
  rule: (webhook: Webhook, delivery: Delivery, now: Date) => Settled,
): Promise<boolean> {
  const [webhook] = await sql.rows<Webhook>(LOCK_WEBHOOK, [webhook_id]);
  const [row] = await sql.rows<DeliveryRow & Locked>(LOCK_DELIVERY, [delivery_id, token]);
  if (!webhook || !row) return false;
  const { now, subject, ...before } = row;
  const after = rule(webhook, deliveryOf(before), now);
  const { status, failures, failing_since, waits_until } = after.webhook;
  await sql.tables.update(WEBHOOKS, { webhook_id }, { status, failures, failing_since, waits_until });
  const { step, due_at, attempts } = after.delivery;
  await sql.rows(UPDATE, [delivery_id, after.delivery.status, step, due_at, JSON.stringify(attempts)]);
  await sql.rows(FOLLOW, [webhook_id, subject, row.seq, due_at ?? now]);
  return true;
}

interface Locked {
  readonly subject: string;
  readonly now: Date;
}

/**
 * `DeliveryStore.fanOut`: one webhook in a transaction, which other processes then leave out. Each process goes round the
 * webhooks in the order of their ids, from a random one on.
 */
function fanOutInTurns(sql: Sql): DeliveryStore['fanOut'] {
  let last: string = randomUUID();
  return async (limit) => {
    const moved = await sql.atomically(async (own) => {
      const behind = (await behindAfter(own, last)) ?? (await behindAfter(own, LEAST_UUID));
      if (behind) await moveOn(own, behind, limit);
      return behind;
    });
    if (!moved) return (await sql.rows(HIDDEN)).length > 0 ? 'waiting' : 'done';
    last = moved.webhook_id;
    return 'moved';
  };
}

async function behindAfter(sql: Sql, webhook_id: string): Promise<BehindRow | undefined> {
  return (await sql.rows<BehindRow>(BEHIND, [webhook_id]))[0];
}

interface BehindRow extends Pick<Webhook, 'webhook_id' | 'owner_id' | 'event_types' | 'created_at'> {
  readonly history: string;
  readonly position: string;
  readonly seq: string;
}

async function moveOn(sql: Sql, webhook: BehindRow, limit: number): Promise<void> {
  const { webhook_id, owner_id, created_at, history, position, seq } = webhook;
  const { events, next } = await pageOf(sql, { owner_id }, `${history} ${position} ${seq}`, limit);
  // After a restore the feed comes from its oldest event: those of before the webhook are not for it.
  const since = created_at.getTime() - EVENTS.longestWrite;
  const rows = events.flatMap(({ event }) => {
    if (!wants(webhook, event) || event.at.getTime() < since) return [];
    const { id, type, at, data } = event;
    return [{ event_id: id, type, at, data, subject: subjectOf(event) }];
  });
  if (rows.length > 0) await sql.rows(ADD, [webhook_id, JSON.stringify(rows)]);
  await sql.rows(MOVE, [webhook_id, ...next.split(' ').slice(0, 3)]);
}
