import { sha256Hex } from '../../../application/sha256.ts';
import type { Snapshot, SnapshotContent } from '../../../domain/workflows/snapshot.ts';
import type { PublishedSnapshot, SnapshotStore } from '../../../domain/workflows/snapshot-store.ts';
import type { StoredPublication } from '../decisions/decision-tables.ts';
import type { Table } from '../kit/table.ts';
import { pageOf, publicationsOf, type WorkflowTables } from './workflow-store.ts';

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
