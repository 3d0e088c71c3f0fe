import { ownerGone } from '../../../domain/accounts/active-owner.ts';
import { expiryFault } from '../../../domain/accounts/keys/key-bounds.ts';
import { usableAgent } from '../../../domain/accounts/keys/usable-agent.ts';
import type { Owner } from '../../../domain/accounts/owner.ts';
import type { OwnerCaller, PermissionMode } from '../../../domain/caller.ts';
import { Problem } from '../../../domain/problem.ts';
import type { Ports, Stores } from '../../ports.ts';
import { type KeptSettings, keep } from '../../quotas/keep.ts';
import type { ConfirmLogin } from '../sign-in/recent-login.ts';
import type { RequestClient } from '../sign-in/request-client.ts';
import { addAgent } from './add-agent.ts';
import { type IssuedKey, issueKey } from './issue-key.ts';

/** At most one of `agent_id` and `agent_name`; neither: a new agent, named by the label. */
export interface KeyRequest {
  readonly agent_id?: string | undefined;
  readonly agent_name?: string | undefined;
  readonly permission_mode: PermissionMode;
  readonly label?: string | undefined;
  readonly expires_at?: Date | undefined;
  /** As `networkText` writes them. */
  readonly allowed_networks?: readonly string[] | undefined;
}

export type BoundKey = IssuedKey & { readonly agent_id: string };

export type KeyChangePorts = Pick<Ports, 'transaction' | 'clock'> & { readonly settings: KeptSettings };

const NEW_AGENT = 'New agent';

/**
 * Creates a key for an agent of the owner, or for a new one, both or neither (interface.md 4.3, settled.md sections 7
 * and 8). A new agent's name is also the key's label, unless the request has a label.
 * @throws Problem VALIDATION_ERROR for an expiry that a key must not have, REAUTHENTICATION_REQUIRED, NOT_FOUND for another
 * owner's agent, AGENT_ARCHIVED, TIER_LIMIT_REACHED, DAILY_QUOTA_EXCEEDED, UNAUTHORIZED for an owner who is gone, ACCOUNT_SUSPENDED
 */
export async function createKey(
  { transaction, clock, settings }: KeyChangePorts,
  { owner_id }: OwnerCaller,
  { agent_id: known, agent_name, permission_mode, label, expires_at, allowed_networks }: KeyRequest,
  { network, source }: RequestClient,
  confirmLogin: ConfirmLogin,
): Promise<BoundKey> {
  const created_at = await clock.now();
  const fault = expires_at && expiryFault(expires_at, created_at);
  if (fault) throw new Problem('VALIDATION_ERROR', `${fault.path} ${fault.message}.`, { details: [fault] });
  const bounds = { expires_at: expires_at ?? null, allowed_networks: allowed_networks ?? null };
  return transaction(async (stores) => {
    await confirmLogin(stores);
    const owner = await stores.owners.find(owner_id);
    if (!owner) throw ownerGone();
    const { agent_id, name } =
      known === undefined
        ? await addAgent(stores, owner, agent_name ?? label ?? NEW_AGENT, created_at)
        : { agent_id: await ownAgent(stores, owner, known), name: null };
    const terms = { agent_id, permission_mode, label: label ?? name, created_at, ...bounds };
    const issued = await issueKey(stores, owner, terms, source);
    await keep(stores, settings, { owner_id, network }, 'account_change');
    return { ...issued, agent_id };
  });
}

async function ownAgent({ owners }: Stores, { owner_id }: Owner, agent_id: string): Promise<string> {
  return usableAgent(await owners.findAgent(owner_id, agent_id), agent_id).agent_id;
}
