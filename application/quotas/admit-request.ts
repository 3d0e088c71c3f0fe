import type { BarredKey } from '../../domain/accounts/keys/api-key.ts';
import type { ActionSource } from '../../domain/accounts/security-event.ts';
import type { Caller } from '../../domain/caller.ts';
import type { Limits } from '../../domain/limits.ts';
import { Problem } from '../../domain/problem.ts';
import type { AdmissionRequest, KnownAdmission, QuotaUse, RateState, Spend } from '../../domain/quotas/admission.ts';
import { baseOf, type Pool, type PoolState, poolState } from '../../domain/quotas/pools.ts';
import { MINUTE, type Millis, SECOND } from '../../domain/time.ts';
import { type IdentityPorts, ownerOfIdentity } from '../accounts/provider/provider-login.ts';
import { type PresentedCredential, proofOf } from '../accounts/sign-in/proof-of-credential.ts';
import type { Ports } from '../ports.ts';

/** More networks than send requests at once in good faith; the count of the oldest is forgotten. */
const MOST = 100_000;

/**
 * The window of a network that a request without a credential counts in. `signup`: it opens an account or tries a
 * password. `cohort`: it counts a public cohort.
 */
export type AddressWindow = 'signup' | 'cohort' | 'common';

/** The facts of a request that its admission depends on. */
export interface RequestToAdmit {
  readonly credential: PresentedCredential | null;
  /** The client's network, as addresses are counted. */
  readonly network: string;
  /** The client's IP address; null where what a proxy sent is none. */
  readonly from: string | null;
  readonly window: AddressWindow;
  readonly spend: Omit<Spend, 'base'> | null;
  readonly source: () => ActionSource;
}

/** The pool that a request belongs to. */
export interface QuotaState extends Pick<PoolState, 'limit' | 'remaining' | 'reset'> {
  readonly resource: Pool;
}

export interface Admitted {
  readonly caller: Caller | null;
  /** The key of the request, where its bounds refused it. */
  readonly barred: BarredKey | null;
  readonly rate: RateState;
  /** null: it belongs to no pool, or was refused before the pool was read. */
  readonly quota: QuotaState | null;
  /** The credential proves the owner of a suspended account, who is no caller. */
  readonly isSuspended: boolean;
  /** The database's clock. */
  readonly at: Date;
  /** RATE_LIMIT_EXCEEDED or DAILY_QUOTA_EXCEEDED. */
  readonly refusal: Problem | null;
  /** Returns the unit that was taken, if one was; returns the state of the pool after that. */
  giveBack(): Promise<QuotaState | null>;
}

type AdmissionPorts = Pick<Ports, 'admission' | 'identityProvider' | 'settings'> & IdentityPorts;

/**
 * Judges credential, rate and daily pool of a request in one call of the storage (settled.md sections 4 and 7). The
 * first valid token of an identity creates its owner first.
 * @param ceiling refuses requests with credentials before anything is read
 */
export async function admitRequest(
  ports: AdmissionPorts,
  request: RequestToAdmit,
  ceiling: AddressCeiling = () => null,
): Promise<Admitted> {
  const { limits } = ports.settings;
  const reset = request.credential && ceiling(request.network);
  if (reset) return refusedByCeiling(limits.credentialedPerMinute, reset);
  const proof = request.credential && (await proofOf(ports, request.credential));
  const spend = request.spend && { ...request.spend, base: baseOf(request.spend.pool, limits) };
  const callerLimits = { per_second: limits.ratePerSecond, per_minute: limits.ratePerMinute };
  const admissionRequest = { proof, from: request.from, callerLimits, ...countedAddress(request, limits), spend };
  const { admission, isSuspended } = await admitKnown(ports, admissionRequest, request);
  return {
    caller: admission.caller,
    isSuspended,
    barred: admission.barred ?? null,
    rate: admission.rate,
    at: admission.at,
    quota: spend && admission.quota && quotaState(spend, admission.quota),
    refusal: refusalOf(admission, admissionRequest, request),
    async giveBack() {
      if (admission.verdict !== 'admitted' || !admission.spent || !spend) return null;
      return quotaState(spend, await ports.admission.giveBack(admission.spent));
    },
  };
}

function refusedByCeiling(limit: number, reset: Date): Admitted {
  const at = new Date();
  const message = `${limit} requests a minute with credentials are allowed for this address.`;
  const refusal = new Problem('RATE_LIMIT_EXCEEDED', message, { retry_after_seconds: secondsUntil(reset, at) });
  return {
    caller: null,
    isSuspended: false,
    barred: null,
    rate: { limit, remaining: 0, reset },
    quota: null,
    at,
    refusal,
    giveBack: async () => null,
  };
}

function countedAddress({ network, window }: RequestToAdmit, limits: Limits) {
  switch (window) {
    case 'signup':
      return { address: `sign-up ${network}`, addressPerMinute: limits.signupsPerMinute };
    case 'cohort':
      return { address: `cohort ${network}`, addressPerMinute: limits.publicCohortsPerMinute };
    case 'common':
      return { address: `address ${network}`, addressPerMinute: limits.addressPerMinute };
  }
}

async function admitKnown(
  ports: AdmissionPorts,
  admissionRequest: AdmissionRequest,
  request: RequestToAdmit,
): Promise<{ readonly admission: KnownAdmission; readonly isSuspended: boolean }> {
  const first = await ports.admission.admit(admissionRequest);
  if (first.verdict !== 'no_active_owner') return { admission: first, isSuspended: false };
  const isSuspended = await isOfSuspended(ports, admissionRequest, request);
  // Without an owner who may be served, the address is counted.
  const admission = await ports.admission.admit(isSuspended ? { ...admissionRequest, proof: null } : admissionRequest);
  if (admission.verdict !== 'no_active_owner') return { admission, isSuspended };
  throw new Problem('SERVICE_UNAVAILABLE', 'The account of this token was removed while it was being used.');
}

/** Whether the owner of an identity is suspended; an identity without an owner gets one. */
async function isOfSuspended(
  ports: AdmissionPorts,
  { proof }: AdmissionRequest,
  { network, source }: RequestToAdmit,
): Promise<boolean> {
  if (proof?.credential !== 'owner_bearer') return false;
  const owner = await ownerOfIdentity(ports, proof.identity, { network, source: source() });
  return owner.suspended_at !== null;
}

/** `reset` is the end of the day on which the pool was read. */
function quotaState({ pool, base }: Spend, use: QuotaUse): QuotaState {
  const { limit, remaining, reset } = poolState(base, use, Date.parse(use.day));
  return { resource: pool, limit, remaining, reset };
}

/** What shares each window of an address. */
const OF_AN_ADDRESS: Readonly<Record<AddressWindow, string>> = {
  signup:
    'Sign-up, login, quick-setup, password reset, email confirmation, passkey login and device sign-in share one limit',
  cohort: 'Public cohort queries share one limit',
  common: 'Requests without a valid credential share one limit',
};

function addressRefusal({ rate, at }: KnownAdmission, { window, credential }: RequestToAdmit): Problem {
  const advice = credential
    ? 'Check the credential: one that is valid is counted by itself. Or wait retry_after_seconds.'
    : 'Wait retry_after_seconds; a valid credential, where one is accepted, is counted by itself.';
  return new Problem(
    'RATE_LIMIT_EXCEEDED',
    `${OF_AN_ADDRESS[window]}: ${rate.limit} requests a minute for this address.`,
    {
      ...(window === 'common' ? { suggestion: advice } : {}),
      retry_after_seconds: secondsUntil(rate.reset, at),
    },
  );
}

function refusalOf(
  admission: KnownAdmission,
  { callerLimits, spend }: AdmissionRequest,
  request: RequestToAdmit,
): Problem | null {
  const { verdict, caller, rate, quota, at } = admission;
  if (verdict === 'rate') {
    if (!caller) return addressRefusal(admission, request);
    const whose = caller.credential === 'api_key' ? 'this API key' : 'this owner';
    const figures = `${rate.limit} requests a minute and ${callerLimits.per_second} a second`;
    return new Problem('RATE_LIMIT_EXCEEDED', `${figures} are allowed for ${whose}.`, {
      retry_after_seconds: secondsUntil(rate.reset, at),
    });
  }
  if (verdict !== 'quota' || !spend || !quota) return null;
  const { limit, reset } = quotaState(spend, quota);
  const whose = spend.pool === 'check' ? 'checks of this decision' : `the ${spend.pool} pool`;
  return new Problem('DAILY_QUOTA_EXCEEDED', `All ${limit} units of ${whose} are used up for today.`, {
    retry_after_seconds: secondsUntil(reset, at),
  });
}

function secondsUntil(reset: Date, at: Date): number {
  return (reset.getTime() - at.getTime()) / SECOND;
}

/** Counts a request of a network; returns the end of the minute when the network has no more requests in it, else null. */
type AddressCeiling = (network: string) => Date | null;

/**
 * Counts requests that present a credential by their network, before the credential is read, in fixed minutes of this
 * process. It only bounds what one address can cost: the exact limits are those of the storage.
 */
export function addressCeiling(perMinute: number, now: () => Millis = Date.now): AddressCeiling {
  const counts = new Map<string, number>();
  let minute = 0;
  return (network) => {
    const current = Math.floor(now() / MINUTE);
    if (current > minute) {
      counts.clear();
      minute = current;
    }
    const used = counts.get(network) ?? 0;
    if (used >= perMinute) return new Date((minute + 1) * MINUTE);
    counts.set(network, used + 1);
    if (counts.size > MOST) counts.delete(counts.keys().next().value ?? network);
    return null;
  };
}
