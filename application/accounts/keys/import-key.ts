import { parseApiKey } from '../../../domain/accounts/keys/api-key.ts';
import { UNBOUNDED } from '../../../domain/accounts/keys/key-bounds.ts';
import type { Owner } from '../../../domain/accounts/owner.ts';
import { operatorEvent } from '../../../domain/accounts/security-event.ts';
import type { PermissionMode } from '../../../domain/caller.ts';
import { TIER_LIMITS } from '../../../domain/limits.ts';
import { Problem } from '../../../domain/problem.ts';
import type { Ports, Stores } from '../../ports.ts';
import { ownerNamed } from '../operators/owner-named.ts';
import { hashOfKey } from './issue-key.ts';

export interface LegacyKey {
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
