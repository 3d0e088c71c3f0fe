import { usableAgent } from '../../../domain/accounts/keys/agent-store.ts';
import { expiryFault, type KeyOptions, parseApiKey, UNBOUNDED } from '../../../domain/accounts/keys/api-key.ts';
import { type Owner, ownerGone } from '../../../domain/accounts/owner.ts';
import { operatorEvent } from '../../../domain/accounts/security-event.ts';
import type { OwnerCaller, PermissionMode } from '../../../domain/caller.ts';
import { type Given, given } from '../../../domain/given.ts';
import { TIER_LIMITS } from '../../../domain/limits.ts';
import { Problem } from '../../../domain/problem.ts';
import type { Ports, Stores } from '../../ports.ts';
import { type KeptSettings, keep } from '../../quotas/keep.ts';
import { ownerNamed } from '../operators/list-accounts.ts';
import type { ConfirmLogin } from '../sign-in/recent-login.ts';
import type { RequestClient } from '../sign-in/register-owner.ts';
import { addAgent } from './add-agent.ts';
import { hashOfKey, type IssuedKey, issueKey } from './issue-key.ts';

/** At most one of `agent_id` and `agent_name`; neither: a new agent, named by the label. */
export interface KeyRequest extends Given<KeyOptions> {
  readonly agent_id?: string | undefined;
  readonly agent_name?: string | undefined;
  readonly permission_mode: PermissionMode;
  readonly label?: string | undefined;
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
  { agent_id: known, agent_name, permission_mode, label, ...options }: KeyRequest,
  { network, source }: RequestClient,
  confirmLogin: ConfirmLogin,
): Promise<BoundKey> {
  const created_at = await clock.now();
  const fault = options.expires_at && expiryFault(options.expires_at, created_at);
  if (fault) throw new Problem('VALIDATION_ERROR', `${fault.path} ${fault.message}.`, { details: [fault] });
  return transaction(async (stores) => {
    await confirmLogin(stores);
    const owner = await stores.owners.find(owner_id);
    if (!owner) throw ownerGone();
    const { agent_id, name } =
      known === undefined
        ? await addAgent(stores, owner, agent_name ?? label ?? NEW_AGENT, created_at)
        : { agent_id: await ownAgent(stores, owner, known), name: null };
    const terms = { agent_id, permission_mode, label: label ?? name, created_at, ...given(options) };
    const issued = await issueKey(stores, owner, terms, source);
    await keep(stores, settings, { owner_id, network }, 'account_change');
    return { ...issued, agent_id };
  });
}

async function ownAgent({ owners }: Stores, { owner_id }: Owner, agent_id: string): Promise<string> {
  return usableAgent(await owners.findAgent(owner_id, agent_id), agent_id).agent_id;
}

interface LegacyKey {
  /** The key itself. Only keys of our own format: any other is refused at every request, without a query. */
  readonly key: string;
  readonly permission_mode: PermissionMode;
  readonly label: string | null;
}

/**
 * Imports a key that was issued elsewhere, to read for an owner here. It is bound to no agent, so that it can neither
 * submit nor be rotated (settled.md section 8); it counts towards the limit. A key that was revoked here cannot be
 * imported.
 * @param named an owner_id, or the email of a password account
 * @param actor who does it, for the audit log
 * @throws Problem VALIDATION_ERROR for a text that is no key or is known here, NOT_FOUND, TIER_LIMIT_REACHED; never
 * naming the key
 */
export async function importKey(
  { transaction, clock }: Pick<Ports, 'transaction' | 'clock'>,
  named: string,
  { key, permission_mode, label }: LegacyKey,
  actor: string,
): Promise<{ readonly owner: Owner; readonly key_prefix: string }> {
  const parts = parseApiKey(key);
  if (!parts) throw new Problem('VALIDATION_ERROR', 'This is no API key: they are 51 characters that begin with sbk_.');
  const { key_prefix } = parts;
  const created_at = await clock.now();
  return transaction(async (stores) => {
    const owner = await ownerNamed(stores, named);
    const { owner_id } = owner;
    const terms = { agent_id: null, permission_mode, label, created_at, ...UNBOUNDED };
    await addOnce(stores, owner, { key_prefix, key_hash: hashOfKey(key), owner_id, ...terms });
    await stores.securityEvents.append({ ...operatorEvent('key_created', owner_id, actor), subject: key_prefix });
    const entry = { actor, action: 'import_key', subject: key_prefix };
    await stores.audit.append({ ...entry, detail: { owner_id, agent_id: null, permission_mode } });
    return { owner, key_prefix };
  });
}

async function addOnce({ apiKeys }: Stores, { tier }: Owner, key: Parameters<Stores['apiKeys']['add']>[0]) {
  if (await apiKeys.isTaken(key.key_prefix)) {
    throw new Problem('VALIDATION_ERROR', `There is or was a key ${key.key_prefix} here already.`);
  }
  const { keys } = TIER_LIMITS[tier];
  if (await apiKeys.add(key, keys)) return;
  throw new Problem('TIER_LIMIT_REACHED', `The tier ${tier} holds ${keys} API keys, and the owner has that many.`);
}
