import type { EventNews, EventPage, EventScope, EventStore, ExpiringKey } from '../../../domain/events/event-store.ts';
import { API_KEY, EVENTS } from '../../../domain/limits.ts';
import { deleteExpired, olderThan } from '../kit/expired-rows.ts';
import { interval } from '../kit/interval.ts';
import type { Sql } from '../kit/sql.ts';
import { cutEvents, FEED_HISTORY, type FeedEventRow, HORIZON, isBehind, readingOf } from './event-rows.ts';

/** SQL by hand: rows are filled by triggers, and a page and its horizon are of one snapshot. */
export function postgresEvents(sql: Sql): EventStore {
  return {
    page: (scope, after, limit) => pageOf(sql, scope, after, limit),
    noteExpiringKeys: (limit) => sql.rows<ExpiringKey>(NOTE_KEYS, [interval(API_KEY.expiryNotice), limit]),
    news: (owner_ids, after, limit) => newsOf(sql, owner_ids, after, limit),
    prune: () => deleteExpired(sql, olderThan('events', 'at', EVENTS.stored)),
  };
}

/** `EventStore.page`. */
export async function pageOf(sql: Sql, scope: EventScope, after: string | null, limit: number): Promise<EventPage> {
  const [history = '', position = '0', seq = '0'] = after === null ? [] : after.split(' ');
  const values = [scope.owner_id, scope.agent_id ?? null, history, position, seq, limit];
  const { events, next } = cutEvents(await sql.rows<FeedEventRow>(PAGE, values, 'read-events'), after, limit);
  return { events: events.map(({ event, place }) => ({ event, place })), next };
}

async function newsOf(sql: Sql, owner_ids: readonly string[], after: string, limit: number): Promise<EventNews | null> {
  const [history, position = '0', seq = '0'] = after.split(' ');
  const rows = await sql.rows<FeedEventRow>(NEWS, [owner_ids, position, seq, limit], 'read-news');
  return history === rows[0]?.history ? cutEvents(rows, after, limit) : null;
}

const NEXT = isBehind('s.position', 's.seq');

const PAGE = readingOf(
  `select h.history, ${HORIZON} as horizon,
      case when h.history = $3 then $4 else '0' end::bigint as position,
      case when h.history = $3 then $5 else '0' end::bigint as seq
    from (select ${FEED_HISTORY} as history) h`,
  [`e.owner_id = $1 and ($2::text is null or e.agent_id = $2) and ${NEXT}`, `e.owner_id is null and ${NEXT}`],
  '$6',
);

const NEWER = isBehind('$2::bigint', '$3::bigint');

/** For many owners at once: the events of each that are new are few, and are found by its part of the index. */
const NEWS = readingOf(
  `select ${FEED_HISTORY} as history, ${HORIZON} as horizon`,
  [`e.owner_id = any($1::uuid[]) and ${NEWER}`, `e.owner_id is null and ${NEWER}`],
  '$4',
);

/** `isExpiringSoon`. A key that a request or another process is changing has its turn at the next call. */
const NOTE_KEYS = `
  with soon as (
    select key_prefix from app.api_keys
    where expires_at > (select app.now()) and expires_at <= (select app.now()) + $1::interval
      and revoked_at is null and not expiry_noted
    order by expires_at limit $2 for no key update skip locked
  ), noted as (
    update app.api_keys k set expiry_noted = true from soon where k.key_prefix = soon.key_prefix
    returning k.owner_id, k.key_prefix, k.expires_at
  )
  insert into app.events (position, type, owner_id, data)
  select app.event_position(), 'key.expiring', owner_id, jsonb_build_object('key_prefix', key_prefix,
    'expires_at', to_char(expires_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'))
  from noted order by noted.expires_at
  returning owner_id, data ->> 'key_prefix' as key_prefix`;
