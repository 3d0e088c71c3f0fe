import type {
  ListedDecision,
  OwnerRecords,
  RecordFilter,
  RecordPlace,
  TrackRecordFilter,
} from '../../domain/decisions/owner-records.ts';
import type { RecordTally } from '../../domain/decisions/track-record.ts';
import { DECISION_COLUMNS } from './decision-reader.ts';
import type { Sql } from './sql.ts';
import { STANDING } from './standing.ts';

export function postgresOwnerRecords(sql: Sql): OwnerRecords {
  return {
    list: (owner_id, filter, after, limit) =>
      sql.rows<ListedDecision>(LIST, listValues(owner_id, filter, after, limit)),

    async archive(owner_id, record_id, reason) {
      return (await sql.rows(ARCHIVE, [owner_id, record_id, reason])).length > 0;
    },

    async tally(owner_id, agent_id, filter) {
      const own = await sql.rows(OWN_AGENT, [agent_id, owner_id]);
      return own.length > 0 ? sql.rows<RecordTally>(TALLY, tallyValues(agent_id, filter)) : null;
    },
  };
}

function listValues(owner_id: string, filter: RecordFilter, after: RecordPlace | null, limit: number) {
  const { agent_id, market, symbols, venue, asset_class, quote_currency, direction, lifecycle_state } = filter;
  const { result_bucket, submitted_since, submitted_until, include_archived } = filter;
  return [
    ...[owner_id, agent_id, market, symbols, venue, asset_class, quote_currency, direction, lifecycle_state],
    ...[result_bucket, submitted_since, submitted_until, include_archived],
    ...[after?.submission_time ?? null, after?.record_id ?? null, limit],
  ];
}

/** The columns of `ListedDecision`. */
export const LISTED_COLUMNS = `${DECISION_COLUMNS}, d.raw_return, d.directional_return, d.mfe, d.mae`;

/** Unnamed, so that it is planned by the filters that are there. */
const LIST = `
  select ${LISTED_COLUMNS}
  from app.decisions d
  where d.owner_id = $1
    and ($2::text is null or d.agent_id = $2)
    and ($3::text is null or d.market = $3)
    and ($4::text[] is null or d.market || ':' || d.symbol = any($4))
    and ($5::text is null or d.venue = $5)
    and ($6::text is null or d.asset_class = $6)
    and ($7::text is null or d.quote_currency = $7)
    and ($8::text is null or d.direction = $8)
    and ($9::text is null or d.lifecycle_state = $9)
    and ($10::text is null or d.result_bucket = $10)
    and ($11::timestamptz is null or d.submission_time >= $11)
    and ($12::timestamptz is null or d.submission_time < $12)
    and ($13 or d.archived_at is null)
    and ($14::timestamptz is null or (d.submission_time, d.record_id) < ($14, $15))
  order by d.submission_time desc, d.record_id desc
  limit $16`;

const ARCHIVE = `
  with marked as (
    update app.decisions set archived_at = app.now(), archive_reason = $3
    where record_id = $2 and owner_id = $1 and archived_at is null
  )
  select from app.decisions where record_id = $2 and owner_id = $1`;

const OWN_AGENT = 'select from app.agents where agent_id = $1 and owner_id = $2';

function tallyValues(agent_id: string, filter: TrackRecordFilter) {
  const { symbols, direction, perspective_type, holding_seconds_min, holding_seconds_max } = filter;
  const { result_bucket, has_outcome, since, until } = filter;
  return [
    ...[agent_id, symbols, direction, perspective_type, holding_seconds_min, holding_seconds_max],
    ...[result_bucket, has_outcome, since, until],
  ];
}

const TALLY = `
  with counted as (
    select d.submission_origin, ${STANDING} as standing, d.direction, d.market || ':' || d.symbol as symbol,
      date_trunc('month', d.submission_time at time zone 'UTC') as month,
      case when doc.confidence = 1 then 9 else floor(doc.confidence * 10) end as tenth, d.submission_time
    from app.decisions d
    left join app.decision_documents doc on doc.record_id = d.record_id and doc.confidence is not null
    where d.agent_id = $1
      and ($2::text[] is null or d.market || ':' || d.symbol = any($2))
      and ($3::text is null or d.direction = $3)
      and ($4::text is null or d.perspective_type = $4)
      and (($5::bigint is null and $6::bigint is null) or (d.horizon_kind = 'holding_seconds'
        and d.horizon_value >= coalesce($5, 0) and ($6::bigint is null or d.horizon_value <= $6)))
      and ($7::text is null or (d.lifecycle_state = 'evaluated' and d.result_bucket = $7))
      and ($8::boolean is null or (d.lifecycle_state = 'evaluated') = $8)
      and ($9::timestamptz is null or d.submission_time >= $9)
      and ($10::timestamptz is null or d.submission_time < $10)
  )
  select case when grouping(direction) = 0 then 'direction' when grouping(symbol) = 0 then 'symbol'
      when grouping(month) = 0 then 'month' when grouping(tenth) = 0 then 'confidence' else 'all' end as facet,
    coalesce(direction, symbol, to_char(month, 'YYYY-MM'), tenth::text, '') as key,
    submission_origin, standing, count(*)::int as records, min(submission_time) as first, max(submission_time) as last
  from counted
  group by submission_origin, standing, grouping sets ((), direction, symbol, month, tenth)
  having grouping(tenth) = 1 or tenth is not null`;
