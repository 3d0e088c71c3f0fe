import type { OwnerProof } from '../../../domain/cohorts/owner-proof.ts';
import { RESULT_BUCKETS, type ResultBucket } from '../../../domain/grading/outcome.ts';
import type {
  MarketplaceItem,
  MarketplaceSort,
  RecordsOfWorkflow,
  UsageCounts,
  WorkflowReader,
} from '../../../domain/workflows/workflow-reader.ts';
import { foldName } from '../../../domain/workflows/workflow-store.ts';
import { isCounted } from '../cohorts/counted-owners.ts';
import { type PagedSelect, pageOf } from '../kit/numbered-page.ts';
import type { Sql } from '../kit/sql.ts';

/** SQL by hand: aggregates. */
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
      const { own, others, enough, ...counts } = row;
      return { ...counts, own: recordsOf(own), others: { ...recordsOf(others), enoughProducers: enough } };
    },
  };
}

interface ShownRow extends MarketplaceItem {
  readonly seq: string;
}

interface UsageRow extends Pick<UsageCounts, 'forks' | 'snapshots'> {
  readonly own: readonly TallyRow[];
  readonly others: readonly TallyRow[];
  readonly enough: boolean;
}

interface TallyRow {
  /** null of records that are not evaluated. */
  readonly bucket: ResultBucket | null;
  readonly n: number;
  readonly last_used_at: string;
}

function recordsOf(tallies: readonly TallyRow[]): RecordsOfWorkflow {
  const total = (counted: readonly TallyRow[]) => counted.reduce((sum, { n }) => sum + n, 0);
  const buckets = RESULT_BUCKETS.map((each) => [each, total(tallies.filter(({ bucket }) => bucket === each))]);
  const last = Math.max(...tallies.map(({ last_used_at }) => Date.parse(last_used_at)));
  return {
    total: total(tallies),
    evaluated: total(tallies.filter(({ bucket }) => bucket !== null)),
    buckets: Object.fromEntries(buckets) as RecordsOfWorkflow['buckets'],
    last_used_at: tallies.length === 0 ? null : new Date(last),
  };
}

const decisionCount = (workflow: string, ownerProof: OwnerProof) => `(select count(*)::int from app.public_decisions d
      where d.workflow_hash in (
        select u.hash from app.workflow_publications u where u.workflow_id = ${workflow}.id and u.visibility = 'public')
      having count(*) >= $3 and count(distinct d.owner_id) filter (where ${isCounted('d.owner_id', ownerProof)}) >= $4) as decision_count`;

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

const tallied = (whose: string) => `coalesce((
      select jsonb_agg(t) from (
        select case when app.is_public(lifecycle_state) then result_bucket end as bucket, count(*) as n,
          max(submission_time) as last_used_at
        from records where ${whose} group by 1
      ) t), '[]')`;

const usage = (ownerProof: OwnerProof) => `
  with published as (
    select hash, exists (select from app.workflow_publications a where a.hash = p.hash and a.visibility = 'public') as open
    from (select distinct hash from app.workflow_publications where workflow_id = $1) p
  ),
  records as materialized (
    select d.owner_id, d.lifecycle_state, d.result_bucket, d.submission_time
    from published p join app.decisions d on d.workflow_hash = p.hash
    where d.owner_id = $2 or (p.open and app.is_public(d.lifecycle_state))
  )
  select ${tallied('owner_id = $2')} as own, ${tallied('owner_id <> $2')} as others,
    (select count(distinct r.owner_id) >= $3 from records r
      where r.owner_id <> $2 and ${isCounted('r.owner_id', ownerProof)}) as enough,
    (select count(*)::int from app.workflows where forked_from = $1) as forks,
    (select count(*)::int from published) as snapshots`;

const USAGE = { none: usage('none'), verified: usage('verified') } as const;
