import type { EventData, FeedEvent } from '../../../domain/events/event.ts';
import type { AddressedEvent } from '../../../domain/events/event-store.ts';

/**
 * Ids of transactions can be compared within one history of a cluster alone: a dump that is restored has another system
 * identifier, a recovery to a point in time and a promotion another timeline.
 */
export const FEED_HISTORY = "((select system_identifier from pg_control_system()) || '/' || app.own_timeline())";
export const HORIZON = 'pg_snapshot_xmin(pg_current_snapshot())::text::bigint';

/** What a row of `app.events e` must be to contain an event behind a place. */
export const isBehind = (position: string, seq: string) => `(e.position, e.seq) >= (${position}, ${seq})`;

/** Of one reading of the feed; `id` is null in the one row of a reading without events. */
export interface FeedEventRow {
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
export function readingOf(clock: string, sources: readonly string[], limit: string): string {
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
export function cutEvents(rows: readonly FeedEventRow[], after: string | null, limit: number) {
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
