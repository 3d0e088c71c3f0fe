import { randomUUID } from 'node:crypto';
import { HOUR, type Millis } from '../../../domain/time.ts';
import { subjectOf } from '../../../domain/webhooks/delivery.ts';
import type { DeliveryStore } from '../../../domain/webhooks/delivery-store.ts';
import { type Webhook, wants } from '../../../domain/webhooks/webhook.ts';
import { FEED_HISTORY, HORIZON, isBehind } from '../events/event-rows.ts';
import { pageOf } from '../events/event-store.ts';
import type { Sql } from '../kit/sql.ts';
import { OPEN } from './claim.ts';

/**
 * `DeliveryStore.fanOut`: one webhook in a transaction, which other processes then leave out. Each process goes round the
 * webhooks in the order of their ids, from a random one on.
 */
export function fanOutInTurns(sql: Sql): DeliveryStore['fanOut'] {
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

const LEAST_UUID = '00000000-0000-0000-0000-000000000000';

interface BehindRow extends Pick<Webhook, 'webhook_id' | 'owner_id' | 'event_types' | 'created_at'> {
  readonly history: string;
  readonly position: string;
  readonly seq: string;
}

async function moveOn(sql: Sql, webhook: BehindRow, limit: number): Promise<void> {
  const { webhook_id, owner_id, created_at, history, position, seq } = webhook;
  const { events, next } = await pageOf(sql, { owner_id }, `${history} ${position} ${seq}`, limit);
  const rows = events.flatMap(({ event }) => {
    if (!wants(webhook, event.type) || event.at.getTime() < created_at.getTime() - LONGEST_WRITE) return [];
    const { id, type, at, data } = event;
    return [{ event_id: id, type, at, data, subject: subjectOf(event) }];
  });
  if (rows.length > 0) await sql.rows(ADD, [webhook_id, JSON.stringify(rows)]);
  await sql.rows(MOVE, [webhook_id, ...next.split(' ')]);
}

/**
 * After a restore the feed comes from its oldest event: those that had committed before the webhook was made are not for it.
 * No event is written for longer before its commit.
 */
const LONGEST_WRITE: Millis = HOUR;

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
