import { randomUUID } from 'node:crypto';
import type { DeviceAuthorization } from '../../../domain/accounts/provider/device-authorization.ts';
import {
  type ExchangeStep,
  type Finding,
  type PollAnswer,
  poll,
  settle,
} from '../../../domain/accounts/provider/device-polling.ts';
import { Problem } from '../../../domain/problem.ts';
import { SECOND } from '../../../domain/time.ts';
import type { Ports } from '../../ports.ts';
import type { RequestClient } from '../sign-in/request-client.ts';
import { configured } from './configured.ts';
import { hashOfDeviceCode, openCode } from './device-code.ts';
import { deviceRefusal } from './device-refusal.ts';
import { type IdentityPorts, ownerOfIdentity } from './owner-of-identity.ts';
import { type DeviceKey, redeemDeviceSignIn } from './redeem-device-sign-in.ts';

export interface DevicePoll {
  /** As `DEVICE_CODE`. */
  readonly device_code: string;
  /** The name of the key's agent. */
  readonly agent_name?: string | undefined;
}

export type PollPorts = IdentityPorts & Pick<Ports, 'deviceAuthorization' | 'deviceSignIns' | 'transaction'>;

/**
 * The key of a sign-in that its user has approved, issued at most once (interface.md 4.5, settled.md section 8). Of the
 * polls of a code one at a time asks the provider, under a lease; nothing is locked meanwhile.
 * @throws Problem AUTHORIZATION_PENDING, SLOW_DOWN, ACCESS_DENIED, EXPIRED_TOKEN, TIER_LIMIT_REACHED, DAILY_QUOTA_EXCEEDED and
 * ACCOUNT_SUSPENDED (the code stays redeemable), OAUTH_NOT_CONFIGURED, SERVICE_UNAVAILABLE when the provider is down (the code stays),
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
    return await settleAs(await findingOf(ports, provider, openCode(device_code, sealed_code), client));
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

async function findingOf(
  ports: PollPorts,
  provider: DeviceAuthorization,
  code: string,
  client: RequestClient,
): Promise<Finding> {
  const found = await provider.exchange(code);
  if (found.outcome !== 'approved') return found;
  const { owner_id } = await ownerOfIdentity(ports, found.identity, client);
  return { outcome: 'approved', owner_id };
}
