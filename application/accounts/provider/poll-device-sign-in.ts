import { randomUUID } from 'node:crypto';
import {
  type Closed,
  type ExchangeStep,
  type Finding,
  type PollAnswer,
  type PollRefusal,
  poll,
  redeem,
  settle,
} from '../../../domain/accounts/provider/device-polling.ts';
import type { DeviceAuthorization, Exchange } from '../../../domain/accounts/provider/device-sign-in.ts';
import { type ActionSource, eventOf } from '../../../domain/accounts/security-event.ts';
import { Problem, type ProblemCode } from '../../../domain/problem.ts';
import { rfc3339, SECOND } from '../../../domain/time.ts';
import type { Ports, Settings, Stores } from '../../ports.ts';
import { type KeptSettings, keep } from '../../quotas/keep.ts';
import { bareApproval, isBareApproval } from '../factors/required-factor.ts';
import { addAgent } from '../keys/add-agent.ts';
import { type IssuedKey, issueKey } from '../keys/issue-key.ts';
import type { RequestClient } from '../sign-in/register-owner.ts';
import { hashOfDeviceCode, openCode } from './device-sign-in.ts';
import { configured, type IdentityPorts, ownerOfIdentity } from './provider-login.ts';

const CLOSED: Readonly<Record<Closed, readonly [code: ProblemCode, message: string, suggestion?: string]>> = {
  denied: ['ACCESS_DENIED', 'The user refused the sign-in.'],
  expired: ['EXPIRED_TOKEN', 'The sign-in was not completed in time.'],
  spent: [
    'EXPIRED_TOKEN',
    'The identity provider has redeemed this sign-in already, and its answer was lost on the way.',
    'Start the device flow again; no key was issued.',
  ],
  consumed: [
    'EXPIRED_TOKEN',
    'This device code was redeemed already: its API key was issued, and a key is shown only once.',
    'If the key never arrived, have the owner revoke it and start the device flow again.',
  ],
};

const AGENT_NAME = 'Device sign-in';

export interface DevicePoll {
  /** As `DEVICE_CODE`. */
  readonly device_code: string;
  /** The name of the key's agent. */
  readonly agent_name?: string | undefined;
}

export type PollPorts = IdentityPorts &
  Pick<Ports, 'deviceAuthorization' | 'deviceSignIns' | 'transaction'> & {
    readonly settings: Pick<Settings, 'ownerFactorRequired'>;
  };

/**
 * The key of a sign-in that its user has approved, issued at most once (interface.md 4.5, settled.md section 8). Of the
 * polls of a code one at a time asks the provider, under a lease; nothing is locked meanwhile.
 * @throws Problem AUTHORIZATION_PENDING, SLOW_DOWN, ACCESS_DENIED, EXPIRED_TOKEN, TIER_LIMIT_REACHED, DAILY_QUOTA_EXCEEDED and
 * ACCOUNT_SUSPENDED (the code stays redeemable), OAUTH_NOT_CONFIGURED, SERVICE_UNAVAILABLE when the provider is down (the code stays),
 * FACTOR_REQUIRED where owners need a second factor and the provider names none (the sign-in ends),
 * RATE_LIMIT_EXCEEDED for a new account where no more may be opened today (the approval is lost)
 */
export async function pollDeviceSignIn(
  ports: PollPorts,
  { device_code, agent_name }: DevicePoll,
  client: RequestClient,
): Promise<DeviceKey> {
  const provider = configured(ports.deviceAuthorization);
  const code_hash = hashOfDeviceCode(device_code);
  const lease_token = randomUUID();
  const judged = await ports.deviceSignIns.transition(code_hash, (signIn, now) => poll(signIn, lease_token, now));
  const held = { device_code, code_hash, lease_token, client };
  const answer = judged?.step === 'exchange' ? await exchange(ports, provider, held, judged) : judged;
  if (answer?.step === 'redeem') return redeemDeviceSignIn(ports, code_hash, client, agent_name);
  throw deviceRefusal(answer);
}

interface HeldLease {
  readonly device_code: string;
  readonly code_hash: Uint8Array;
  readonly lease_token: string;
  readonly client: RequestClient;
}

/** Ends the lease in any case; if this process dies, the lease runs out. */
async function exchange(
  ports: PollPorts,
  provider: DeviceAuthorization,
  { device_code, code_hash, lease_token, client }: HeldLease,
  { sealed_code }: ExchangeStep,
): Promise<PollAnswer | null> {
  const settleAs = (found: Finding) =>
    ports.deviceSignIns.transition(code_hash, (signIn, now) => settle(signIn, lease_token, found, now));
  try {
    const found = await provider.exchange(openCode(device_code, sealed_code));
    const isBare = found.outcome === 'approved' && isBareApproval(ports.settings, found);
    const settled = await settleAs(isBare ? { outcome: 'denied' } : await findingOf(ports, found, client));
    if (isBare) throw bareApproval();
    return settled;
  } catch (fault) {
    const left = await settleAs({ outcome: 'failed' });
    throw left?.step === 'wait' ? afterInterval(fault, left.poll_every) : fault;
  }
}

/** A caller that polls again as soon as the reply allows must not be slowed down. */
function afterInterval(fault: unknown, poll_every: number): unknown {
  if (!(fault instanceof Problem) || fault.code !== 'SERVICE_UNAVAILABLE') return fault;
  return new Problem(fault.code, fault.message, { retry_after_seconds: poll_every / SECOND });
}

async function findingOf(ports: PollPorts, found: Exchange, client: RequestClient): Promise<Finding> {
  if (found.outcome !== 'approved') return found;
  const { owner_id } = await ownerOfIdentity(ports, found.identity, client);
  return { outcome: 'approved', owner_id };
}

interface DeviceKey extends IssuedKey {
  readonly agent_id: string;
}

/**
 * Redeems an approved sign-in for a new agent and its read_write key, in one transaction: either the key exists and the
 * code is used up, or neither.
 * @throws Problem EXPIRED_TOKEN when it was redeemed or has ended meanwhile, TIER_LIMIT_REACHED, DAILY_QUOTA_EXCEEDED,
 * ACCOUNT_SUSPENDED
 */
function redeemDeviceSignIn(
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

/** The refusal of a poll that gets no key; null: the code is unknown, or no longer known. */
function deviceRefusal(refusal: PollRefusal | null): Problem {
  if (refusal === null) return new Problem('EXPIRED_TOKEN', 'There is no such device code, or it ended long ago.');
  switch (refusal.step) {
    case 'wait':
      return new Problem('AUTHORIZATION_PENDING', 'The user has not decided yet.', whenToPoll(refusal));
    case 'slow_down':
      return tooSoon(refusal);
    case 'over':
      return closedProblem(refusal.status);
  }
}

function whenToPoll({ poll_every }: Polled) {
  return { retry_after_seconds: poll_every / SECOND };
}

function tooSoon(polled: Polled): Problem {
  const { retry_after_seconds } = whenToPoll(polled);
  const suggestion = `Leave at least ${retry_after_seconds} seconds between polls from now on.`;
  const message = 'The code was polled before its interval was over.';
  return new Problem('SLOW_DOWN', message, { suggestion, retry_after_seconds });
}

interface Polled {
  readonly poll_every: number;
}

function closedProblem(status: Closed): Problem {
  const [code, message, suggestion] = CLOSED[status];
  return new Problem(code, message, suggestion === undefined ? {} : { suggestion });
}
