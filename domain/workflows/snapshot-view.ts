import { workflowRef } from '../identifiers.ts';
import type { SnapshotContent } from './snapshot.ts';
import type { PublishedSnapshot } from './snapshot-store.ts';
import type { Visibility } from './workflow.ts';

/** The view of a snapshot. Its hash seals the members of `SnapshotContent`; nothing here names an owner. */
export interface SnapshotView extends SnapshotContent {
  readonly hash: string;
  /** The name of the snapshot in a submission. */
  readonly workflow_ref: string;
  readonly visibility: Visibility;
  readonly node_count: number;
  readonly published_at: Date;
}

export function snapshotView({ hash, content, visibility, at }: PublishedSnapshot): SnapshotView {
  const said = JSON.parse(content) as SnapshotContent;
  const marks = { hash, workflow_ref: workflowRef(hash), visibility, published_at: at };
  return { ...marks, node_count: said.nodes.length, ...said };
}
