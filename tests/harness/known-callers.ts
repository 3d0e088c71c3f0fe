import type { Caller } from '../../domain/caller.ts';
import type { AdmissionDesk, Proof } from '../../domain/quotas/admission.ts';

type Desk = Pick<AdmissionDesk, 'admit'>;

/** Whom the key speaks for at this moment; null for nobody. */
export function callerByKey(desk: Desk, { key_hash }: { readonly key_hash: Uint8Array }): Promise<Caller | null> {
  return callerBy(desk, { credential: 'api_key', key_hash });
}

/** Whom the session speaks for at this moment; null for nobody. It is used by that. */
export function callerBySession(
  desk: Desk,
  { session_hash }: { readonly session_hash: Uint8Array },
): Promise<Caller | null> {
  return callerBy(desk, { credential: 'legacy_session', session_hash });
}

/** Under limits that nobody meets. */
async function callerBy(desk: Desk, proof: Proof): Promise<Caller | null> {
  const callerLimits = { per_second: MANY, per_minute: MANY };
  const request = { proof, callerLimits, address: 'a test', addressPerMinute: MANY, spend: null };
  const answer = await desk.admit(request);
  return answer.verdict === 'stranger' ? null : answer.caller;
}

const MANY = 1_000_000;
