import type { OwnerProof } from '../../../domain/cohorts/cohort-reader.ts';
import { RESULT_BUCKETS, type ResultBucket } from '../../../domain/grading/outcome.ts';
import { foldName } from '../../../domain/workflows/workflow.ts';
import type {
  MarketplaceItem,
  MarketplaceSort,
  RecordsOfWorkflow,
  UsageCounts,
  WorkflowReader,
} from '../../../domain/workflows/workflow-reader.ts';
import { leads } from '../cohorts/cohort-conditions.ts';
import { isCounted } from '../cohorts/counted-owners.ts';
import { type PagedSelect, pageOf } from '../kit/numbered-page.ts';
import type { Sql } from '../kit/sql.ts';

/**
 * SQL by hand: aggregates. PostgreSQL passes conditions on arrays, and no joins, into the parts of app.workflow_counts,
 * where indexes serve them.
 */
export function postgresWorkflowReader(sql: Sql): WorkflowReader {
  return {
    async marketplace({ tag, search, sort, thresholds, ...page }) {
      const { minSamples, minProducers, ownerProof } = thresholds;
      const values = [tag, search === null ? null : foldName(search), minSamples, minProducers];
      const { total, items } = await pageOf<ShownRow>(sql, LISTINGS[ownerProof][sort], values, page);
      return { total, items: items.map(({ seq, ...item }) => item) };
    },

    async usage({ id, owner_id }, producers, ownerProof = 'none') {
      const [row] = await sql.rows<UsageRow>(USAGE[ownerProof], [id, owner_id, producers]);
      if (!row) throw new Error('Nothing was counted.');
      const own = { ...evaluatedOf(row.own_buckets), total: row.own_total, last_used_at: row.own_last_used_at };
      const others = evaluatedOf(row.other_buckets);
      return {
        own,
        others: {
          ...{ ...others, total: others.evaluated, last_used_at: row.others_last_used_at },
          enoughProducers: row.enough,
        },
        forks: row.forks,
        snapshots: row.snapshots,
      };
    },
  };
}

interface ShownRow extends MarketplaceItem {
  readonly seq: string;
}

type BucketCounts = Readonly<Partial<Record<ResultBucket, number>>>;

interface UsageRow extends Pick<UsageCounts, 'forks' | 'snapshots'> {
  readonly own_total: number;
  readonly own_buckets: BucketCounts;
  readonly own_last_used_at: Date | null;
  readonly other_buckets: BucketCounts;
  readonly others_last_used_at: Date | null;
  readonly enough: boolean;
}

function evaluatedOf(counted: BucketCounts): Pick<RecordsOfWorkflow, 'evaluated' | 'buckets'> {
  const buckets = RESULT_BUCKETS.map((bucket) => [bucket, counted[bucket] ?? 0] as const);
  return {
    evaluated: buckets.reduce((sum, [, n]) => sum + n, 0),
    buckets: Object.fromEntries(buckets) as RecordsOfWorkflow['buckets'],
  };
}

const decisionCount = (workflow: string, ownerProof: OwnerProof) => `(
      select sum(u.n)::int from (
        select c.owner_id, sum(c.n) as n from app.workflow_counts c
        where app.is_public(c.kind) and c.result_bucket <> '' and c.workflow_hash = any(array(
          select p.hash from app.workflow_publications p
          where p.workflow_id = ${workflow}.id and p.visibility = 'public'))
        group by c.owner_id having sum(c.n) > 0
      ) u
      having sum(u.n) >= $3 and count(*) filter (where ${isCounted('u.owner_id', ownerProof)}) >= $4) as decision_count`;

const shown = (columns: string) => `
  select w.id, p.hash, s.name, s.description, s.tags, s.node_count, p.at as published_at, p.seq${columns}
  from app.workflows w
  join app.workflow_publications p on p.seq = w.listed_seq and p.workflow_id = w.id and p.visibility = 'public'
  join app.workflow_snapshots s on s.hash = p.hash
  where w.visibility = 'public'
    and ($1::text is null or s.tags ? $1)
    and ($2::text is null or strpos(s.name_folded, $2) > 0)`;

/** Only what is sorted by is counted for all of them. */
const listings = (ownerProof: OwnerProof): Readonly<Record<MarketplaceSort, PagedSelect>> => ({
  newest: { matching: shown(''), order: 'seq desc', pageColumns: decisionCount('page', ownerProof) },
  most_used: {
    matching: shown(`, ${decisionCount('w', ownerProof)}`),
    order: 'decision_count desc nulls last, seq desc',
  },
});

const LISTINGS = { none: listings('none'), verified: listings('verified') } as const;

/**
 * Counted from cells by owner. The newest record of each other owner is the last one before the end of their range in an
 * index; an equation would let PostgreSQL walk through the records of the owner that name other workflows.
 */
const usage = (ownerProof: OwnerProof) => `
  with published as (
    select hash, exists (select from app.workflow_publications a where a.hash = p.hash and a.visibility = 'public') as open
    from (select distinct hash from app.workflow_publications where workflow_id = $1) p
  ),
  counts as materialized (
    select c.workflow_hash, c.owner_id, c.owner_id = $2 as own, c.kind, c.result_bucket, sum(c.n)::int as n,
      max(c.last) as last
    from app.workflow_counts c join published p on p.hash = c.workflow_hash
    where c.workflow_hash = any(array(select hash from published)) and (c.owner_id = $2 or (p.open and app.is_public(c.kind) and c.result_bucket <> ''))
    group by 1, 2, 3, 4, 5
  ),
  others as (select workflow_hash, owner_id from counts where not own group by 1, 2 having sum(n) > 0)
  select
    (select coalesce(sum(n), 0)::int from counts where own and kind = 'received') as own_total,
    coalesce((select jsonb_object_agg(result_bucket, n) from (
      select result_bucket, sum(n) as n from counts where own and app.is_public(kind) group by 1) b), '{}') as own_buckets,
    (select max(last) from counts where own and kind = 'received') as own_last_used_at,
    coalesce((select jsonb_object_agg(result_bucket, n) from (
      select result_bucket, sum(n) as n from counts where not own group by 1) b), '{}') as other_buckets,
    (select max(newest.submission_time) from others o cross join lateral (
      select d.submission_time from app.public_decisions d
      where d.workflow_hash is not null and ${leads('d')}
        and (d.workflow_hash, d.owner_id, d.submission_time) <= (o.workflow_hash collate "default", o.owner_id, 'infinity')
      order by d.workflow_hash desc, d.owner_id desc, d.submission_time desc limit 1
    ) newest) as others_last_used_at,
    (select count(distinct o.owner_id) >= $3 from others o where ${isCounted('o.owner_id', ownerProof)}) as enough,
    (select count(*)::int from app.workflows where forked_from = $1) as forks,
    (select count(*)::int from published) as snapshots`;

const USAGE = { none: usage('none'), verified: usage('verified') } as const;
