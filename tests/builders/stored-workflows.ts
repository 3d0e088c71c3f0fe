import { randomBytes, randomUUID } from 'node:crypto';
import { sha256Hex } from '../../application/sha256.ts';
import type { Owner } from '../../domain/accounts/owner.ts';
import { uuidV7 } from '../../domain/identifiers.ts';
import type { Snapshot, SnapshotContent, SnapshotStore } from '../../domain/workflows/snapshot.ts';
import type { NewWorkflow, Visibility } from '../../domain/workflows/workflow.ts';

const CREATED_AT = new Date('2026-01-30T14:30:00.123Z');

/** A workflow without nodes. */
export function aWorkflowOf({ owner_id }: Pick<Owner, 'owner_id'>, changes: Partial<NewWorkflow> = {}): NewWorkflow {
  const draft = { name: 'Momentum', description: '', tags: [], visibility: 'private', nodes: [], edges: [] } as const;
  const id = uuidV7(changes.created_at ?? CREATED_AT, randomBytes(10));
  return { id, owner_id, forked_from: null, created_at: CREATED_AT, ...draft, ...changes };
}

/** Published content; its name is unique unless `changes` sets it. */
export function someSnapshot(changes: Partial<SnapshotContent> = {}): Snapshot {
  const frame = { schema_version: 'v1', kind: 'stancebook.workflow', name: randomUUID(), description: 'Says what.' };
  const content = JSON.stringify({ ...frame, tags: [], nodes: [], edges: [], ...changes });
  return { content, hash: sha256Hex(content) };
}

/** Publishes unique content under a removed workflow; returns its hash. */
export async function publishSomething(snapshots: SnapshotStore, owner_id: string, visibility: Visibility) {
  return (await snapshots.publish({ id: randomUUID(), owner_id, visibility }, someSnapshot())).hash;
}
