import type { PeriodTally } from '../../../domain/decisions/own/outcome-periods.ts';
import type {
  ListedDecision,
  OwnerRecords,
  RecordFilter,
  RecordPlace,
  TrackRecordFilter,
} from '../../../domain/decisions/own/owner-records.ts';
import { countsOf } from '../../../domain/decisions/own/record-counts.ts';
import type { AgentTallies, KnowledgeTally, RecordTally } from '../../../domain/decisions/own/track-record.ts';
import { type WindowCounts, windowCounts } from '../../../domain/decisions/own/window-counts.ts';
import { COHORT } from '../../../domain/limits.ts';
import { VENUE_TIME_ZONES } from '../../../domain/market/calendars/by-venue.ts';
import { leads } from '../cohorts/cohort-conditions.ts';
import type { Sql } from '../kit/sql.ts';
import {
  agentLists,
  COUNTED_MOVE,
  COUNTS_BY_BUCKET,
  RECORD_GROUP,
  UNCOUNTED_REASON,
  WINDOW_COLUMNS,
  windowCountsOf,
} from './agent-lists.ts';
import { LISTED_COLUMNS } from './decision-reader.ts';
import { OF_GROUP, TALLY_ALL, TALLY_GROUP, talliesOfOwner } from './track-counts.ts';

/** The filter of a track record, $2 to $10. */
const MATCHES = `($2::text[] is null or d.market || ':' || d.symbol = any($2))
      and ($3::text is null or d.direction = $3)
      and ($4::text is null or d.perspective_type = $4)
      and (($5::bigint is null and $6::bigint is null) or (d.horizon_kind = 'holding_seconds'
        and d.horizon_value >= coalesce($5, 0) and ($6::bigint is null or d.horizon_value <= $6)))
      and ($7::text is null or (${COUNTS_BY_BUCKET} and d.result_bucket = $7))
      and ($8::boolean is null or ${COUNTS_BY_BUCKET} = $8)
      and ($9::timestamptz is null or d.submission_time >= $9)
      and ($10::timestamptz is null or d.submission_time < $10)`;

/** The tallies of the agent, before those of its owner. */
const TALLY_AGENT = `
  with counted as (
    select d.submission_origin, ${RECORD_GROUP} as record_group, ${UNCOUNTED_REASON} as ungraded, ${COUNTED_MOVE} as move, d.direction,
      d.market || ':' || d.symbol as symbol, date_trunc('month', d.submission_time at time zone 'UTC') as month,
      case when doc.confidence = 1 then 9 else floor(doc.confidence * 10) end as tenth, d.submission_time
    from app.decisions d
    left join app.decision_documents doc on doc.record_id = d.record_id and doc.confidence is not null
    where d.agent_id = $1 and ${MATCHES}
  )
  select case when grouping(direction) = 0 then 'direction' when grouping(symbol) = 0 then 'symbol'
      when grouping(month) = 0 then 'month' when grouping(tenth) = 0 then 'confidence' else 'all' end as facet,
    coalesce(direction, symbol, to_char(month, 'YYYY-MM'), tenth::text, '') as key,
    submission_origin, record_group, ungraded, move, count(*)::int as records, min(submission_time) as first,
    max(submission_time) as last
  from counted
  group by submission_origin, record_group, ungraded, move, grouping sets ((), direction, symbol, month, tenth)
  having grouping(tenth) = 1 or tenth is not null
  union all`;

const TALLY_OWNER = `
  select 'owner', '', d.submission_origin, ${RECORD_GROUP}, ${UNCOUNTED_REASON}, ${COUNTED_MOVE}, count(*)::int,
    min(d.submission_time), max(d.submission_time)
  from app.decisions d where d.owner_id = $11 and ${MATCHES}
  group by 3, 4, 5, 6`;

const OF_OWNER = { owner: '$11', bucket: '$7', outcome: '$8' } as const;

const TALLY_OWNER_SYMBOLS = talliesOfOwner({ ...OF_OWNER, facet: 'symbol', keys: '$2::text[]' });

const TALLY_OWNER_DIRECTION = talliesOfOwner({ ...OF_OWNER, facet: 'direction', keys: 'array[$3::text]' });

export function postgresOwnerRecords(sql: Sql): OwnerRecords {
  const ofAgent = agentLists(sql);
  return {
    list(owner_id, filter, after, limit) {
      const { agent_id, include_archived } = filter;
      if (agent_id !== null && isNarrowedByAgentAlone(filter)) {
        return ofAgent({ owner_id, agent_id, include_archived, after, limit });
      }
      const { text, values, name } = listStatement(owner_id, filter, after, limit);
      return sql.rows<ListedDecision>(text, values, name);
    },

    async archive(owner_id, record_id, reason) {
      return (await sql.rows(ARCHIVE, [owner_id, record_id, reason])).length > 0;
    },

    async tally(owner_id, agent_id, filter) {
      const [own] = await sql.rows<{ agent_count: number }>(OWN_AGENT, [agent_id, owner_id]);
      if (!own) return null;
      const counted = await talliesOf(sql, owner_id, agent_id, filter);
      const tallies = counted.filter((each): each is RecordTally => each.facet !== 'further');
      const windows = await windowsOf(sql, tallyValues(agent_id, filter), tallies);
      const knowledge = await knowledgeOfRecords(sql, tallyValues(agent_id, filter), tallies);
      return { ...own, tallies, windows, knowledge, further: furtherOf(counted) };
    },

    async countOutcomes(owner_id, { agent_id, since }, by, atMost) {
      const values = [owner_id, since ?? '-infinity', by, atMost + 1, agent_id];
      const tallies = await sql.rows<PeriodTally>(OUTCOMES, values);
      return tallies.reduce((sum, { records }) => sum + records, 0) > atMost ? null : tallies;
    },
  };
}

function isNarrowedByAgentAlone({ include_archived: _, agent_id: __, ...narrowing }: RecordFilter): boolean {
  return Object.values(narrowing).every((value) => value === null);
}

/**
 * Only with the conditions that are asked for, so that it is planned by them. What is asked most after an agent's records,
 * an owner's, is planned once per connection; other combinations are too many to be kept.
 */
function listStatement(owner_id: string, filter: RecordFilter, after: RecordPlace | null, limit: number) {
  const { include_archived, ...narrowing } = filter;
  const values: unknown[] = [owner_id];
  // Of the indexes by owner and by agent, each in the order of the list, one is enough. That of evaluations is by owner.
  const conditions = filter.agent_id === null || filter.evaluated_since !== null ? ['d.owner_id = $1'] : [];
  const narrowed = Object.entries(narrowing).filter(([, value]) => value !== null);
  for (const [field, value] of narrowed) {
    conditions.push(CONDITIONS[field as keyof typeof narrowing].replace('?', `$${values.push(value)}`));
  }
  if (!include_archived) conditions.push('d.archived_at is null');
  if (after) {
    const [time, id] = [after.submission_time, after.record_id].map((value) => `$${values.push(value)}`);
    conditions.push(`(d.submission_time, d.record_id) < (${time}, ${id})`);
  }
  return {
    text: `select ${LISTED_COLUMNS} from app.decisions d where ${conditions.join(' and ')}
      order by d.submission_time desc, d.record_id desc limit $${values.push(limit)}`,
    values,
    ...(narrowed.length === 0 && { name: `own records ${include_archived} ${after !== null}` }),
  };
}

const CONDITIONS: Readonly<Record<Exclude<keyof RecordFilter, 'include_archived'>, string>> = {
  group_id: 'd.group_id = ?',
  agent_id: 'd.agent_id = (select a.agent_id from app.agents a where a.agent_id = ? and a.owner_id = $1)',
  market: 'd.market = ?',
  symbols: "d.market || ':' || d.symbol = any(?)",
  venue: 'd.venue = ?',
  asset_class: 'd.asset_class = ?',
  quote_currency: 'd.quote_currency = ?',
  direction: 'd.direction = ?',
  lifecycle_state: 'd.lifecycle_state = ?',
  result_bucket: 'd.result_bucket = ?',
  submitted_since: 'd.submission_time >= ?',
  submitted_until: 'd.submission_time < ?',
  evaluated_since: 'd.evaluated_at >= ?',
  submission_origin: 'd.submission_origin = ?',
  ended_since: 'd.end_time >= ?',
  ended_until: 'd.end_time < ?',
};

/** By the index `outcomes_of_owner` alone, which has all columns but the state, and that in its condition. SQL by hand: aggregates. */
const OUTCOMES = `
  select to_char(period, 'YYYY-MM-DD') as period, submission_origin, direction, result_bucket, move, records
  from (
    select date_trunc($3, d.end_time at time zone 'UTC') as period, d.submission_origin, d.direction,
      case when ${COUNTS_BY_BUCKET} then d.result_bucket end as result_bucket, ${COUNTED_MOVE} as move, count(*)::int as records
    from (
      select 'evaluated'::text as lifecycle_state, end_time, submission_origin, direction, result_bucket, move, method, cohort_exception
      from app.decisions where owner_id = $1 and app.is_public(lifecycle_state) and end_time >= $2
        and ($5::text is null or agent_id = $5)
      limit $4
    ) d
    group by 1, 2, 3, 4, 5
  ) counted`;

const ARCHIVE = `
  with marked as (
    update app.decisions set archived_at = app.now(), archive_reason = $3
    where record_id = $2 and owner_id = $1 and archived_at is null
  )
  select from app.decisions where record_id = $2 and owner_id = $1`;

const OWN_AGENT = `
  select (select count(*)::int from app.agents where owner_id = $2) as agent_count
  from app.agents where agent_id = $1 and owner_id = $2`;

function tallyValues(agent_id: string, filter: TrackRecordFilter) {
  const { symbols, direction, perspective_type, holding_seconds_min, holding_seconds_max } = filter;
  const { result_bucket, has_outcome, since, until } = filter;
  return [
    ...[agent_id, symbols, direction, perspective_type, holding_seconds_min, holding_seconds_max],
    ...[result_bucket, has_outcome, since, until],
  ];
}

type Counted = RecordTally | (Omit<RecordTally, 'facet'> & { readonly facet: 'further' });

/**
 * From stored counts where they keep apart what the filter asks for. The further horizons are counted by the same
 * statement: a group that is received or graded between two would be counted by one of them alone.
 */
function talliesOf(sql: Sql, owner_id: string, agent_id: string, filter: TrackRecordFilter) {
  const { result_bucket, has_outcome, ...others } = filter;
  const narrowing = Object.entries(others).flatMap(([field, value]) => (value === null ? [] : [field]));
  if (narrowing.length > 0) {
    const statement = tallyStatement(narrowing) + furtherTally(MATCHES);
    return sql.rows<Counted>(statement, [...tallyValues(agent_id, filter), owner_id]);
  }
  if (result_bucket === null && has_outcome === null) {
    return sql.rows<Counted>(TALLY_ALL + furtherTally('true'), [agent_id, owner_id]);
  }
  const statement = TALLY_GROUP + furtherTally(OF_GROUP);
  return sql.rows<Counted>(statement, [agent_id, owner_id, result_bucket, has_outcome]);
}

/** By the index `further_horizons`, which has the records of groups alone. @param matches the filter, as SQL */
function furtherTally(matches: string): string {
  return `
  union all
  select 'further', '', d.submission_origin, 'pending', null::text, null::smallint, count(*)::int, null::timestamptz,
    null::timestamptz
  from app.decisions d where d.agent_id = $1 and d.group_place > 1 and ${matches} group by d.submission_origin`;
}

function furtherOf(counted: readonly Counted[]): AgentTallies['further'] {
  const of = (origin: Origin) =>
    counted.find((each) => each.facet === 'further' && each.submission_origin === origin)?.records ?? 0;
  return { realtime: of('realtime'), retroactive: of('retroactive') };
}

type Origin = RecordTally['submission_origin'];

/** Origins of which there are none, or too many to be counted, are not read. */
async function windowsOf(
  sql: Sql,
  values: readonly unknown[],
  tallies: readonly RecordTally[],
): Promise<AgentTallies['windows']> {
  const of = async (origin: Origin): Promise<WindowCounts | null> => {
    const { evaluated_count } = countsOf(
      tallies.filter(({ facet, submission_origin }) => facet === 'all' && submission_origin === origin),
    );
    if (evaluated_count === 0) return windowCounts([]);
    if (evaluated_count > COHORT.mostWindows) return null;
    const [row] = await sql.rows<{ windows: WindowCounts | null }>(WINDOWS[origin], [...values, VENUE_TIME_ZONES]);
    return row?.windows ?? null;
  };
  return { realtime: await of('realtime'), retroactive: await of('retroactive') };
}

/** Of too many records it is not read, as their windows. */
async function knowledgeOfRecords(
  sql: Sql,
  values: readonly unknown[],
  tallies: readonly RecordTally[],
): Promise<AgentTallies['knowledge']> {
  const countOf = (origin: Origin) =>
    countsOf(tallies.filter(({ facet, submission_origin }) => facet === 'all' && submission_origin === origin))
      .submission_count;
  const of = async (origin: Origin) => {
    const count = countOf(origin);
    if (count === 0) return [];
    return count > COHORT.mostWindows ? null : sql.rows<KnowledgeTally>(KNOWLEDGE, [...values, origin]);
  };
  return { realtime: await of('realtime'), retroactive: await of('retroactive') };
}

/**
 * As `knowledgeOf`, by the text of the statement: quotes inside of its strings are escaped, so that no other member has this
 * form. What is no time says nothing.
 */
const KNOWLEDGE = `
  select ${RECORD_GROUP} as record_group, ${UNCOUNTED_REASON} as ungraded, ${COUNTED_MOVE} as move,
    case when k.until is null then 'without' when d.data_cutoff < k.until then 'before' else 'after' end as key,
    count(*)::int as records
  from app.decisions d join app.decision_documents doc using (record_id)
  cross join lateral (select substring(doc.statement from '"model":[{](?:"id":"(?:[^"\\\\]|\\\\.)*",)?"knowledge_cutoff":"([0-9TtZz:.+-]+)"') as said) s
  cross join lateral (select case when s.said ~ '^[0-9]{4}-[0-9]{2}-[0-9]{2}$' then (s.said::date + 1) at time zone 'UTC'
    else s.said::timestamptz end as until) k
  where d.agent_id = $1 and d.submission_origin = $11 and ${MATCHES}
  group by 1, 2, 3, 4`;

function windowsStatement(origin: Origin): string {
  const graded = `${COUNTS_BY_BUCKET} and d.submission_origin = '${origin}'`;
  return `select ${windowCountsOf(
    `select ${WINDOW_COLUMNS} from app.decisions d where d.agent_id = $1 and ${graded} and ${leads('d')}
      and ${MATCHES}`,
    '$11',
  )} as windows`;
}

const WINDOWS = { realtime: windowsStatement('realtime'), retroactive: windowsStatement('retroactive') } as const;

/**
 * `RecordTally` rows of the records of agent $1 and of its owner $11 that match the filter $2 to $10. SQL by hand:
 * aggregates. Those of the owner are counted from cells where these keep apart what the filter asks for.
 * @param narrowing the fields of the filter that are not null, but for `result_bucket` and `has_outcome`
 */
function tallyStatement([field, ...more]: readonly string[]): string {
  if (more.length > 0) return TALLY_AGENT + TALLY_OWNER;
  if (field === 'symbols') return `${TALLY_AGENT} ${TALLY_OWNER_SYMBOLS}`;
  return `${TALLY_AGENT} ${field === 'direction' ? TALLY_OWNER_DIRECTION : TALLY_OWNER}`;
}
