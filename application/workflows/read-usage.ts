import { type Usage, usageOf } from '../../domain/workflows/usage.ts';
import type { Ports } from '../ports.ts';
import { findOwn } from './find-workflow.ts';

/** How the owner's workflow was used (settled.md section 11). @throws Problem NOT_FOUND, NOT_OWNER */
export async function readUsage(
  { workflows, workflowReader, settings }: Pick<Ports, 'workflows' | 'workflowReader' | 'settings'>,
  owner_id: string,
  id: string,
): Promise<Usage> {
  const workflow = await findOwn((known) => workflows.find(known), owner_id, id);
  const { minProducers, ownerProof } = settings.wisdom;
  return usageOf(await workflowReader.usage(workflow, minProducers, ownerProof), settings.wisdom);
}
