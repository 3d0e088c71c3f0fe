import type { Caller } from '../../domain/caller.ts';
import type { AdmissionDesk, Proof } from '../../domain/quotas/admission.ts';

type Desk = Pick<AdmissionDesk, 'admit'>;

/** The current caller of the key; null for an unknown or revoked key. */
export function callerByKey(desk: Desk, { key_hash }: { readonly key_hash: Uint8Array }): Promise<Caller | null> {
  return callerBy(desk, { credential: 'api_key', key_hash });
}

/** The current caller of the session; null for none. The call counts as a use of the session. */
export function callerBySession(
  desk: Desk,
  { session_hash }: { readonly session_hash: Uint8Array },
): Promise<Caller | null> {
  return callerBy(desk, { credential: 'legacy_session', session_hash });
}

/** Limits that no test reaches. */
async function callerBy(desk: Desk, proof: Proof): Promise<Caller | null> {
  const callerLimits = { per_second: MANY, per_minute: MANY };
  const request = { proof, from: null, callerLimits, address: 'a test', addressPerMinute: MANY, spend: null };
  const answer = await desk.admit(request);
  return answer.verdict === 'no_active_owner' ? null : answer.caller;
}

const MANY = 1_000_000;
