import { addWorkflow } from '../../../application/workflows/change-workflow.ts';
import { publishWorkflow } from '../../../application/workflows/publish-workflow.ts';
import { aReadyDraft } from '../../builders/workflows.ts';
import { PRIVATE_WORDS } from './owned-records.ts';
import type { Party, Stage } from './party.ts';

/** Of one owner: never published and private or public; published and private (`hidden`) or public (`shown`). */
export type Workflows = Readonly<Record<'draft' | 'promised', OwnedWorkflow>> &
  Readonly<Record<'hidden' | 'shown', OwnedWorkflow & { readonly hash: string }>>;

export interface OwnedWorkflow {
  readonly id: string;
}

export async function ownedWorkflows(stage: Stage, owner: Party): Promise<Workflows> {
  const published = async (of: Of) => {
    const { id } = await aWorkflow(stage, owner, of);
    return {
      id,
      hash: (await publishWorkflow(stage.service.ports, { owner_id: owner.owner_id, network: 'a network' }, id)).hash,
    };
  };
  return {
    draft: await aWorkflow(stage, owner),
    promised: await aWorkflow(stage, owner, { name: PRIVATE_WORDS, visibility: 'public' }),
    hidden: await published({ name: `${PRIVATE_WORDS} again`, visibility: 'private' }),
    shown: await published({ name: 'For everybody', visibility: 'public' }),
  };
}

type Of = Pick<Parameters<typeof aReadyDraft>[0] & object, 'name' | 'visibility'>;

/** A draft that is ready to be published. */
export function aWorkflow(
  { service: { ports } }: Stage,
  { owner_id }: Party,
  of: Of = { name: PRIVATE_WORDS, visibility: 'private' },
): Promise<OwnedWorkflow> {
  return addWorkflow(ports, { owner_id, tier: 'pro' }, aReadyDraft(of));
}
