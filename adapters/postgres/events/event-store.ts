import type { DigestLine, DigestRange, EventDigest, ReadMark } from '../../../domain/events/digest.ts';
import {
  type AddressedEvent,
  DIGEST_OF_EVENT,
  type EventData,
  type EventNews,
  type EventPage,
  type EventScope,
  type EventStore,
  type EventType,
  type ExpiringKey,
  type FeedEvent,
} from '../../../domain/events/event.ts';
import { API_KEY, EVENTS } from '../../../domain/limits.ts';
import { rfc3339 } from '../../../domain/time.ts';
import { OWNERS } from '../entities/owners.ts';
import { deleteExpired, interval, olderThan } from '../kit/expired-rows.ts';
import type { Sql } from '../kit/sql.ts';

/**
 * Ids of transactions can be compared within one history of a cluster alone: a dump that is restored has another system
 * identifier, a recovery to a point in time and a promotion another timeline.
 */
export const FEED_HISTORY = "((select system_identifier from pg_control_system()) || '/' || app.own_timeline())";

export const HORIZON = 'pg_snapshot_xmin(pg_current_snapshot())::text::bigint';

/** Before the events of one position: events of submissions have negative numbers there, others have positive ones. */
const LEAST_SEQ = -(2n ** 62n);

/** What a row of `app.events e` must be to contain an event behind a place. */
export const isBehind = (position: string, seq: string) => `(e.position, e.seq) >= (${position}, ${seq})`;

/** A moment of the feed, of one snapshot. Numbers are texts. */
interface Clock {
  readonly history: string;
  /** All transactions with lesser ids have ended. */
  readonly horizon: string;
  /** No transaction with this id or a greater one had begun to write. */
  readonly frontier: string;
  /** In milliseconds, by the clock of receive times. */
  readonly moment: string;
}

const NO_CLOCK: Clock = { history: '', horizon: '0', frontier: '0', moment: '0' };

const CLOCK = `
  select ${FEED_HISTORY} as history, ${HORIZON}::text as horizon, pg_snapshot_xmax(pg_current_snapshot())::text as frontier,
    (extract(epoch from app.now()) * 1000)::bigint::text as moment`;

const EVENT_COLUMNS =
  'e.position, e.seq, e.id, e.at, e.type, e.owner_id, e.agent_id, e.record_id, e.state, e.result_bucket, e.data';

/** SQL by hand: rows are filled by triggers, and a page and its horizon are of one snapshot. */
export function postgresEvents(sql: Sql): EventStore {
  return {
    page: (scope, after, limit) => pageOf(sql, scope, after, limit),

    async end() {
      const [{ history, horizon, frontier, moment } = NO_CLOCK] = await sql.rows<Clock>(CLOCK);
      const floor = Number(moment) - EVENTS.longestWrite;
      return `${placeText(history, horizon, LEAST_SEQ)} ${floor} ${frontier} ${moment}`;
    },

    noteExpiringKeys: (limit) => sql.rows<ExpiringKey>(NOTE_KEYS, [interval(API_KEY.expiryNotice), limit]),
    news: (owner_ids, after, limit, submitters = []) => newsOf(sql, owner_ids, after, limit, submitters),
    digest: (owner_id, mark, range) => digestOf(sql, owner_id, mark, range),

    async readMark(owner_id) {
      const row = await sql.tables.findOne(OWNERS, { where: { owner_id }, select: { events_read: true } });
      return row?.events_read ? { ...row.events_read, at: new Date(row.events_read.at) } : null;
    },

    async setReadMark(owner_id, { place, at }) {
      await sql.rows(SET_READ_MARK, [owner_id, { place, at: rfc3339(at) }]);
    },

    prune: () => deleteExpired(sql, olderThan('events', 'at', EVENTS.stored)),
  };
}

/** `EventStore.page`. */
export async function pageOf(sql: Sql, scope: EventScope, after: string | null, limit: number): Promise<EventPage> {
  const [history = '', position = '0', seq = '0'] = after === null ? [] : after.split(' ');
  const { owner_id, agent_id = null, hasSubmissions = false } = scope;
  const values = [owner_id, agent_id, history, position, seq, limit, hasSubmissions, floorOf(after), EVENTS.stored];
  const { events, next } = cutEvents(await sql.rows<FeedEventRow>(PAGE, values, 'read-events'), after, limit);
  return { events: events.map(({ event, place }) => ({ event, place })), next };
}

async function newsOf(
  sql: Sql,
  owner_ids: readonly string[],
  after: string,
  limit: number,
  submitters: readonly string[],
): Promise<EventNews | null> {
  const [history, position = '0', seq = '0'] = after.split(' ');
  const values = [owner_ids, position, seq, limit, floorOf(after), EVENTS.stored, submitters];
  const rows = await sql.rows<FeedEventRow>(NEWS, values, 'read-news');
  return history === rows[0]?.history ? cutEvents(rows, after, limit) : null;
}

const NEXT = isBehind('s.position', 's.seq');

/** Of 64 bits: ids of 32 bits come again, and none is greater than the frontier. */
const WHOLE_XMIN = 's.frontier::bigint - ((s.frontier::bigint - t.xmin::text::bigint) & 4294967295)';

const PAGE = readingOf(
  `select c.*, case when c.history = $3 then $4 else '0' end::bigint as position,
      case when c.history = $3 then $5 else '${LEAST_SEQ}' end::bigint as seq
    from (${CLOCK}) c`,
  [
    `select ${EVENT_COLUMNS} from app.events e
      where e.owner_id = $1 and ($2::text is null or e.agent_id = $2) and ${NEXT}`,
    `select ${EVENT_COLUMNS} from app.events e where e.owner_id is null and ${NEXT}`,
    submissionsOf(
      'd.owner_id = $1 and ($2::text is null or d.agent_id = $2) and $7::boolean',
      'case when s.history = $3 then $8::bigint else 0 end',
      '$9',
    ),
  ],
  '$6',
);

/** SQL by hand: a comparison within an update. */
const SET_READ_MARK = `
  update app.owners set events_read = $2::jsonb where owner_id = $1
    and coalesce((events_read ->> 'at')::timestamptz <= ($2::jsonb ->> 'at')::timestamptz, true)`;

async function digestOf(
  sql: Sql,
  owner_id: string,
  mark: ReadMark | null,
  { since, atMost }: DigestRange,
): Promise<EventDigest> {
  const [history = '', position = '0', seq = '0'] = mark?.place.split(' ') ?? [];
  const types = Object.keys(DIGEST_OF_EVENT);
  const values = [owner_id, history, position, seq, since, atMost, types];
  const rows = await sql.rows<DigestRow>(DIGEST, values, 'read-digest');
  const { history: now, horizon, moment }: Clock = rows[0] ?? NO_CLOCK;
  return {
    lines: rows.flatMap(({ day, type, total, unread, at, subject }) => {
      const kind = type === null ? undefined : DIGEST_OF_EVENT[type];
      return kind === undefined ? [] : [{ day, kind, total, unread, at, subject }];
    }),
    end: { place: placeText(now, horizon, LEAST_SEQ), at: new Date(Number(moment)) },
    isCut: rows[0]?.is_cut ?? false,
  };
}

/** `type` is null in the one row of a digest without a line. */
interface DigestRow extends Clock, Omit<DigestLine, 'kind'> {
  readonly type: EventType | null;
  readonly is_cut: boolean;
}

/** The newest events of the owner, read once; those that may still get earlier ones are left to the next digest. */
const DIGEST = `
  with clock as materialized (${CLOCK}),
  newest as materialized (
    select e.* from clock s cross join lateral (
      select ${EVENT_COLUMNS} from app.events e where e.owner_id = $1 and e.position < s.horizon::bigint
      order by e.position desc, e.seq desc limit $6::integer + 1) e),
  counted as (
    select to_char(e.at at time zone 'UTC', 'YYYY-MM-DD') as day, e.type, count(*)::integer as total,
      (count(*) filter (where s.history <> $2 or (e.position, e.seq) >= ($3::bigint, $4::bigint)))::integer as unread,
      max(e.at) as at, (array_agg(coalesce(e.record_id, e.data ->> 'key_prefix') order by e.position desc, e.seq desc))[1] as subject
    from clock s cross join (select * from newest order by position desc, seq desc limit $6) e
    where e.at >= $5 and e.type = any($7::text[])
    group by 1, 2, case when e.type = 'key.expiring' then e.data ->> 'key_prefix' end)
  select s.*, c.*, (select count(*) > $6::integer from newest where at >= $5) as is_cut
  from clock s left join counted c on true order by c.at desc, c.type`;

/** For many owners at once: the events of each that are new are few, and are found by its part of the index. */
const NEWS = readingOf(
  `select c.*, $2::bigint as position, $3::bigint as seq from (${CLOCK}) c`,
  [
    `select ${EVENT_COLUMNS} from app.events e where e.owner_id = any($1::uuid[]) and ${NEXT}`,
    `select ${EVENT_COLUMNS} from app.events e where e.owner_id is null and ${NEXT}`,
    submissionsOf('d.owner_id = any($7::uuid[])', '$5::bigint', '$6'),
  ],
  '$4',
);

/**
 * The query of the submissions as events: a record's document is written once, so its `xmin` is the transaction that
 * received it, or the part of that which wrote it, whose id is greater and ends with it. Records of before `feed_start`
 * came with a restore or a change of the schema. The `xmin` of a row of `app.decisions` says nothing: a transaction that
 * began before the submission may have changed the record after it.
 * @param chosen a condition on `app.decisions d`
 * @param floor before that, in milliseconds, no event behind the place was received
 */
function submissionsOf(chosen: string, floor: string, stored: string): string {
  return `
    select case when x.id <= f.position then 0 else x.id end as position, x.seq,
      app.submission_event(d.record_id) as id, d.submission_time as at, 'decision.submitted' as type, d.owner_id,
      d.agent_id, d.record_id, x.receipt ->> 'lifecycle_state' as state, null::text as result_bucket, null::jsonb as data
    from app.feed_start f join app.decisions d on ${chosen}
      and d.submission_time >= to_timestamp(${floor} / 1000.0)
      and d.submission_time > to_timestamp((s.moment::bigint - ${stored}::bigint) / 1000.0)
    cross join lateral (
      select ${WHOLE_XMIN} as id, t.receipt, app.submission_seq(t.record_id) as seq
      from app.decision_documents t where t.record_id = d.record_id offset 0
    ) x
    where (case when x.id <= f.position then 0 else x.id end, x.seq) >= (s.position, s.seq)`;
}

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
interface FeedEventRow extends Clock {
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
 * Reads events in order, with credits for which they stand.
 * @param clock the query of the one row `s`: that of CLOCK with the position and the number to read from
 * @param sources queries of EVENT_COLUMNS, each of which an index of its own finds
 */
function readingOf(clock: string, sources: readonly string[], limit: string): string {
  const from = (source: string) => `(select * from (${source}) e where e.position < s.horizon::bigint
      order by e.position, e.seq limit ${limit})`;
  return `
    with clock as materialized (${clock})
    select s.history, s.horizon, s.frontier, s.moment, e.position::text, e.seq::text, e.id, e.at, e.type, e.owner_id,
      e.agent_id, e.record_id, e.state, e.result_bucket, e.data, c.amount, c.day::text
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
  const { history, horizon, frontier, moment }: Clock = rows[0] ?? NO_CLOCK;
  const read = { floor: '0', mark: frontier, at: moment };
  const known = (after?.startsWith(`${history} `) ? hintsOf(after) : null) ?? read;
  const start = after === null ? null : orderOf(after);
  let { floor } = known;
  const events = rows
    .flatMap(eventsOf)
    .filter(({ place }) => place !== start)
    .slice(0, limit)
    .map((each) => {
      floor = laterFloor(floor, each);
      return { ...each, place: hinted(each.place, { ...known, floor }, known) };
    });
  const last = events.length < limit ? undefined : events.at(-1);
  return { events, next: last?.place ?? hinted(placeText(history, horizon, LEAST_SEQ), { ...known, floor }, read) };
}

/**
 * Where a reading from a place on looks for submissions: those behind it were received at `floor` at the earliest, but for
 * `EVENTS.receivedEarlier`. Transactions with ids from `mark` on began to write after `at`, which is the floor of places
 * from there on.
 */
interface Hints {
  readonly floor: string;
  readonly mark: string;
  readonly at: string;
}

function hintsOf(place: string): Hints | null {
  const [, , , floor, mark, at] = place.split(' ');
  return floor === undefined || mark === undefined || at === undefined ? null : { floor, mark, at };
}

/** @param known hints of the place that was read from @param next those that follow them once their mark is passed */
function hinted(place: string, known: Hints, next: Hints): string {
  const isPassed = BigInt(place.split(' ')[1] ?? '0') >= BigInt(known.mark);
  const { mark, at } = isPassed ? next : known;
  return `${place} ${isPassed ? known.at : known.floor} ${mark} ${at}`;
}

/**
 * What is behind a submission began to be written after it was received, but for the time of its batch, which is within
 * `EVENTS.receivedEarlier`. Those of before `feed_start` have no such order.
 */
function laterFloor(floor: string, { event: { type, at }, place }: AddressedEvent): string {
  if (type !== 'decision.submitted' || place.split(' ')[1] === '0') return floor;
  return String(Math.max(Number(floor), at.getTime()));
}

function floorOf(after: string | null): number {
  const floor = Number((after && hintsOf(after)?.floor) ?? 0);
  return Math.max(0, floor - EVENTS.receivedEarlier);
}

function placeText(history: string, position: string, seq: string | bigint): string {
  return `${history} ${position} ${seq}`;
}

/** The part of a place that orders it. */
function orderOf(place: string): string {
  return place.split(' ').slice(0, 3).join(' ');
}

function eventsOf(row: FeedEventRow): readonly AddressedEvent[] {
  const { id, history, position, seq, owner_id, agent_id, at, amount } = row;
  if (id === null) return [];
  const before = placeText(history, position, seq);
  const behind = placeText(history, position, BigInt(seq) + 1n);
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
