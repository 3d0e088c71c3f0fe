import { randomBytes } from 'node:crypto';
import {
  type ApiKey,
  auditedBounds,
  type KeyOptions,
  makeApiKey,
  UNBOUNDED,
} from '../../../domain/accounts/keys/api-key.ts';
import type { Owner } from '../../../domain/accounts/owner.ts';
import { type ActionSource, eventOf } from '../../../domain/accounts/security-event.ts';
import { TIER_LIMITS } from '../../../domain/limits.ts';
import { Problem } from '../../../domain/problem.ts';
import type { Stores } from '../../ports.ts';
import { sha256 } from '../../sha256.ts';

export interface IssuedKey extends Omit<ApiKey, 'key_hash'> {
  /** The key itself: shown to its owner once, and stored nowhere. */
  readonly api_key: string;
}

/** What a new key is written to. */
export type KeyStores = Pick<Stores, 'apiKeys' | 'securityEvents' | 'audit'>;

/** What is left out is as in `UNBOUNDED`. */
export type KeyTerms = Pick<ApiKey, 'agent_id' | 'permission_mode' | 'label' | 'created_at'> & Partial<KeyOptions>;

/**
 * Adds a new key to the owner, up to the limit of the tier (settled.md sections 7 and 8), to the audit log and to the trail.
 * @throws Problem TIER_LIMIT_REACHED
 */
export async function issueKey(
  { apiKeys, securityEvents, audit }: KeyStores,
  { owner_id, tier }: Pick<Owner, 'owner_id' | 'tier'>,
  given: KeyTerms,
  source: ActionSource,
): Promise<IssuedKey> {
  const { key, key_prefix } = makeApiKey(randomBytes);
  const terms = { ...UNBOUNDED, ...given };
  const { keys } = TIER_LIMITS[tier];
  if (!(await apiKeys.add({ key_prefix, key_hash: hashOfKey(key), owner_id, ...terms }, keys))) {
    throw new Problem('TIER_LIMIT_REACHED', `The tier ${tier} holds ${keys} API keys, and you have that many.`);
  }
  const { agent_id, permission_mode } = terms;
  const detail = { agent_id, permission_mode, ...auditedBounds(terms) };
  const entry = { actor: owner_id, action: 'create_key', subject: key_prefix, detail };
  await securityEvents.append({ ...eventOf('key_created', 'success', owner_id, source), subject: key_prefix });
  await audit.append(entry);
  return { api_key: key, key_prefix, owner_id, ...terms };
}

/** SHA-256 of the whole key: its 190 random bits need no slow hash. */
export function hashOfKey(key: string): Uint8Array {
  return sha256(key);
}
