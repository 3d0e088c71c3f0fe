import { COHORT } from '../../../domain/limits.ts';

/**
 * Rows of app.track_counts `c` as tallies: columns `record_group`, `ungraded`, `move` and `records`. Tallies of one key
 * add up to its counts: what is pending is received without what is in another group, so some numbers are negative.
 */
const AS_TALLIES = `cross join lateral (
      select 'pending' as record_group, null as ungraded, null::smallint as move,
        case c.kind when 'received' then c.n else -c.n end as records
      where c.facet <> 'confidence'
      union all
      select case when app.is_public(c.kind) then c.result_bucket else 'unavailable' end, nullif(c.ungraded, ''),
        nullif(c.move, -1), c.n
      where c.kind <> 'received'
    ) t`;

/** @param agent the agent, as SQL; the query returns its tallies of the facet `all` */
export function talliesOf(agent: string): string {
  return `select c.submission_origin, t.record_group, t.ungraded, t.move, sum(t.records)::int as records
    from app.track_counts c ${AS_TALLIES}
    where c.agent_id = ${agent} and c.facet = 'direction' and c.kind <> 'archived'
    group by 1, 2, 3, 4 having sum(t.records) <> 0`;
}

const topSymbols = (origin: string) => `array(
      select key from app.track_counts
      where agent_id = $1 and facet = 'symbol' and submission_origin = '${origin}' and kind = 'received'
      group by key order by sum(n) desc, key collate "C" limit ${COHORT.trackRecordSymbols})`;

/** The directions count in `all` too. Their kinds are named, so that the primary key of the cells finds the symbols. */
const FACETS = `
  select c.*, f.name as counted_in, f.key as counted_key
  from app.track_counts c
  cross join lateral (values (c.facet, c.key), ('all', '')) f(name, key)
  where c.agent_id = $1 and c.facet in ('direction', 'month', 'confidence') and c.kind <> 'archived'
    and (f.name <> 'all' or c.facet = 'direction')
  union all
  select c.*, c.facet, c.key from app.track_counts c
  where c.agent_id = $1 and c.facet = 'symbol' and c.submission_origin in ('realtime', 'retroactive')
    and c.kind in ('received', 'evaluated', 'rejected', 'data_unavailable', 'quarantined')
    and c.key = any(${topSymbols('realtime')} || ${topSymbols('retroactive')})
  union all
  select c.*, 'owner', '' from app.agents a join app.track_counts c on c.agent_id = a.agent_id
  where a.owner_id = $2 and c.facet = 'direction' and c.kind <> 'archived'`;

/**
 * `RecordTally` rows of all records of agent $1 and its owner $2, from stored counts: as many for few records as for
 * many; pending ones also where there are none, with the times of what was received. Only the symbols with the most submissions of each origin are counted. SQL by hand: aggregates.
 */
export const TALLY_ALL = `
  with c as (${FACETS})
  select c.counted_in as facet, c.counted_key as key, c.submission_origin, t.record_group, t.ungraded, t.move,
    sum(t.records)::int as records, min(min(c.first)) over same as first, max(max(c.last)) over same as last
  from c ${AS_TALLIES}
  group by 1, 2, 3, 4, 5, 6 having sum(t.records) <> 0 or t.record_group = 'pending'
  window same as (partition by c.counted_in, c.counted_key, c.submission_origin)`;
