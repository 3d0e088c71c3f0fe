import type { EventData } from '../../../domain/events/event.ts';
import type { EventNews, EventPage, EventScope, EventStore } from '../../../domain/events/event-store.ts';
import { API_KEY, EVENTS } from '../../../domain/limits.ts';
import { deleteExpired, olderThan } from '../kit/expired-rows.ts';
import { interval } from '../kit/interval.ts';
import type { Sql } from '../kit/sql.ts';

/** SQL by hand: rows are filled by triggers, and a page and its horizon are of one snapshot. */
export function postgresEvents(sql: Sql): EventStore {
  return {
    page: (scope, after, limit) => pageOf(sql, scope, after, limit),
    noteExpiringKeys: async (limit) => (await sql.rows(NOTE_KEYS, [interval(API_KEY.expiryNotice), limit])).length,
    news: (owner_ids, after, limit) => newsOf(sql, owner_ids, after, limit),
    prune: () => deleteExpired(sql, olderThan('events', 'at', EVENTS.stored)),
  };
}

/** `EventStore.page`. */
export async function pageOf(sql: Sql, scope: EventScope, after: string | null, limit: number): Promise<EventPage> {
  const [history = '', position = '0', seq = '0'] = after === null ? [] : after.split(' ');
  const values = [scope.owner_id, scope.agent_id ?? null, history, position, seq, limit];
  const rows = await sql.rows<PageRow>(PAGE, values, 'read-events');
  const events = rows.flatMap(({ history, position, seq, id, at, type, data }) =>
    id === null
      ? []
      : [{ event: { id, at, ...({ type, data } as EventData) }, place: `${history} ${position} ${seq}` }],
  );
  const { history: now = '', horizon = '0' } = rows[0] ?? {};
  const last = events.length < limit ? undefined : events.at(-1);
  return { events, next: last?.place ?? `${now} ${horizon} 0` };
}

async function newsOf(sql: Sql, owner_ids: readonly string[], after: string, limit: number): Promise<EventNews | null> {
  const [history, position = '0', seq = '0'] = after.split(' ');
  const rows = await sql.rows<NewsRow>(NEWS, [owner_ids, position, seq, limit], 'read-news');
  const { history: now, horizon = '0' } = rows[0] ?? {};
  if (history !== now) return null;
  const events = rows.flatMap(({ position, seq, id, at, type, data, owner_id, agent_id }) =>
    id === null
      ? []
      : [
          {
            owner_id,
            agent_id,
            event: { id, at, ...({ type, data } as EventData) },
            place: `${now} ${position} ${seq}`,
          },
        ],
  );
  const last = events.length < limit ? undefined : events.at(-1);
  return { events, next: last?.place ?? `${now} ${horizon} 0` };
}

interface NewsRow extends PageRow {
  readonly owner_id: string | null;
  readonly agent_id: string | null;
}

interface PageRow {
  readonly history: string;
  readonly horizon: string;
  readonly position: string;
  readonly seq: string;
  /** Null in the one row of a page without events. */
  readonly id: string | null;
  readonly at: Date;
  readonly type: string;
  readonly data: unknown;
}

const COLUMNS = 'e.position, e.seq, e.id, e.at, e.type, e.data';

const NEXT = `(e.position, e.seq) > (s.position, s.seq) and e.position < s.horizon
  order by e.position, e.seq limit $6`;

/**
 * Ids of transactions can be compared within one history of a cluster alone: a dump that is restored has another system
 * identifier, a recovery to a point in time and a promotion another timeline.
 */
export const FEED_HISTORY = "((select system_identifier from pg_control_system()) || '/' || app.own_timeline())";
const HORIZON = 'pg_snapshot_xmin(pg_current_snapshot())::text::bigint';

const PAGE = `
  with clock as materialized (
    select h.history, ${HORIZON} as horizon,
      case when h.history = $3 then $4 else '0' end::bigint as position,
      case when h.history = $3 then $5 else '0' end::bigint as seq
    from (select ${FEED_HISTORY} as history) h
  )
  select s.history, s.horizon::text, e.position::text, e.seq::text, e.id, e.at, e.type, e.data
  from clock s left join lateral (
    (select ${COLUMNS} from app.events e
      where e.owner_id = $1 and ($2::text is null or e.agent_id = $2) and ${NEXT})
    union all
    (select ${COLUMNS} from app.events e where e.owner_id is null and ${NEXT})
    order by 1, 2 limit $6
  ) e on true
  order by e.position, e.seq`;

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
  returning seq`;

const NEWER =
  '(e.position, e.seq) > ($2::bigint, $3::bigint) and e.position < s.horizon order by e.position, e.seq limit $4';

/** For many owners at once: the events of each that are new are few, and are found by its part of the index. */
const NEWS = `
  with clock as materialized (select ${FEED_HISTORY} as history, ${HORIZON} as horizon)
  select s.history, s.horizon::text, e.position::text, e.seq::text, e.id, e.at, e.type, e.data, e.owner_id, e.agent_id
  from clock s left join lateral (
    (select ${COLUMNS}, e.owner_id, e.agent_id from app.events e where e.owner_id = any($1::uuid[]) and ${NEWER})
    union all
    (select ${COLUMNS}, e.owner_id, e.agent_id from app.events e where e.owner_id is null and ${NEWER})
    order by 1, 2 limit $4
  ) e on true
  order by e.position, e.seq`;
