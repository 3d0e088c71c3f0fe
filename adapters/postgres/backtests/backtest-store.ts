import { usableAgent } from '../../../domain/accounts/keys/agent-store.ts';
import {
  asKnownAt,
  type BacktestBatch,
  type BacktestRow,
  type BacktestSet,
  type BacktestStore,
  type ClaimedRows,
  claimedRow,
  endedRow,
  type Holdings,
  type ListedSet,
  nothingReceived,
  type Received,
  type RowEnd,
  type RowTally,
  type SetName,
  type SetTallies,
  type StoredRow,
} from '../../../domain/backtests/backtest.ts';
import type { Direction, Window } from '../../../domain/decisions/call.ts';
import type { CountedWindow } from '../../../domain/decisions/own/window-counts.ts';
import { KNOWN_METHODS } from '../../../domain/grading/method.ts';
import { RESULT_BUCKETS } from '../../../domain/grading/outcome.ts';
import { COHORT } from '../../../domain/limits.ts';
import type { Instrument } from '../../../domain/market/instrument.ts';
import type { Millis } from '../../../domain/time.ts';
import { lockOwner } from '../accounts/provider-stores.ts';
import { refusable } from '../decisions/evaluation-ends.ts';
import type { Sql } from '../kit/sql.ts';
import { addRowNote, NOTES, type WithNotesColumn, withNotes } from './row-notes.ts';

/** SQL by hand: locks, batches and aggregates. */
export function postgresBacktests(sql: Sql): BacktestStore {
  return {
    receive: (batch, now) => sql.atomically((own) => receive(own, batch, now)),
    find: (set) => find(sql, set),

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

    end: (claimed, ends) => refusable(sql.atomically((own) => end(own, claimed, ends))),

    async nextDue() {
      const [row] = await sql.rows<{ due_at: Date | null }>(NEXT, [KNOWN_METHODS]);
      return row?.due_at ?? null;
    },
  };
}

const SET = 'set_id, owner_id, agent_id, name, source, horizon_rule, created_at';

type SetRow = Omit<BacktestSet, 'about'> & BacktestSet['about'];

function setOf({ source, horizon_rule, ...set }: SetRow): BacktestSet {
  return { ...set, about: { source, horizon_rule } };
}

/** @param lock holds the set until the transaction ends: its removal, and what deletes its rows, wait */
async function find(sql: Sql, { owner_id, agent_id, name }: SetName, lock = ''): Promise<BacktestSet | null> {
  const text = `select ${SET} from app.backtest_sets
    where owner_id = $1 and agent_id = $2 and name = $3 and removed_at is null ${lock}`;
  const [row] = await sql.rows<SetRow>(text, [owner_id, agent_id, name]);
  return row ? setOf(row) : null;
}

/** In a transaction, in which the owner stays locked. */
async function receive(sql: Sql, batch: BacktestBatch, now: Date): Promise<Received> {
  const { owner_id, agent_id, about } = batch;
  await lockOwner(sql, owner_id);
  const text = 'select archived_at from app.agents where owner_id = $1 and agent_id = $2';
  usableAgent((await sql.rows<{ archived_at: Date | null }>(text, [owner_id, agent_id]))[0], agent_id);
  const known = await find(sql, batch, 'for no key update');
  // Rows make a set: without any it would count against no limit.
  if (!known && batch.rows.length === 0) return nothingReceived(await holdingsOf(sql, owner_id, null));
  const set = known ?? (await addSet(sql, batch, now));
  if (set.about.source !== about.source || set.about.horizon_rule !== about.horizon_rule)
    return { kind: 'other_about', about: set.about };
  const stored = await storedIds(sql, set.set_id, batch.rows);
  const added = batch.rows.filter(({ external_id }) => !stored.has(external_id));
  if (added.length > 0) await addRows(sql, set.set_id, added, now);
  return {
    kind: 'received',
    accepted: new Set(added.map(({ external_id }) => external_id)),
    other: new Set([...stored].flatMap(([external_id, isSame]) => (isSame ? [] : [external_id]))),
    holdings: await holdingsOf(sql, owner_id, set.set_id),
  };
}

async function addSet(sql: Sql, { owner_id, agent_id, name, about }: BacktestBatch, now: Date): Promise<BacktestSet> {
  const text = `insert into app.backtest_sets (owner_id, agent_id, name, source, horizon_rule, created_at)
    values ($1, $2, $3, $4, $5, $6) returning ${SET}`;
  const [row] = await sql.rows<SetRow>(text, [owner_id, agent_id, name, about.source, about.horizon_rule, now]);
  if (!row) throw new Error('An insert returned no row.');
  return setOf(row);
}

/** Of the rows that the set has: whether their bodies are the same. */
async function storedIds(sql: Sql, set_id: number, rows: readonly BacktestRow[]): Promise<Map<string, boolean>> {
  const text = `select r.external_id, d.body = s.body as same
    from unnest($2::text[], $3::text[]) s(external_id, body)
    join app.backtest_rows r on r.set_id = $1 and r.external_id = s.external_id
    join app.backtest_documents d using (row_id)`;
  const values = [set_id, rows.map(({ external_id }) => external_id), rows.map(({ body }) => body)];
  const found = await sql.rows<{ external_id: string; same: boolean }>(text, values);
  return new Map(found.map(({ external_id, same }) => [external_id, same]));
}

async function addRows(sql: Sql, set_id: number, rows: readonly BacktestRow[], now: Date): Promise<void> {
  const sent = JSON.stringify(rows);
  // The lock of an instrument is held until the rows are committed: who ends a claim of it sees them.
  await sql.rows(ADD_INSTRUMENTS, [set_id, sent]);
  await sql.rows(ADD_ROWS, [set_id, sent, now]);
  const bytes = rows.reduce((sum, { body }) => sum + Buffer.byteLength(body), 0);
  await sql.rows(COUNT_ROWS, [set_id, rows.length, bytes]);
}

const IDENTITY = 'market, symbol, venue, asset_class, quote_currency';

const ADD_INSTRUMENTS = `
  insert into app.backtest_instruments as i (set_id, place, ${IDENTITY}, due_at)
  select $1, row_number() over (order by ${IDENTITY})
      + (select coalesce(max(k.place), 0) from app.backtest_instruments k where k.set_id = $1), ${IDENTITY}, min(settles_at)
    from jsonb_to_recordset($2::jsonb) as s(market text, symbol text, venue text, asset_class text, quote_currency text,
      settles_at timestamptz)
    group by ${IDENTITY}
  on conflict (set_id, ${IDENTITY}) do update set due_at = least(i.due_at, excluded.due_at)`;

const ADD_ROWS = `
  with sent as materialized (
    select * from jsonb_to_recordset($2::jsonb) as s(market text, symbol text, venue text, asset_class text,
      quote_currency text, external_id text, body text, direction text, horizon_kind text, horizon_value int,
      confidence float8, knowledge text, anchor_time timestamptz, end_time timestamptz, settles_at timestamptz, method text)
  ), added as (
    insert into app.backtest_rows (set_id, place, external_id, direction, horizon_kind, horizon_value, confidence, knowledge,
      anchor_time, end_time, settles_at, received_at, method, due_at)
    select $1, i.place, s.external_id, s.direction, s.horizon_kind, s.horizon_value, s.confidence, s.knowledge,
      s.anchor_time, s.end_time, s.settles_at, $3, s.method, s.settles_at
    from sent s join app.backtest_instruments i on i.set_id = $1 and (i.market, i.symbol, i.venue, i.asset_class,
      i.quote_currency) = (s.market, s.symbol, s.venue, s.asset_class, s.quote_currency)
    returning row_id, external_id
  )
  insert into app.backtest_documents (row_id, body) select a.row_id, s.body from added a join sent s using (external_id)`;

const COUNT_ROWS = 'update app.backtest_sets set rows = rows + $2, bytes = bytes + $3 where set_id = $1';

async function holdingsOf(sql: Sql, owner_id: string, set_id: number | null): Promise<Holdings> {
  const text = `select coalesce(sum(rows), 0)::float8 as rows, coalesce(sum(bytes), 0)::float8 as bytes, count(*)::int as sets,
      (select count(*)::int from app.backtest_instruments where set_id = $2) as instruments
    from app.backtest_sets where owner_id = $1 and removed_at is null`;
  const [row] = await sql.rows<Holdings>(text, [owner_id, set_id]);
  if (!row) throw new Error('A count returned no row.');
  return row;
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

/** In a transaction: the instrument is locked first, so that what is due of it is read with all rows that were added. */
async function end(sql: Sql, { token, rows, more }: ClaimedRows, ends: readonly RowEnd[]): Promise<number> {
  const [set_id, place, lease] = token.split(' ');
  const held = await sql.rows(HOLD, [set_id, place, lease]);
  if (held.length === 0) return 0;
  const directions = new Map(rows.map(({ decision }) => [decision.record_id, decision.direction]));
  const ended = ends.map((each) => {
    const direction = directions.get(each.record_id) as Direction;
    return { row_id: Number(each.record_id), ...endedRow(each, direction) };
  });
  const written = ended.length === 0 ? [] : await sql.rows(END_ROWS, [JSON.stringify(ended)]);
  await sql.rows(more ? RELEASE : SCHEDULE, [set_id, place]);
  return written.length;
}

const RENEW = `
  update app.backtest_instruments set lease_until = $4 where set_id = $1 and place = $2 and token = $3 returning 1`;

const HOLD = `
  select from app.backtest_instruments where set_id = $1 and place = $2 and token = $3 for no key update`;

const END_ROWS = `
  with ended as materialized (
    select * from jsonb_to_recordset($1::jsonb) as e(row_id bigint, due_at timestamptz, attempted smallint, record_group text,
      ungraded text, move smallint, known_at timestamptz, end_time timestamptz, settles_at timestamptz, last_error text,
      outcome jsonb)
  ), documents as (
    update app.backtest_documents d set outcome = nullif(e.outcome, 'null'), last_error = e.last_error
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
