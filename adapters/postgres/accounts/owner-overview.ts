import type { ListedAgent, OwnerCounts, OwnerOverview } from '../../../domain/accounts/owner.ts';
import { LIFECYCLE_STATES } from '../../../domain/decisions/lifecycle.ts';
import { agentCounts, type RecordTally } from '../../../domain/decisions/own/track-record.ts';
import { RESULT_BUCKETS } from '../../../domain/grading/outcome.ts';
import { agentsOf, talliesOf } from '../decisions/track-counts.ts';
import type { Sql } from '../kit/sql.ts';

/** SQL by hand: aggregates, and a cache of them. */
export function postgresOwnerOverview(sql: Sql): OwnerOverview {
  return {
    async agents(owner_id, maxAge, { archived, after, limit }) {
      const values = [owner_id, maxAge, archived, after?.created_at ?? null, after?.agent_id ?? null, limit];
      const rows = await sql.rows<AgentRow>(AGENTS, values);
      return rows.map(({ tallies, ...agent }) => ({ ...agent, counts: agentCounts(tallies) }));
    },

    async counts(owner_id) {
      const [row] = await sql.rows<CountsRow>(COUNTS, [owner_id]);
      if (!row) throw new Error('Nothing was counted.');
      const { states, buckets, ...counts } = row;
      return { ...counts, by_state: each(LIFECYCLE_STATES, states), by_bucket: each(RESULT_BUCKETS, buckets) };
    },
  };
}

interface AgentRow extends Omit<ListedAgent, 'counts'> {
  readonly tallies: readonly RecordTally[];
}

interface CountsRow extends Omit<OwnerCounts, 'by_state' | 'by_bucket'> {
  /** Those that there are, by name. */
  readonly states: Readonly<Record<string, number>>;
  readonly buckets: Readonly<Record<string, number>>;
}

/** All names, in their order; 0 for those that nothing was counted of. */
function each<Name extends string>(names: readonly Name[], counted: Readonly<Record<string, number>>) {
  return Object.fromEntries(names.map((name) => [name, counted[name] ?? 0])) as Record<Name, number>;
}

/**
 * Agents whose counts are too old are counted anew, and noted in one order by all, so that two who do so never deadlock.
 * Their rows are held meanwhile, so that none of them goes before its counts are noted. Counts that a node
 * of the release before noted lack the reasons of ungraded records, and are counted anew too.
 */
const AGENTS = `
  with clock as materialized (select app.now() as at),
  page as materialized (
    select a.* from app.agents a
    where a.owner_id = $1 and ($3 or a.archived_at is null)
      and ($4::timestamptz is null or (a.created_at, a.agent_id) > ($4, $5::text))
    order by a.created_at, a.agent_id limit $6
  ),
  kept as materialized (
    select c.agent_id, c.tallies, c.cached_at
    from clock, page a join app.agent_counts c on c.agent_id = a.agent_id
    where c.cached_at <= clock.at and c.cached_at > clock.at - $2 * interval '1 millisecond'
      and not c.tallies @? '$[*] ? (!exists(@.ungraded) || !exists(@.move))'
  ),
  stale as materialized (
    select a.agent_id from app.agents a
    where a.agent_id in (select agent_id from page) and not exists (select from kept k where k.agent_id = a.agent_id)
    order by a.agent_id for key share
  ),
  counted as materialized (
    select s.agent_id, clock.at as cached_at,
      coalesce((select jsonb_agg(t) from (${talliesOf('s.agent_id')}) t), '[]') as tallies
    from clock, stale s
  ),
  noted as (
    insert into app.agent_counts (agent_id, tallies, cached_at)
    select agent_id, tallies, cached_at from counted order by agent_id
    on conflict (agent_id) do update set tallies = excluded.tallies, cached_at = excluded.cached_at
  )
  select a.agent_id, a.owner_id, a.name, a.created_at, a.archived_at, c.tallies, c.cached_at, coalesce((
      select jsonb_agg(jsonb_build_object('key_prefix', k.key_prefix, 'permission_mode', k.permission_mode)
        order by k.created_at, k.key_prefix)
      from app.api_keys k where k.owner_id = a.owner_id and k.agent_id = a.agent_id and k.revoked_at is null), '[]') as keys
  from page a
  join (select agent_id, tallies, cached_at from kept union all select agent_id, tallies, cached_at from counted) c
    on c.agent_id = a.agent_id
  order by a.created_at, a.agent_id`;

/**
 * From stored counts: as fast for many records as for few. Of the open states, all but `verified` pass within days and are
 * counted from the records; it is what remains.
 */
const COUNTS = `
  with counted as materialized (
    select c.kind, c.result_bucket, sum(c.n) as records
    from app.track_counts c where c.agent_id = any(${agentsOf('$1')}) and c.facet = 'direction' group by 1, 2
  ),
  known as materialized (
    select kind as state, sum(records) as records from counted where kind not in ('received', 'archived') group by 1
    union all
    select lifecycle_state, count(*) from app.decisions
    where owner_id = $1 and lifecycle_state in ('pending_verify', 'evaluating', 'deferred') group by 1
  ),
  states as (
    select state, records from known
    union all
    select 'verified', coalesce((select sum(records) from counted where kind = 'received'), 0)
      - coalesce((select sum(records) from known), 0)
  )
  select
    (select count(*)::int from app.agents where owner_id = $1 and archived_at is null) as agents,
    (select count(*)::int from app.api_keys where owner_id = $1 and revoked_at is null) as keys,
    (select count(*)::int from app.workflows where owner_id = $1) as workflows,
    (select jsonb_object_agg(state, records) from states) as states,
    coalesce((select jsonb_object_agg(result_bucket, records) from counted
      where app.is_public(kind)), '{}') as buckets,
    coalesce((select sum(records) from counted where kind = 'archived'), 0)::int as archived,
    app.now() as at`;
