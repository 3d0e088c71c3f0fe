import { SUSPECTED } from '../../../domain/decisions/ungraded.ts';
import { COHORT } from '../../../domain/limits.ts';
import { COUNTS_BY_BUCKET } from './agent-lists.ts';

/**
 * Rows of app.track_counts `c` as tallies: columns `record_group`, `ungraded`, `move` and `records`. Tallies of one key
 * add up to its counts: what is pending is received without what is in another group, so some numbers are negative.
 */
const AS_TALLIES = `cross join lateral (
      select 'pending' as record_group, null as ungraded, null::smallint as move,
        case c.kind when 'received' then c.n else -c.n end as records
      where c.facet <> 'confidence'
      union all
      select coalesce(nullif(c.result_bucket, ''), 'unavailable'),
        case when app.is_public(c.kind) and c.result_bucket = '' then coalesce(nullif(c.ungraded, ''), '${SUSPECTED}')
          else nullif(c.ungraded, '') end,
        nullif(c.move, -1), c.n
      where c.kind <> 'received'
    ) t`;

/**
 * The agents of an owner as an array: PostgreSQL passes a condition on one, and no join, into the parts of
 * app.track_counts, where the indexes of cells and tail serve it.
 * @param owner as SQL
 */
export const agentsOf = (owner: string) => `array(select agent_id from app.agents where owner_id = ${owner})`;

/** @param agent the agent, as SQL; the query returns its tallies of the facet `all` */
export function talliesOf(agent: string): string {
  return `select c.submission_origin, t.record_group, t.ungraded, t.move, sum(t.records)::int as records
    from app.track_counts c ${AS_TALLIES}
    where c.agent_id = ${agent} and c.facet = 'direction' and c.kind <> 'archived'
    group by 1, 2, 3, 4 having sum(t.records) <> 0`;
}

/** Of which records the tallies of an owner are; each value is a parameter. */
interface OfOwner {
  readonly owner: string;
  readonly facet: 'direction' | 'symbol';
  /** An array of keys of the facet. */
  readonly keys: string;
  readonly bucket: string;
  readonly outcome: string;
}

/**
 * `RecordTally` rows of the facet `owner`, without times, of the records with some keys of one facet: as many cells for
 * few records as for many.
 */
export function talliesOfOwner({ owner, facet, keys, bucket, outcome }: OfOwner): string {
  return `select 'owner', '', c.submission_origin, t.record_group, t.ungraded, t.move, sum(t.records)::int,
    null::timestamptz, null::timestamptz
  from app.track_counts c ${AS_TALLIES}
  where c.agent_id = any(${agentsOf(owner)}) and c.facet = '${facet}' and c.key = any(${keys})
    and c.submission_origin in ('realtime', 'retroactive')
    and c.kind in ('received', 'evaluated', 'rejected', 'data_unavailable', 'quarantined') and ${inGroup(bucket, outcome)}
  group by 3, 4, 5, 6 having sum(t.records) <> 0`;
}

const topSymbols = (of: string, counted: string) => (origin: string) =>
  `array(
      select c.key from app.track_counts c ${counted}
      and c.agent_id = $1 and c.facet = 'symbol' and c.submission_origin = '${origin}'
      group by c.key order by sum(${of}) desc, c.key collate "C" limit ${COHORT.trackRecordSymbols})`;

/** The directions count in `all` too. Their kinds are named, so that the primary key of the cells finds the symbols. */
const facets = (top: (origin: string) => string) => `
  select c.*, f.name as counted_in, f.key as counted_key
  from app.track_counts c
  cross join lateral (values (c.facet, c.key), ('all', '')) f(name, key)
  where c.agent_id = $1 and c.facet in ('direction', 'month', 'confidence') and c.kind <> 'archived'
    and (f.name <> 'all' or c.facet = 'direction')
  union all
  select c.*, c.facet, c.key from app.track_counts c
  where c.agent_id = $1 and c.facet = 'symbol' and c.submission_origin in ('realtime', 'retroactive')
    and c.kind in ('received', 'evaluated', 'rejected', 'data_unavailable', 'quarantined')
    and c.key = any(${top('realtime')} || ${top('retroactive')})
  union all
  select c.*, 'owner', '' from app.track_counts c
  where c.agent_id = any(${agentsOf('$2')}) and c.facet = 'direction' and c.kind <> 'archived'`;

/**
 * `RecordTally` rows of all records of agent $1 and its owner $2, from stored counts: as many for few records as for
 * many; pending ones also where there are none, with the times of what was received. Only the symbols with the most
 * submissions of each origin are counted. SQL by hand: aggregates.
 */
export const TALLY_ALL = `
  with c as (${facets(topSymbols('c.n', `where c.kind = 'received'`))})
  select c.counted_in as facet, c.counted_key as key, c.submission_origin, t.record_group, t.ungraded, t.move,
    sum(t.records)::int as records, min(min(c.first)) over same as first, max(max(c.last)) over same as last
  from c ${AS_TALLIES}
  group by 1, 2, 3, 4, 5, 6 having sum(t.records) <> 0 or t.record_group = 'pending'
  window same as (partition by c.counted_in, c.counted_key, c.submission_origin)`;

/** @param bucket and `outcome`: parameters, null of which selects all */
const inGroup = (bucket: string, outcome: string) => `(${bucket}::text is null or t.record_group = ${bucket})
    and (${outcome}::boolean is null or ${outcome} = (t.record_group not in ('pending', 'unavailable')))`;

const IN_GROUP = inGroup('$3', '$4');

/** The same of a row `d` of app.decisions. */
export const OF_GROUP = `($3::text is null or (${COUNTS_BY_BUCKET} and d.result_bucket = $3))
        and ($4::boolean is null or ${COUNTS_BY_BUCKET} = $4)`;

/** The time of the first or the last record of the group in a month of `m`. */
const outermost = (month: 'min' | 'max', order: 'asc' | 'desc') => `(
      select d.submission_time from app.decisions d
      where d.agent_id = $1 and d.submission_origin = m.submission_origin
        and d.submission_time >= m.${month} and d.submission_time < app.period_end(period => 'month', at => m.${month})
        and ${OF_GROUP}
      order by d.submission_time ${order} limit 1)`;

/**
 * The same of the records that are evaluated with the bucket $3, and are evaluated or not ($4); null of either selects
 * all. The counts of months show in which the first and the last record are. Of other facets than `all`, the times are
 * those of `all`.
 */
export const TALLY_GROUP = `
  with c as (${facets(topSymbols('t.records', `${AS_TALLIES} where ${IN_GROUP}`))}),
  tallies as materialized (
    select c.counted_in as facet, c.counted_key as key, c.submission_origin, t.record_group, t.ungraded, t.move,
      sum(t.records)::int as records
    from c ${AS_TALLIES} where ${IN_GROUP}
    group by 1, 2, 3, 4, 5, 6 having sum(t.records) <> 0
  ),
  months as (
    select submission_origin, min(month), max(month)
    from tallies, lateral (select (key || '-01')::timestamp at time zone 'UTC' as month) of_month
    where facet = 'month' group by 1
  ),
  ends as materialized (
    select m.submission_origin, ${outermost('min', 'asc')} as first, ${outermost('max', 'desc')} as last from months m
  )
  select t.*, e.first, e.last from tallies t left join ends e on e.submission_origin = t.submission_origin`;
