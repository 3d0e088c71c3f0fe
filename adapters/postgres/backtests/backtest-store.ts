import { giveWay } from '../../../application/pause.ts';
import {
  asKnownAt,
  type BacktestStore,
  type ClaimedRows,
  claimedRow,
  endedRow,
  type ListedSet,
  type RowEnd,
  type RowTally,
  type SetTallies,
  type StoredRow,
} from '../../../domain/backtests/backtest.ts';
import type { Direction, Window } from '../../../domain/decisions/call.ts';
import type { CountedWindow } from '../../../domain/decisions/own/window-counts.ts';
import { KNOWN_METHODS } from '../../../domain/grading/method.ts';
import { RESULT_BUCKETS } from '../../../domain/grading/outcome.ts';
import { BACKTEST, COHORT } from '../../../domain/limits.ts';
import type { Instrument } from '../../../domain/market/instrument.ts';
import type { Millis } from '../../../domain/time.ts';
import { refusable } from '../decisions/evaluation-ends.ts';
import type { Sql } from '../kit/sql.ts';
import { findSet, receiveRows, SET, type SetRow, setOf } from './row-intake.ts';
import { addRowNote, NOTES, type WithNotesColumn, withNotes } from './row-notes.ts';

/** SQL by hand: locks, batches and aggregates. */
export function postgresBacktests(sql: Sql): BacktestStore {
  return {
    receive: (batch, now) => sql.atomically((own) => receiveRows(own, batch, now)),
    find: (set) => findSet(sql, set),

    async list(owner_id) {
      const text = `select ${SET}, rows from app.backtest_sets where owner_id = $1 and removed_at is null
        order by agent_id collate "C", name collate "C"`;
      return (await sql.rows<SetRow & Pick<ListedSet, 'rows'>>(text, [owner_id])).map(({ rows, ...row }) => ({
        ...setOf(row),
        rows,
      }));
    },

    tally: (set_id, now) => tally(sql, set_id, now),

    rows: (set_id, after, limit) =>
      storedRows(sql, `${ROWS} where r.set_id = $1 and r.row_id > $2 order by r.row_id limit $3`, [
        ...[set_id, after ?? 0, limit],
      ]),

    async recall(set_id, { market, symbol }, as_of, limit) {
      const values = [set_id, market, symbol, as_of];
      const rows = await storedRows(sql, RECALLED_ROWS, [...values, limit]);
      const [counted] = await sql.rows<{ ungraded_yet: number }>(UNGRADED_YET, values);
      return { rows: rows.map((row) => asKnownAt(row, as_of)), ungraded_yet: counted?.ungraded_yet ?? 0 };
    },

    async notedElsewhere(set_id, { market, symbol }, as_of, most) {
      const rows = await storedRows(sql, NOTED, [set_id, market, symbol, as_of, most]);
      return rows.map((row) => asKnownAt(row, as_of));
    },

    addNote: (draft, atMost) => addRowNote(sql, draft, atMost),

    async remove({ owner_id, agent_id, name }) {
      const text = `update app.backtest_sets set removed_at = app.now()
        where owner_id = $1 and agent_id = $2 and name = $3 and removed_at is null returning set_id`;
      return (await sql.rows(text, [owner_id, agent_id, name])).length > 0;
    },

    async prune(limit) {
      const rows = await sql.rows(PRUNE_ROWS, [limit]);
      return rows.length + (await sql.rows(PRUNE_SETS)).length;
    },

    claim: (now, leaseUntil, limit) => claim(sql, [now, leaseUntil], limit),

    async renew({ token }, leaseUntil) {
      return (await sql.rows(RENEW, [...token.split(' '), leaseUntil])).length > 0;
    },

    end: async (claimed, ends) => {
      const written = await writtenEnds(claimed, ends);
      return refusable(sql.atomically((own) => end(own, claimed, ends, written)));
    },

    async nextDue() {
      const [row] = await sql.rows<{ due_at: Date | null }>(NEXT, [KNOWN_METHODS]);
      return row?.due_at ?? null;
    },
  };
}

/** Of `StoredRow`. */
const COLUMNS = `r.row_id::float8 as row_id, market, symbol, venue, asset_class, quote_currency, r.external_id, d.body,
    r.direction, r.horizon_kind, r.horizon_value, r.confidence, r.anchor_time, r.end_time, r.planned_end, r.settles_at,
    r.received_at, r.method, r.record_group, r.ungraded, r.known_at, d.outcome, d.last_error,
    ${NOTES} as notes`;

/** Its conditions follow. */
const ROWS = `
  select ${COLUMNS}
  from app.backtest_rows r join app.backtest_instruments i using (set_id, place) join app.backtest_documents d using (row_id)`;

/** @param text a statement for `COLUMNS` */
async function storedRows(sql: Sql, text: string, values: readonly unknown[]): Promise<readonly StoredRow[]> {
  return (await sql.rows<WithNotesColumn<StoredRow>>(text, values)).map(withNotes);
}

/** At most so many notes are read, so that an agent that notes one security alone delays nobody. */
const NOTED = `${ROWS}
  join (
    select row_id, max(as_of) as noted_at from (
      select row_id, as_of from app.backtest_notes where set_id = $1 and as_of <= $4
      order by as_of desc, row_id desc, number desc limit $5
    ) newest group by row_id
  ) noted using (row_id)
  where r.set_id = $1 and (i.market <> $2 or i.symbol <> $3) order by noted.noted_at desc, r.row_id desc`;

/**
 * The newest rows of each instrument of the security, then their documents by key: so much is read, whatever the set has.
 * Exported for its test.
 */
export const RECALLED_ROWS = `
  select ${COLUMNS} from (
    select i.market, i.symbol, i.venue, i.asset_class, i.quote_currency, newest.*
    from app.backtest_instruments i cross join lateral (
      select * from app.backtest_rows r where r.set_id = i.set_id and r.place = i.place and r.anchor_time <= $4
      order by r.anchor_time desc, r.row_id desc limit $5
    ) newest
    where i.set_id = $1 and i.market = $2 and i.symbol = $3
    order by newest.anchor_time desc, newest.row_id desc limit $5
  ) r cross join lateral (select * from app.backtest_documents d where d.row_id = r.row_id offset 0) d
  order by r.anchor_time desc, r.row_id desc`;

const UNGRADED_YET = `
  select count(*)::int as ungraded_yet from app.backtest_rows r join app.backtest_instruments i using (set_id, place)
  where r.set_id = $1 and i.market = $2 and i.symbol = $3 and r.anchor_time <= $4 and r.due_at is not null
    and r.settles_at <= $4`;

async function tally(sql: Sql, set_id: number, now: Date): Promise<SetTallies> {
  const tallies = await sql.rows<RowTally>(TALLY, [set_id]);
  const [counts] = await sql.rows<Omit<SetTallies, 'tallies' | 'windows'>>(COUNTS, [set_id, now]);
  if (!counts) throw new Error('A count returned no row.');
  const found = await sql.rows<InstrumentWindows>(WINDOWS, [set_id, RESULT_BUCKETS, COHORT.mostWindows + 1]);
  const windows = found.flatMap(windowsOf);
  return { tallies, ...counts, windows: windows.length > COHORT.mostWindows ? null : windows };
}

/** As `facetKeys` has them. Rows are grouped once, and their groups counted in each facet. */
const TALLY = `
  with grouped as materialized (
    select direction, date_trunc('month', anchor_time at time zone 'UTC') as month,
      (case when confidence < 1 then floor(confidence * 10) when confidence = 1 then 9 end) as confidence, knowledge, record_group, ungraded, move, count(*) as records
    from app.backtest_rows where set_id = $1 group by 1, 2, 3, 4, 5, 6, 7
  )
  select f.facet, f.key, g.record_group, g.ungraded, g.move, sum(g.records)::int as records
  from grouped g cross join lateral (values ('all', ''), ('direction', direction), ('month', to_char(month, 'YYYY-MM')),
    ('confidence', confidence::text), ('knowledge', knowledge)) f(facet, key)
  where f.key is not null group by 1, 2, 3, 4, 5`;

const COUNTS = `
  select (select count(*)::int from app.backtest_instruments where set_id = $1) as instruments,
    (count(*) filter (where due_at is not null and settles_at <= $2))::int as ungraded_yet,
    (count(*) filter (where due_at > $2 and settles_at <= $2))::int as tried_again,
    min(anchor_time) as first, max(anchor_time) as last
  from app.backtest_rows where set_id = $1`;

/** A row for each instrument: thousands of rows with two times each would take most of the time of a reply. */
const WINDOWS = `
  select i.market, i.symbol, i.venue, i.asset_class, i.quote_currency,
    json_agg((date_part('epoch', r.anchor_time) * 1000)::bigint) as anchors,
    json_agg((date_part('epoch', r.end_time) * 1000)::bigint) as ends
  from (
    select place, anchor_time, end_time from app.backtest_rows where set_id = $1 and record_group = any($2::text[]) limit $3
  ) r join app.backtest_instruments i on i.set_id = $1 and i.place = r.place
  group by i.set_id, i.place`;

interface InstrumentWindows extends Instrument {
  readonly anchors: readonly Millis[];
  readonly ends: readonly Millis[];
}

function windowsOf({ anchors, ends, ...instrument }: InstrumentWindows): readonly CountedWindow[] {
  return anchors.map((anchor_time, n) => ({ instrument, anchor_time, end_time: ends[n] ?? anchor_time }));
}

const REMOVED = 'select set_id from app.backtest_sets where removed_at is not null';

const PRUNE_ROWS = `
  delete from app.backtest_rows where row_id = any(array(
    select r.row_id from app.backtest_rows r where r.set_id = any(array(${REMOVED})) limit $1)) returning 1`;

const PRUNE_SETS = `
  delete from app.backtest_sets s where s.set_id = any(array(${REMOVED}))
    and not exists (select from app.backtest_rows r where r.set_id = s.set_id) returning 1`;

async function claim(sql: Sql, times: readonly [Date, Date], limit: number): Promise<ClaimedRows | null> {
  const [held] = await sql.rows<HeldInstrument>(CLAIM, [...times, KNOWN_METHODS]);
  if (!held) return null;
  const { set_id, place, token: lease, ...instrument } = held;
  const token = `${set_id} ${place} ${lease}`;
  const rows = await sql.rows<DueRow>(DUE, [set_id, place, times[0], KNOWN_METHODS, limit + 1]);
  return {
    token,
    rows: rows
      .slice(0, limit)
      .map(({ row_id, attempts, ...row }) => claimedRow({ ...instrument, ...row }, { row_id, attempts, token })),
    more: rows.length > limit,
  };
}

interface HeldInstrument extends Instrument {
  readonly set_id: number;
  readonly place: number;
  readonly token: string;
}

type DueRow = Window &
  Pick<StoredRow, 'body' | 'direction' | 'horizon_kind' | 'horizon_value' | 'method' | 'received_at'> & {
    readonly row_id: number;
    readonly attempts: number;
  };

/** Only where a row is due of a method that this version knows. */
const CLAIM = `
  with next as (
    select i.set_id, i.place from app.backtest_instruments i join app.backtest_sets s using (set_id)
    where i.due_at <= $1 and (i.lease_until is null or i.lease_until <= $1) and s.removed_at is null
      and exists (select from app.backtest_rows r where r.set_id = i.set_id and r.place = i.place and r.due_at <= $1
        and r.method = any($3::text[]))
    order by i.due_at limit 1 for update of i skip locked
  )
  update app.backtest_instruments i set token = gen_random_uuid(), lease_until = $2 from next
  where i.set_id = next.set_id and i.place = next.place
  returning i.set_id, i.place, i.token, i.market, i.symbol, i.venue, i.asset_class, i.quote_currency`;

const DUE = `
  select r.row_id::float8 as row_id, r.attempts, r.direction, r.horizon_kind, r.horizon_value, r.method, r.anchor_time,
    r.end_time, r.received_at, d.body
  from app.backtest_rows r join app.backtest_documents d using (row_id)
  where r.set_id = $1 and r.place = $2 and r.due_at <= $3 and r.method = any($4::text[])
  order by r.anchor_time, r.row_id limit $5`;

const NEXT = `
  select min(greatest(i.due_at, i.lease_until)) as due_at
  from app.backtest_instruments i join app.backtest_sets s using (set_id)
  where i.due_at is not null and s.removed_at is null and exists (select from app.backtest_rows r
    where r.set_id = i.set_id and r.place = i.place and r.due_at is not null and r.method = any($1::text[]))`;

/** Ends of rows as JSON for `json_to_recordset`, and their outcomes in the same order, as lines. */
type WrittenEnds = readonly [rows: string, outcomes: string];

async function writtenEnds({ rows }: ClaimedRows, ends: readonly RowEnd[]): Promise<WrittenEnds> {
  const directions = new Map(rows.map(({ decision }) => [decision.record_id, decision.direction]));
  const [ended, outcomes]: [string[], string[]] = [[], []];
  for (const each of ends) {
    const { outcome, ...row } = endedRow(each, directions.get(each.record_id) as Direction);
    outcomes.push(outcome === null ? '' : JSON.stringify(outcome));
    ended.push(JSON.stringify({ row_id: Number(each.record_id), ...row }));
    if (ended.length % BACKTEST.slice === 0) await giveWay();
  }
  return [`[${ended.join()}]`, outcomes.join('\n')];
}

/** In a transaction: the instrument is locked first, so that what is due of it is read with all rows that were added. */
async function end(
  sql: Sql,
  { token, more }: ClaimedRows,
  ends: readonly RowEnd[],
  values: WrittenEnds,
): Promise<number> {
  const [set_id, place, lease] = token.split(' ');
  const held = await sql.rows(HOLD, [set_id, place, lease]);
  if (held.length === 0) return 0;
  const written = ends.length === 0 ? [] : await sql.rows(END_ROWS, values);
  await sql.rows(more ? RELEASE : SCHEDULE, [set_id, place]);
  return written.length;
}

const RENEW = `
  update app.backtest_instruments set lease_until = $4 where set_id = $1 and place = $2 and token = $3 returning 1`;

const HOLD = `
  select from app.backtest_instruments where set_id = $1 and place = $2 and token = $3 for no key update`;

/** The outcomes are lines: none is parsed to be stored, and an empty one is none. */
const END_ROWS = `
  with ended as materialized (
    select * from rows from (
      json_to_recordset($1::json) as (row_id bigint, due_at timestamptz, attempted smallint, record_group text,
        ungraded text, move smallint, known_at timestamptz, end_time timestamptz, settles_at timestamptz, last_error text),
      string_to_table($2, E'\\n', '')
    ) as e(row_id, due_at, attempted, record_group, ungraded, move, known_at, end_time, settles_at, last_error, outcome)
  ), documents as (
    update app.backtest_documents d set outcome = e.outcome::json, last_error = e.last_error
    from ended e where d.row_id = e.row_id
  )
  update app.backtest_rows r set due_at = e.due_at, attempts = r.attempts + e.attempted, record_group = e.record_group,
    ungraded = e.ungraded, move = e.move, known_at = e.known_at, end_time = coalesce(e.end_time, r.end_time),
    settles_at = coalesce(e.settles_at, r.settles_at),
    planned_end = case when e.end_time is null then r.planned_end else coalesce(r.planned_end, r.end_time) end
  from ended e where r.row_id = e.row_id returning r.row_id`;

/** More rows were due than were claimed. */
const RELEASE = `
  update app.backtest_instruments set token = null, lease_until = null where set_id = $1 and place = $2`;

const SCHEDULE = `
  update app.backtest_instruments set token = null, lease_until = null, due_at = (
    select min(r.due_at) from app.backtest_rows r where r.set_id = $1 and r.place = $2 and r.due_at is not null)
  where set_id = $1 and place = $2`;
