import { SNAPSHOT_HASH } from '../../domain/identifiers.ts';
import { Problem } from '../../domain/problem.ts';
import type { PublishedSnapshot } from '../../domain/workflows/snapshot-store.ts';
import type { Ports } from '../ports.ts';

/**
 * A snapshot with a public publication, or one that the viewer has published (settled.md section 11).
 * @param viewer an owner_id; null for an anonymous reader
 * @throws Problem NOT_FOUND, the same for every other hash and for an impossible one
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
