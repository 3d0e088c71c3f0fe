import { redeem } from '../../../domain/accounts/provider/device-redemption.ts';
import { type ActionSource, eventOf } from '../../../domain/accounts/security-event.ts';
import { Problem } from '../../../domain/problem.ts';
import { rfc3339 } from '../../../domain/time.ts';
import type { Ports, Stores } from '../../ports.ts';
import { type KeptSettings, keep } from '../../quotas/keep.ts';
import { addAgent } from '../keys/add-agent.ts';
import { type IssuedKey, issueKey } from '../keys/issue-key.ts';
import type { RequestClient } from '../sign-in/request-client.ts';
import { deviceRefusal } from './device-refusal.ts';

export interface DeviceKey extends IssuedKey {
  readonly agent_id: string;
}

const AGENT_NAME = 'Device sign-in';

/**
 * Redeems an approved sign-in for a new agent and its read_write key, in one transaction: either the key exists and the
 * code is used up, or neither.
 * @throws Problem EXPIRED_TOKEN when it was redeemed or has ended meanwhile, TIER_LIMIT_REACHED, DAILY_QUOTA_EXCEEDED,
 * ACCOUNT_SUSPENDED
 */
export function redeemDeviceSignIn(
  { transaction, settings }: Pick<Ports, 'transaction'> & { readonly settings: KeptSettings },
  code_hash: Uint8Array,
  { network, source }: RequestClient,
  agent_name = AGENT_NAME,
): Promise<DeviceKey> {
  return transaction(async (stores) => {
    const answer = await stores.deviceSignIns.transition(code_hash, redeem);
    if (answer?.step !== 'redeemed') throw deviceRefusal(answer);
    const { owner_id, redeemed_at, expires_at } = answer;
    try {
      const key = await keyOf(stores, owner_id, { name: agent_name, created_at: redeemed_at }, source);
      await keep(stores, settings, { owner_id, network }, 'account_change');
      return key;
    } catch (error) {
      throw error instanceof Problem && error.code === 'TIER_LIMIT_REACHED'
        ? redeemableUntil(expires_at, error)
        : error;
    }
  });
}

async function keyOf(
  stores: Stores,
  owner_id: string,
  { name, created_at }: { readonly name: string; readonly created_at: Date },
  source: ActionSource,
): Promise<DeviceKey> {
  const owner = await stores.owners.find(owner_id);
  if (!owner) throw deviceRefusal(null);
  const { agent_id } = await addAgent(stores, owner, name, created_at);
  const terms = { agent_id, permission_mode: 'read_write', label: name, created_at } as const;
  await stores.securityEvents.append(eventOf('device_sign_in', 'success', owner_id, source));
  return { ...(await issueKey(stores, owner, terms, source)), agent_id };
}

/** The transaction undoes the redemption. */
function redeemableUntil(expires_at: Date, { code, message, suggestion: forOwner }: Problem): Problem {
  const suggestion = `Tell the owner: "${forOwner}" With room made, poll this code again before ${rfc3339(expires_at)}.`;
  return new Problem(code, message, { suggestion });
}
