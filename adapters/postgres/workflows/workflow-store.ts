import { ownerGone } from '../../../domain/accounts/owner-gone.ts';
import type { Summary, Workflow } from '../../../domain/workflows/workflow.ts';
import {
  type DraftChange,
  foldName,
  type NewWorkflow,
  type WorkflowSort,
  type WorkflowStore,
} from '../../../domain/workflows/workflow-store.ts';
import { LOCK_OWNER } from '../accounts/owner-store.ts';
import { pageOf } from '../kit/numbered-page.ts';
import type { Sql } from '../kit/sql.ts';

export function postgresWorkflows(sql: Sql): WorkflowStore {
  return {
    add: (workflow, atMost) =>
      sql.atomically(async (own) => {
        if ((await own.rows(LOCK_OWNER, [workflow.owner_id])).length === 0) throw ownerGone();
        return (await own.rows(ADD, [...newValues(workflow), atMost])).length > 0;
      }),

    async find(id) {
      const [workflow] = await sql.rows<Workflow>(FIND, [id]);
      return workflow ?? null;
    },

    async lock(id) {
      const [workflow] = await sql.rows<Workflow>(`${FIND} for no key update of w`, [id]);
      return workflow ?? null;
    },

    list: (owner_id, { visibility, tag, search }, sort, page) => {
      const values = [owner_id, visibility, tag, search === null ? null : foldName(search)];
      return pageOf<Summary>(sql, { matching: LIST, order: ORDERS[sort], beside: published('page') }, values, page);
    },

    async update(id, owner_id, expected_version, change) {
      const [workflow] = await sql.rows<Workflow>(UPDATE, [id, owner_id, expected_version, ...changeValues(change)]);
      return workflow ?? null;
    },

    async remove(id, owner_id) {
      return (await sql.rows(REMOVE, [id, owner_id])).length > 0;
    },
  };
}

function newValues({ id, owner_id, forked_from, created_at, ...draft }: NewWorkflow): readonly unknown[] {
  return [id, owner_id, forked_from, created_at, ...changeValues(draft)];
}

/** null for what stays. */
function changeValues({ name, description, tags, visibility, nodes, edges }: DraftChange): readonly unknown[] {
  return [
    ...[name ?? null, name === undefined ? null : foldName(name), description ?? null, tags ?? null],
    ...[visibility ?? null, nodes ? JSON.stringify(nodes) : null, edges ? JSON.stringify(edges) : null],
  ];
}

const ADD = `
  insert into app.workflows (id, owner_id, forked_from, created_at, updated_at, version, name, name_folded, description,
    tags, visibility, nodes, edges)
  select $1::uuid, $2::uuid, $3::uuid, $4::timestamptz, $4::timestamptz, 1, $5, $6, $7, $8::text[], $9, $10::json, $11::json
  where (select count(*) from app.workflows where owner_id = $2::uuid) < $12
  returning id`;

/** What it was last published with. */
const published = (workflow: string) => `(select p.hash from app.workflow_publications p
    where p.workflow_id = ${workflow}.id order by p.seq desc limit 1) as published_hash`;

const WORKFLOW = `w.id, w.owner_id, w.name, w.description, w.tags, w.visibility, w.nodes, w.edges, w.version,
    ${published('w')}, w.created_at, w.updated_at`;

const FIND = `select ${WORKFLOW} from app.workflows w where w.id = $1`;

/** Without LIKE no character of the search means anything else than itself. */
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

const UPDATE = `
  update app.workflows w set name = coalesce($4, name), name_folded = coalesce($5, name_folded),
    description = coalesce($6, description), tags = coalesce($7::text[], tags), visibility = coalesce($8, visibility),
    nodes = coalesce($9::json, nodes), edges = coalesce($10::json, edges), version = version + 1, updated_at = app.now()
  where id = $1 and owner_id = $2 and version = $3
  returning ${WORKFLOW}`;

const REMOVE = 'delete from app.workflows where id = $1 and owner_id = $2 returning id';
