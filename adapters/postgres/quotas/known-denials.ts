import type { Admission, AdmissionRequest } from '../../../domain/quotas/admission.ts';
import type { Millis } from '../../../domain/time.ts';

type Denial = Extract<Admission, { readonly verdict: 'rate' }>;

/** Refusals by rate that this process has seen and that still hold. */
export interface KnownDenials {
  /** What the database would answer again; null when it must be asked. */
  find(request: AdmissionRequest): Denial | null;
  /** `asked`: when, by the monotonic clock, the question was put that this answers. */
  note(request: AdmissionRequest, answer: Exclude<Admission, { readonly verdict: 'stranger' }>, asked: Millis): void;
}

/** More subjects than are refused at once in good faith; the oldest are forgotten, and asked about anew. */
const MOST = 10_000;

/**
 * A full window stays full until it ends, so its refusal may be repeated without asking: whoever sends too much costs
 * the database one statement per window and process. An admission is never remembered, and neither is who the caller is
 * beyond a window in which nobody is let in anyway.
 *
 * When the window ends is judged by the newest time that the database has told and the time that has passed here since
 * the question, not the answer, was sent: that is never behind the database's clock, so nobody is refused too long.
 */
export function knownDenials(monotonic: () => Millis, newest: () => Date | null = () => null): KnownDenials {
  const denials = new Map<string, Denial>();
  /** The database's clock less ours: at most so (by when it was asked), at least so (by when it answered). */
  let ahead = { most: -Infinity, least: -Infinity };

  return {
    find(request) {
      const key = keyOf(request);
      const denial = denials.get(key);
      if (!denial) return null;
      const now = monotonic();
      const heard = newest()?.getTime() ?? -Infinity;
      if (Math.max(now + ahead.most, heard) < denial.rate.reset.getTime()) {
        return { ...denial, at: new Date(Math.max(now + ahead.least, heard)) };
      }
      denials.delete(key);
      return null;
    },

    note(request, answer, asked) {
      const told = answer.at.getTime();
      ahead = { most: told - asked, least: told - monotonic() };
      if (answer.verdict !== 'rate' || (request.proof !== null && answer.caller === null)) return;
      if (denials.size >= MOST) forgetFirst(denials);
      denials.set(keyOf(request), answer);
    },
  };
}

/** A proof that stands for nobody is not remembered: it may stand for somebody the next moment. */
function keyOf({ proof, address }: AdmissionRequest): string {
  switch (proof?.credential) {
    case undefined:
      return address;
    case 'api_key':
      return `key ${Buffer.from(proof.key_hash).toString('base64')}`;
    case 'legacy_session':
      return `session ${Buffer.from(proof.session_hash).toString('base64')}`;
    case 'owner_bearer':
      return `identity ${JSON.stringify([proof.identity.issuer, proof.identity.subject])}`;
  }
}

function forgetFirst(denials: Map<string, unknown>): void {
  const [first] = denials.keys();
  if (first !== undefined) denials.delete(first);
}
