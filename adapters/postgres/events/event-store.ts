import type {
  AddressedEvent,
  EventData,
  EventNews,
  EventPage,
  EventScope,
  EventStore,
  ExpiringKey,
  FeedEvent,
} from '../../../domain/events/event.ts';
import { API_KEY, EVENTS } from '../../../domain/limits.ts';
import { deleteExpired, interval, olderThan } from '../kit/expired-rows.ts';
import type { Sql } from '../kit/sql.ts';

/**
 * Ids of transactions can be compared within one history of a cluster alone: a dump that is restored has another system
 * identifier, a recovery to a point in time and a promotion another timeline.
 */
export const FEED_HISTORY = "((select system_identifier from pg_control_system()) || '/' || app.own_timeline())";

export const HORIZON = 'pg_snapshot_xmin(pg_current_snapshot())::text::bigint';

/** What a row of `app.events e` must be to contain an event behind a place. */
export const isBehind = (position: string, seq: string) => `(e.position, e.seq) >= (${position}, ${seq})`;

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

/** Of one reading of the feed; `id` is null in the one row of a reading without events. */
interface FeedEventRow {
  readonly history: string;
  readonly horizon: string;
  readonly position: string;
  readonly seq: string;
  readonly id: string | null;
  readonly at: Date;
  readonly type: string;
  readonly owner_id: string | null;
  readonly agent_id: string | null;
  readonly record_id: string | null;
  readonly state: string | null;
  readonly result_bucket: string | null;
  readonly data: unknown;
  /** Of the credit for which the row stands, too; null without one. */
  readonly amount: number | null;
  readonly day: string | null;
}

/**
 * Reads rows of `app.events e`, with credits for which they stand, in order.
 * @param clock the query of the one row `s`, with its columns history and horizon
 * @param sources conditions on `e`, each of which an index of its own finds
 */
function readingOf(clock: string, sources: readonly string[], limit: string): string {
  const from = (source: string) => `(select e.* from app.events e where ${source} and e.position < s.horizon
      order by e.position, e.seq limit ${limit})`;
  return `
    with clock as materialized (${clock})
    select s.history, s.horizon::text, e.position::text, e.seq::text, e.id, e.at, e.type, e.owner_id, e.agent_id, e.record_id,
      e.state, e.result_bucket, e.data, c.amount, c.day::text
    from clock s
      left join lateral (${sources.map(from).join(' union all ')} order by position, seq limit ${limit}) e on true
      left join lateral (select l.amount, l.day from app.credit_ledger l
        where e.type = 'decision.evaluated' and l.record_id = e.record_id and l.with_grade offset 0) c on true
    order by e.position, e.seq`;
}

/**
 * The first `limit` events of rows that were read from a place on, and the place behind them. The place behind a row is
 * the number behind that of the row; behind a grade of which the credit follows it is the number of the row.
 */
function cutEvents(rows: readonly FeedEventRow[], after: string | null, limit: number) {
  const events = rows
    .flatMap(eventsOf)
    .filter(({ place }) => place !== after)
    .slice(0, limit);
  const { history = '', horizon = '0' } = rows[0] ?? {};
  const last = events.length < limit ? undefined : events.at(-1);
  return { events, next: last?.place ?? `${history} ${horizon} 0` };
}

function eventsOf(row: FeedEventRow): readonly AddressedEvent[] {
  const { id, history, position, seq, owner_id, agent_id, at, amount } = row;
  if (id === null) return [];
  const before = `${history} ${position} ${seq}`;
  const behind = `${history} ${position} ${BigInt(seq) + 1n}`;
  const first = { owner_id, agent_id, event: { id, at, ...firstOf(row) } };
  if (amount === null) return [{ ...first, place: behind }];
  const credit: FeedEvent = { id: idOfCredit(id), at, ...creditOf(row) };
  return [
    { ...first, place: before },
    { owner_id, agent_id, event: credit, place: behind },
  ];
}

function firstOf({ type, data, record_id, agent_id, state, result_bucket }: FeedEventRow): EventData {
  return { type, data: data ?? { record_id, agent_id, lifecycle_state: state, result_bucket } } as EventData;
}

function creditOf({ record_id, agent_id, amount, day }: FeedEventRow): EventData {
  return { type: 'quota.credited', data: { record_id, agent_id, amount, day } } as EventData;
}

/** That of its grade, which is a random UUID, with the version 8 (RFC 9562 section 5.8): no other event has it. */
function idOfCredit(id: string): string {
  return `${id.slice(0, 14)}8${id.slice(15)}`;
}
