import type { QueryDeepPartialEntity } from 'typeorm';
import type { OwnerProof } from '../../../domain/cohorts/cohort-reader.ts';
import { RESULT_BUCKETS, type ResultBucket } from '../../../domain/grading/outcome.ts';
import { type NumberedPage, offsetOf, type PageOf } from '../../../domain/page.ts';
import type {
  NewPublication,
  PublicationInHistory,
  PublishedSnapshot,
  Snapshot,
  SnapshotContent,
  SnapshotStore,
} from '../../../domain/workflows/snapshot.ts';
import {
  type DraftChange,
  foldName,
  type NewWorkflow,
  type Summary,
  type Workflow,
  type WorkflowSort,
  type WorkflowStore,
} from '../../../domain/workflows/workflow.ts';
import type {
  MarketplaceItem,
  MarketplaceSort,
  RecordsOfWorkflow,
  UsageCounts,
  WorkflowReader,
} from '../../../domain/workflows/workflow-reader.ts';
import { lockOwner } from '../accounts/provider-stores.ts';
import { isCounted, leads } from '../cohorts/cohort-conditions.ts';
import {
  publishedHash,
  WORKFLOW_PUBLICATIONS,
  WORKFLOW_SNAPSHOTS,
  WORKFLOWS,
  type WorkflowRow,
} from '../entities/workflows.ts';
import { NOW } from '../kit/expired-rows.ts';
import { affected, type Sql } from '../kit/sql.ts';

/**
 * SQL by hand: one statement decides a race. Of two callers who publish the same content the second waits for the first
 * and then finds the snapshot there.
 */
const PUBLISH = `
  with kept as (
    insert into app.workflow_snapshots (hash, content, name_folded) values ($1, $2, $3) on conflict (hash) do nothing
    returning hash
  ),
  published as (
    insert into app.workflow_publications (hash, workflow_id, owner_id, visibility, at)
    values ($1, $4, $5, $6, app.now())
    returning seq, workflow_id, hash, visibility, at
  ),
  listed as (
    update app.workflows w set listed_seq = greatest(w.listed_seq, p.seq)
    from published p where w.id = p.workflow_id and p.visibility = 'public'
  )
  select hash, visibility, at, exists (select from kept) as is_new from published`;

const PUBLICATIONS = 'app.workflow_publications p join app.workflow_snapshots s using (hash)';

/** SQL by hand: a page with the number of all rows. */
const HISTORY: PagedSelect = {
  matching: `select p.hash, p.visibility, p.at, p.seq, s.name, s.node_count from ${PUBLICATIONS} where p.workflow_id = $1`,
  order: 'seq desc',
};

/** SQL by hand: a row of two tables' columns. */
const FIND = `
  select p.hash, p.visibility, p.at, s.content from ${PUBLICATIONS}
  where p.hash = $1 and (p.visibility = 'public' or p.owner_id = $2::uuid)
  order by p.visibility = 'public' desc, p.seq limit 1`;

export function postgresWorkflows(sql: Sql): WorkflowStore {
  return {
    add: (workflow, atMost) =>
      sql.atomically(async (own) => {
        await lockOwner(own, workflow.owner_id);
        return (await own.rows(ADD, [...newValues(workflow), atMost])).length > 0;
      }),

    find: (id): Promise<Workflow | null> => sql.tables.findOneBy(WORKFLOWS, { id }),

    async lock(id) {
      const [workflow] = await sql.rows<Workflow>(LOCK, [id]);
      return workflow ?? null;
    },

    list: (owner_id, { visibility, tag, search }, sort, page) => {
      const values = [owner_id, visibility, tag, search === null ? null : foldName(search)];
      return pageOf<Summary>(
        sql,
        { matching: LIST, order: ORDERS[sort], pageColumns: PUBLISHED_OF_PAGE },
        values,
        page,
      );
    },

    async update(id, owner_id, expected_version, change) {
      const updating = sql.tables
        .createQueryBuilder()
        .update(WORKFLOWS)
        .set({ ...columnsOf(change), version: () => 'version + 1', updated_at: NOW })
        .where({ id, owner_id, version: expected_version })
        .returning(SHOWN);
      const [workflow]: readonly Workflow[] = (await updating.execute()).raw;
      return workflow ?? null;
    },

    async remove(id, owner_id) {
      return affected(await sql.tables.delete(WORKFLOWS, { id, owner_id })) > 0;
    },
  };
}

function newValues({ id, owner_id, forked_from, created_at, ...draft }: NewWorkflow): readonly unknown[] {
  const { name, description, tags, visibility, nodes, edges } = draft;
  const values = [name, foldName(name), description, tags, visibility, JSON.stringify(nodes), JSON.stringify(edges)];
  return [id, owner_id, forked_from, created_at, ...values];
}

/** What is undefined stays as it is. */
function columnsOf({ name, description, tags, visibility, nodes, edges }: DraftChange) {
  const name_folded = name === undefined ? undefined : foldName(name);
  return { name, name_folded, description, tags, visibility, nodes, edges } as QueryDeepPartialEntity<WorkflowRow>;
}

/** SQL by hand: a count and an insert in one statement. */
const ADD = `
  insert into app.workflows (id, owner_id, forked_from, created_at, updated_at, version, name, name_folded, description,
    tags, visibility, nodes, edges)
  select $1::uuid, $2::uuid, $3::uuid, $4::timestamptz, $4::timestamptz, 1, $5, $6, $7, $8::text[], $9, $10::json, $11::json
  where (select count(*) from app.workflows where owner_id = $2::uuid) < $12
  returning id`;

const SHOWN = `id, owner_id, name, description, tags, visibility, nodes, edges, version,
    (${publishedHash('workflows')}) as published_hash, created_at, updated_at`;

/** SQL by hand: a lock. */
const LOCK = `select ${SHOWN} from app.workflows where id = $1 for no key update of workflows`;

const PUBLISHED_OF_PAGE = `(${publishedHash('page')}) as published_hash`;

/** SQL by hand: a page with the number of all rows. Without LIKE every character of the search stands for itself. */
const LIST = `
  select w.id, w.name, w.description, w.tags, w.visibility, json_array_length(w.nodes) as node_count, w.version,
    w.created_at, w.updated_at
  from app.workflows w
  where w.owner_id = $1
    and ($2::text is null or w.visibility = $2)
    and ($3::text is null or $3 = any(w.tags))
    and ($4::text is null or strpos(w.name_folded, $4) > 0)`;

const ORDERS: Readonly<Record<WorkflowSort, string>> = {
  updated_desc: 'updated_at desc, id desc',
  updated_asc: 'updated_at, id',
  name_asc: 'name collate "C", id',
  created_desc: 'created_at desc, id desc',
};

export function postgresSnapshots(sql: Sql): SnapshotStore {
  return {
    async publish({ id, owner_id, visibility }, { hash, content }) {
      const { name } = JSON.parse(content) as SnapshotContent;
      const values = [hash, content, foldName(name), id, owner_id, visibility];
      const [publication] = await sql.rows<NewPublication>(PUBLISH, values);
      if (!publication) throw new Error('A publication is one row.');
      return publication;
    },

    async history(workflow_id, page) {
      const { total, items } = await pageOf<HistoryRow>(sql, HISTORY, [workflow_id], page);
      return { total, items: items.map(({ seq, ...publication }) => publication) };
    },

    async newestPublic(workflow_id): Promise<Snapshot | null> {
      return sql.tables
        .createQueryBuilder(WORKFLOW_SNAPSHOTS, 's')
        .innerJoin(WORKFLOW_PUBLICATIONS.options.name, 'p', 'p.hash = s.hash')
        .where("p.workflow_id = :workflow_id and p.visibility = 'public'", { workflow_id })
        .orderBy('p.seq', 'DESC')
        .limit(1)
        .getOne();
    },

    async find(hash, viewer) {
      const [snapshot] = await sql.rows<PublishedSnapshot>(FIND, [hash, viewer]);
      return snapshot ?? null;
    },
  };
}

interface HistoryRow extends PublicationInHistory {
  readonly seq: string;
}

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

interface PagedSelect {
  /** Selects the rows of the list. */
  readonly matching: string;
  /** Their order, by their columns; the last of these is unique. */
  readonly order: string;
  /** Further columns, computed for the rows of the page only, whose alias is `page`. */
  readonly pageColumns?: string;
}

/**
 * A page of a list in one statement, so that its rows and their number are of one moment. A page behind the last row has
 * the number and no row.
 */
async function pageOf<Row extends object>(
  sql: Sql,
  { matching, order, pageColumns }: PagedSelect,
  values: readonly unknown[],
  page: NumberedPage,
): Promise<PageOf<Row>> {
  const [limit, offset] = [values.length + 1, values.length + 2];
  const text = `
    with matching as (${matching}),
    page as (
      select row_number() over (order by ${order}) as place, matching.* from matching
      order by place limit $${limit} offset $${offset}
    )
    select total.n as total, page.*${pageColumns === undefined ? '' : `, ${pageColumns}`}
    from (select count(*)::int as n from matching) total left join page on true order by page.place`;
  const rows = await sql.rows<Row & Placed>(text, [...values, page.per_page, offsetOf(page)]);
  return { total: rows[0]?.total ?? 0, items: rows.filter(({ place }) => place !== null).map(unplaced) };
}

interface Placed {
  readonly total: number;
  /** null where the page has no row. */
  readonly place: string | null;
}

function unplaced<Row extends object>({ total, place, ...row }: Row & Placed): Row {
  return row as unknown as Row;
}
