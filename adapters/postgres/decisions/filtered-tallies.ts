import { RECORD_GROUP, UNGRADED_REASON } from './record-group.ts';
import { talliesOfOwner } from './track-counts.ts';

/**
 * `RecordTally` rows of the records of agent $1 and of its owner $11 that match the filter $2 to $10. SQL by hand:
 * aggregates. Those of the owner are counted from cells where these keep apart what the filter asks for.
 * @param narrowing the fields of the filter that are not null, but for `result_bucket` and `has_outcome`
 */
export function tallyStatement([field, ...more]: readonly string[]): string {
  if (more.length > 0) return TALLY_AGENT + TALLY_OWNER;
  if (field === 'symbols') return `${TALLY_AGENT} ${TALLY_OWNER_SYMBOLS}`;
  return `${TALLY_AGENT} ${field === 'direction' ? TALLY_OWNER_DIRECTION : TALLY_OWNER}`;
}

/** The filter of a track record, $2 to $10. */
export const MATCHES = `($2::text[] is null or d.market || ':' || d.symbol = any($2))
      and ($3::text is null or d.direction = $3)
      and ($4::text is null or d.perspective_type = $4)
      and (($5::bigint is null and $6::bigint is null) or (d.horizon_kind = 'holding_seconds'
        and d.horizon_value >= coalesce($5, 0) and ($6::bigint is null or d.horizon_value <= $6)))
      and ($7::text is null or (app.is_public(d.lifecycle_state) and d.result_bucket = $7))
      and ($8::boolean is null or app.is_public(d.lifecycle_state) = $8)
      and ($9::timestamptz is null or d.submission_time >= $9)
      and ($10::timestamptz is null or d.submission_time < $10)`;

/** The tallies of the agent, before those of its owner. */
const TALLY_AGENT = `
  with counted as (
    select d.submission_origin, ${RECORD_GROUP} as record_group, ${UNGRADED_REASON} as ungraded, d.move, d.direction,
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
  select 'owner', '', d.submission_origin, ${RECORD_GROUP}, ${UNGRADED_REASON}, d.move, count(*)::int,
    min(d.submission_time), max(d.submission_time)
  from app.decisions d where d.owner_id = $11 and ${MATCHES}
  group by 3, 4, 5, 6`;

const OF_OWNER = { owner: '$11', bucket: '$7', outcome: '$8' } as const;
const TALLY_OWNER_SYMBOLS = talliesOfOwner({ ...OF_OWNER, facet: 'symbol', keys: '$2::text[]' });
const TALLY_OWNER_DIRECTION = talliesOfOwner({ ...OF_OWNER, facet: 'direction', keys: 'array[$3::text]' });
