import { UNAVAILABLE_STATES } from '../../../domain/decisions/lifecycle.ts';
import type { ListedDecision, RecordPlace } from '../../../domain/decisions/own/owner-records.ts';
import { SUSPECTED, WRONG_SECURITY } from '../../../domain/decisions/ungraded.ts';
import { COHORT } from '../../../domain/limits.ts';
import { batcher } from '../kit/batcher.ts';
import { type HeldValues, heldValues } from '../kit/held-values.ts';
import type { Sql } from '../kit/sql.ts';
import { LISTED_COLUMNS } from './decision-reader.ts';

const UNAVAILABLE = UNAVAILABLE_STATES.map((state) => `'${state}'`).join(', ');

/** `countsByBucket` of a row `d` of app.decisions. */
export const COUNTS_BY_BUCKET =
  'app.counts_by_bucket(lifecycle_state => d.lifecycle_state, method => d.method, cohort_exception => d.cohort_exception)';

/** `recordGroupOf` of a row `d` of app.decisions. */
export const RECORD_GROUP = `case when ${COUNTS_BY_BUCKET} then d.result_bucket
  when app.is_public(d.lifecycle_state) or d.lifecycle_state in (${UNAVAILABLE}) then 'unavailable' else 'pending' end`;

/** `ungradedReason` of a row `d` of app.decisions. */
export const UNGRADED_REASON = 'app.ungraded_reason(lifecycle_state => d.lifecycle_state, last_error => d.last_error)';

/** `uncountedReason` of a row `d` of app.decisions. */
export const UNCOUNTED_REASON = `case when app.is_public(d.lifecycle_state) and not ${COUNTS_BY_BUCKET}
  then case d.cohort_exception when '${WRONG_SECURITY}' then d.cohort_exception else '${SUSPECTED}' end
  else ${UNGRADED_REASON} end`;

/** `moveRangeOf` of a row `d` of app.decisions. */
export const COUNTED_MOVE = `case when ${COUNTS_BY_BUCKET} then d.move end`;

/** Of a row `d` of app.decisions, for `windowCountsOf`. */
export const WINDOW_COLUMNS = "d.market || ':' || d.symbol as security, d.venue, d.anchor_time, d.end_time";

/** A page of an agent's records, narrowed by nothing else. */
export interface AgentList {
  readonly owner_id: string;
  /** Of another owner it has no records. */
  readonly agent_id: string;
  readonly include_archived: boolean;
  readonly after: RecordPlace | null;
  readonly limit: number;
}

/**
 * Reads such pages, the newest submission first. A process holds the records that it has read: the database is asked which
 * records a page has and in which version, and sends the rows of those versions that are not held.
 *
 * SQL by hand: pages that are requested together are a batch in one statement, which is planned once per connection. A
 * batch is small and two run at once, so that an owner with very many archived records delays few others.
 */
export function agentLists(sql: Sql): (list: AgentList) => Promise<readonly ListedDecision[]> {
  const held = heldValues<ListedDecision>(HELD_AT_MOST, () => 1);
  return batcher<AgentList, readonly ListedDecision[]>({
    run: (lists) => readAll(sql, held, lists),
    most: 16,
    atOnce: 2,
  });
}

/** Records that a process holds, about 3 KB each. */
const HELD_AT_MOST = 10_000;

type Held = HeldValues<ListedDecision>;

/** Reads the pages anew when a record was changed before its row was read. */
async function readAll(sql: Sql, held: Held, lists: readonly AgentList[]): Promise<readonly ListedDecision[][]> {
  for (;;) {
    const pages = await readVersions(sql, lists);
    const records = await recordsOf(sql, held, new Set(pages.flat()));
    const read = pages.map((versions) => versions.flatMap((version) => records.get(version) ?? []));
    if (read.every((page, n) => page.length === pages[n]?.length)) return read;
  }
}

/** The versions of the records of each page, in its order. */
async function readVersions(sql: Sql, lists: readonly AgentList[]): Promise<readonly (readonly string[])[]> {
  const wanted = lists.map(({ after, limit, ...list }, position) => ({
    ...list,
    after_time: after?.submission_time ?? 'infinity',
    after_id: after?.record_id ?? '',
    most: limit,
    position,
  }));
  const rows = await sql.rows<PageRow>(READ_LISTS, [JSON.stringify(wanted)], 'agent-lists');
  const pages = lists.map((): readonly string[] => []);
  for (const { position, versions, server } of rows) {
    if (versions !== '') pages[position] = versions.split(',').map((version) => `${version} ${server}`);
  }
  return pages;
}

interface PageRow {
  readonly position: number;
  readonly versions: string;
  readonly server: string;
}

async function recordsOf(sql: Sql, held: Held, versions: ReadonlySet<string>) {
  const records = new Map<string, ListedDecision>();
  const missing: string[] = [];
  for (const version of versions) {
    const record = held.find(version);
    if (record) records.set(version, record);
    else missing.push(version.slice(0, version.indexOf(' ')));
  }
  if (missing.length === 0) return records;
  // Without its version each record would be a copy of all its columns.
  for (const row of await sql.rows<VersionRow>(READ_RECORDS, [missing], 'listed-records')) {
    records.set(row.version, row);
    held.keep(row.version, row);
  }
  return records;
}

type VersionRow = ListedDecision & { readonly version: string };

/**
 * The id of a record, and the transactions that wrote its row and, while it waits for its instrument, the row of that. A
 * server that took over from another may use the number of a transaction that it never got for another one: it differs by
 * the time of its start.
 */
const VERSION = `d.record_id || ' ' || d.xmin || case when d.lifecycle_state = 'pending_verify' then coalesce((
    select ' ' || i.xmin from app.instruments i where i.instrument = d.instrument and i.status = 'unreachable'), '')
  else '' end`;
/** A subquery, so that it is evaluated once. */
const SERVER = `(select extract(epoch from pg_postmaster_start_time())::text)`;

/**
 * The inner order is the index's, so that only the returned rows are read. With arrays the planner knows the length of a
 * short batch, and plans it anew each time, which takes longer than the read.
 */
const READ_LISTS = `
  select w.position, ${SERVER} as server, array_to_string(array(
    select ${VERSION} from app.decisions d
    where d.agent_id = (select a.agent_id from app.agents a where a.agent_id = w.agent_id and a.owner_id = w.owner_id)
      and (w.include_archived or d.archived_at is null)
      and (d.submission_time, d.record_id) < (w.after_time, w.after_id)
    order by d.submission_time desc, d.record_id desc
    limit w.most
  ), ',') as versions
  from jsonb_to_recordset($1::jsonb) w(owner_id uuid, agent_id text, include_archived boolean, after_time timestamptz,
    after_id text, most int, position int)`;

const READ_RECORDS = `
  select ${VERSION} || ' ' || ${SERVER} as version, ${LISTED_COLUMNS}
  from app.wanted_records(record_ids => $1::text[], viewers => '{}') w
  join app.decisions d on d.record_id = w.record_id`;

/**
 * `windowCountsUpToLimit` of the rows of a query, as an expression: `WindowCounts` as jsonb, or null.
 * @param members the query, which returns WINDOW_COLUMNS
 * @param zones the time zone of each venue as jsonb; days of other venues are those of UTC
 */
export function windowCountsOf(members: string, zones: string): string {
  return `(
    with members as materialized (${members} limit ${COHORT.mostWindows + 1}),
    minutes as materialized (
      select dense_rank() over (order by security collate "C")::int as security,
        (anchor_time at time zone coalesce(${zones}::jsonb ->> venue, 'UTC'))::date as day,
        floor(date_part('epoch', anchor_time) / 60)::int as since,
        floor(date_part('epoch', end_time) / 60)::int as until
      from members
    ),
    of_securities as (
      select app.disjoint_windows(since_until order by until) as disjoint
      from (select security, until, array[since, until] as since_until from minutes) pairs group by security
    ),
    -- Places are in the order of securities and minutes, as one number, which is sorted faster. An end comes before the
    -- starts of the same minute, since a window does not contain its start.
    steps as (
      select (security::bigint << 32) + 2 * since::bigint + 1 as place, 1 as step from minutes
      union all select (security::bigint << 32) + 2 * until::bigint, -1 from minutes
    ),
    open_windows as (select sum(step) over (order by place rows unbounded preceding) as windows from steps)
    select case when (select count(*) from members) <= ${COHORT.mostWindows} then (
      select jsonb_build_object('instruments', count(*),
        'instrument_days', (select count(*) from (select distinct security, day from minutes) days),
        'max_concurrent', (select coalesce(max(windows), 0) from open_windows),
        'disjoint', coalesce(sum(disjoint), 0))
      from of_securities) end)`;
}
