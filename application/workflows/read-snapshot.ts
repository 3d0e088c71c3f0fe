import { SNAPSHOT_HASH } from '../../domain/identifiers.ts';
import { Problem } from '../../domain/problem.ts';
import type { PublishedSnapshot } from '../../domain/workflows/snapshot-store.ts';
import type { Ports } from '../ports.ts';

/**
 * A snapshot that any publication shows to everybody, or that the viewer has published (settled.md section 11).
 * @param viewer an owner_id; null for somebody unknown
 * @throws Problem NOT_FOUND, alike for every other hash and for what can be none
 */
export async function readSnapshot(
  { workflowSnapshots }: Pick<Ports, 'workflowSnapshots'>,
  hash: string,
  viewer: string | null,
): Promise<PublishedSnapshot> {
  const snapshot = SNAPSHOT_HASH.test(hash) ? await workflowSnapshots.find(hash, viewer) : null;
  if (snapshot) return snapshot;
  throw new Problem('NOT_FOUND', 'No snapshot of that hash is public or yours.', {
    suggestion: 'Send 64 lower-case hex digits, as a workflow_ref has them after wf:, and a credential of its owner.',
  });
}
