import type { EventData } from '../../../domain/events/event.ts';
import type { EventPage, EventScope, EventStore } from '../../../domain/events/event-store.ts';
import { EVENTS } from '../../../domain/limits.ts';
import { deleteExpired, olderThan } from '../kit/expired-rows.ts';
import type { Sql } from '../kit/sql.ts';

/** SQL by hand: rows are filled by triggers, and a page and its horizon are of one snapshot. */
export function postgresEvents(sql: Sql): EventStore {
  return {
    page: (scope, after, limit) => pageOf(sql, scope, after, limit),
    prune: () => deleteExpired(sql, olderThan('events', 'at', EVENTS.stored)),
  };
}

async function pageOf(sql: Sql, scope: EventScope, after: string | null, limit: number): Promise<EventPage> {
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
const PAGE = `
  with clock as materialized (
    select h.history, pg_snapshot_xmin(pg_current_snapshot())::text::bigint as horizon,
      case when h.history = $3 then $4 else '0' end::bigint as position,
      case when h.history = $3 then $5 else '0' end::bigint as seq
    from (select (select system_identifier from pg_control_system()) || '/' || app.own_timeline() as history) h
  )
  select s.history, s.horizon::text, e.position::text, e.seq::text, e.id, e.at, e.type, e.data
  from clock s left join lateral (
    (select ${COLUMNS} from app.events e
      where e.owner_id = $1 and ($2::text is null or e.agent_id is null or e.agent_id = $2) and ${NEXT})
    union all
    (select ${COLUMNS} from app.events e where e.owner_id is null and ${NEXT})
    order by 1, 2 limit $6
  ) e on true
  order by e.position, e.seq`;
