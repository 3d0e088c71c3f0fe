import type { QueryDeepPartialEntity } from 'typeorm';
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
import { lockOwner } from '../accounts/provider-stores.ts';
import {
  publishedHash,
  WORKFLOW_PUBLICATIONS,
  WORKFLOW_SNAPSHOTS,
  WORKFLOWS,
  type WorkflowRow,
} from '../entities/workflows.ts';
import { NOW } from '../kit/expired-rows.ts';
import { type PagedSelect, pageOf } from '../kit/numbered-page.ts';
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
