import { sha256Hex } from '../../../application/sha256.ts';
import { activeOwner } from '../../../domain/accounts/owner.ts';
import { given } from '../../../domain/given.ts';
import { type NumberedPage, offsetOf, type PageOf } from '../../../domain/page.ts';
import type {
  PublishedSnapshot,
  Snapshot,
  SnapshotContent,
  SnapshotStore,
} from '../../../domain/workflows/snapshot.ts';
import {
  foldName,
  type Summary,
  summaryOf,
  type Workflow,
  type WorkflowFilter,
  type WorkflowSort,
  type WorkflowStore,
} from '../../../domain/workflows/workflow.ts';
import type { DecisionTables, StoredPublication } from '../decisions/decision-tables.ts';
import type { Table } from '../kit/table.ts';

export interface WorkflowTables extends DecisionTables {
  readonly workflows: Table<string, StoredWorkflow>;
}

/** What it was published with is found out when it is read. */
export interface StoredWorkflow extends Omit<Workflow, 'published_hash'> {
  readonly forked_from: string | null;
}

export function memoryWorkflows(tables: WorkflowTables, now: () => Date): WorkflowStore {
  const { owners, workflows } = tables;
  const find = async (id: string) => {
    const row = workflows.get(id);
    return row ? workflowOf(tables, row) : null;
  };
  return {
    async add(workflow, atMost) {
      activeOwner(owners.get(workflow.owner_id));
      if (workflows.where(({ owner_id }) => owner_id === workflow.owner_id).length >= atMost) return false;
      workflows.set(workflow.id, { ...workflow, version: 1, updated_at: workflow.created_at });
      return true;
    },

    find,
    lock: find,

    async list(owner_id, filter, sort, page) {
      const rows = workflows.where((row) => row.owner_id === owner_id && matches(filter, row));
      const { total, items } = pageOf(rows.toSorted(ORDERS[sort]), page);
      return { total, items: items.map((row): Summary => summaryOf(workflowOf(tables, row))) };
    },

    async update(id, owner_id, expected_version, change) {
      const row = workflows.get(id);
      if (row?.owner_id !== owner_id || row.version !== expected_version) return null;
      const changed = given(change);
      const updated = { ...row, ...changed, version: row.version + 1, updated_at: now() };
      workflows.set(id, updated);
      return workflowOf(tables, updated);
    },

    async remove(id, owner_id) {
      return workflows.get(id)?.owner_id === owner_id && workflows.delete(id);
    },
  };
}

/** The part of a list in its order. */
export function pageOf<Row>(rows: readonly Row[], page: NumberedPage): PageOf<Row> {
  return { total: rows.length, items: rows.slice(offsetOf(page), offsetOf(page) + page.per_page) };
}

/** The publications of a workflow, newest first. */
export function publicationsOf({ publications }: DecisionTables, id: string): readonly StoredPublication[] {
  return publications.where(({ workflow_id }) => workflow_id === id).toReversed();
}

function workflowOf(tables: WorkflowTables, { forked_from, ...row }: StoredWorkflow): Workflow {
  return { ...row, published_hash: publicationsOf(tables, row.id)[0]?.hash ?? null };
}

function matches({ visibility, tag, search }: WorkflowFilter, row: StoredWorkflow): boolean {
  return (
    (visibility === null || row.visibility === visibility) &&
    (tag === null || row.tags.includes(tag)) &&
    (search === null || foldName(row.name).includes(foldName(search)))
  );
}

type Order = (a: StoredWorkflow, b: StoredWorkflow) => number;

const ORDERS: Readonly<Record<WorkflowSort, Order>> = {
  updated_desc: (a, b) => -earlierFirst(a, b),
  updated_asc: earlierFirst,
  name_asc: (a, b) => Buffer.compare(Buffer.from(a.name), Buffer.from(b.name)) || byId(a, b),
  created_desc: (a, b) => Number(b.created_at) - Number(a.created_at) || -byId(a, b),
};

function earlierFirst(a: StoredWorkflow, b: StoredWorkflow): number {
  return Number(a.updated_at) - Number(b.updated_at) || byId(a, b);
}

function byId(a: StoredWorkflow, b: StoredWorkflow): number {
  return a.id < b.id ? -1 : 1;
}

export interface SnapshotTables extends WorkflowTables {
  /** By hash. */
  readonly snapshots: Table<string, Snapshot>;
}

export function memorySnapshots(tables: SnapshotTables, now: () => Date): SnapshotStore {
  const { publications, snapshots } = tables;
  let places = 0;
  return {
    async publish({ id, owner_id, visibility }, { hash, content }) {
      if (sha256Hex(content) !== hash) throw new Error(`${hash} is not the SHA-256 of the content.`);
      const is_new = snapshots.get(hash) === undefined;
      snapshots.set(hash, { hash, content });
      const publication = { hash, visibility, at: now() };
      publications.set(`${++places}`, { ...publication, workflow_id: id, owner_id });
      return { ...publication, is_new };
    },

    async history(workflow_id, page) {
      const { total, items } = pageOf(publicationsOf(tables, workflow_id), page);
      return { total, items: items.map((row) => listed(tables, row)) };
    },

    async newestPublic(workflow_id) {
      const newest = publicationsOf(tables, workflow_id).find(({ visibility }) => visibility === 'public');
      return newest ? { hash: newest.hash, content: contentOf(tables, newest.hash) } : null;
    },

    async find(wanted, viewer) {
      const rows = publications.where(({ hash }) => hash === wanted);
      const shown =
        rows.find(({ visibility }) => visibility === 'public') ?? rows.find(({ owner_id }) => owner_id === viewer);
      return shown ? publishedOf(tables, shown) : null;
    },
  };
}

/** What lists show of a published content. */
export function headOf(tables: SnapshotTables, hash: string) {
  const { name, description, tags, nodes } = JSON.parse(contentOf(tables, hash)) as SnapshotContent;
  return { name, description, tags, node_count: nodes.length };
}

function listed(tables: SnapshotTables, { hash, visibility, at }: StoredPublication) {
  const { name, node_count } = headOf(tables, hash);
  return { hash, visibility, at, name, node_count };
}

function publishedOf(tables: SnapshotTables, { hash, visibility, at }: StoredPublication): PublishedSnapshot {
  return { hash, visibility, at, content: contentOf(tables, hash) };
}

function contentOf({ snapshots }: SnapshotTables, hash: string): string {
  const snapshot = snapshots.get(hash);
  if (!snapshot) throw new Error(`There is no snapshot ${hash}.`);
  return snapshot.content;
}
