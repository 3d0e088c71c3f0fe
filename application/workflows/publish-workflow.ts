import { Problem } from '../../domain/problem.ts';
import { readiness } from '../../domain/workflows/readiness.ts';
import { sealSnapshot } from '../../domain/workflows/snapshot.ts';
import type { PublishedSnapshot } from '../../domain/workflows/snapshot-store.ts';
import type { Ports } from '../ports.ts';
import { type Keeper, type KeptSettings, keep } from '../quotas/keep.ts';
import { sha256Hex } from '../sha256.ts';
import { findOwn } from './find-workflow.ts';

export type PublishPorts = Pick<Ports, 'transaction' | 'configFaults' | 'canonicalJson'> & {
  readonly settings: KeptSettings;
};

/**
 * Publishes the owner's workflow as its draft is now, for everybody or for the owner as its visibility says
 * (interface.md 3.3). The same content always has the same hash.
 * @throws Problem NOT_FOUND, NOT_OWNER, WORKFLOW_NOT_READY with everything that is missing, DAILY_QUOTA_EXCEEDED
 */
export function publishWorkflow(
  { transaction, configFaults, canonicalJson, settings }: PublishPorts,
  keeper: Keeper,
  id: string,
): Promise<PublishedSnapshot> {
  return transaction(async ({ workflows, workflowSnapshots, kept }) => {
    const workflow = await findOwn((known) => workflows.lock(known), keeper.owner_id, id);
    const { ready, failures } = readiness(workflow, configFaults);
    if (!ready) {
      const details = failures.map((failure) => ({ path: failure.node ?? '', ...failure }));
      throw new Problem('WORKFLOW_NOT_READY', 'The workflow is not ready to be published.', { details });
    }
    const snapshot = sealSnapshot(workflow, canonicalJson, sha256Hex);
    const { is_new, ...publication } = await workflowSnapshots.publish(workflow, snapshot);
    const bytes = is_new ? Buffer.byteLength(snapshot.content) : 0;
    await keep({ kept }, settings, keeper, 'publication', { bytes });
    return { ...snapshot, ...publication };
  });
}
