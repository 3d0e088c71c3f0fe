import type { AdmissionRequest, KnownAdmission } from '../../../domain/quotas/admission.ts';
import type { Millis } from '../../../domain/time.ts';

type Denial = Extract<KnownAdmission, { readonly verdict: 'rate' }>;

/** Refusals by rate that this process has seen and that still hold. */
export interface KnownDenials {
  /** What the database would answer again; null when it must be asked. */
  find(request: AdmissionRequest): Denial | null;
  /** @param sentAt when the request was sent to the database, by the monotonic clock */
  note(request: AdmissionRequest, answer: KnownAdmission, sentAt: Millis): void;
}

/** More subjects than are refused at once in good faith; the oldest are forgotten, and asked about anew. */
const MOST = 10_000;

/**
 * A full window stays full until it ends, so its refusal may be repeated without asking the database: a caller that sends
 * too much costs it one statement per window and process. An admission is never remembered. Who the caller is is
 * remembered only for a full window, which admits nobody anyway.
 *
 * The end of the window is judged by the newest time that the database has returned and by the time that has passed here
 * since the question, not the answer, was sent. That is never behind the database's clock, so nobody is refused too long.
 */
export function knownDenials(monotonic: () => Millis, newest: () => Date | null = () => null): KnownDenials {
  const denials = new Map<string, Denial>();
  /** The database's clock less ours: at most (by when the request was sent), at least (by when the answer came). */
  let ahead = { most: -Infinity, least: -Infinity };

  return {
    find(request) {
      const key = keyOf(request);
      const denial = denials.get(key);
      if (!denial) return null;
      const now = monotonic();
      const newestTime = newest()?.getTime() ?? -Infinity;
      if (Math.max(now + ahead.most, newestTime) < denial.rate.reset.getTime()) {
        return { ...denial, at: new Date(Math.max(now + ahead.least, newestTime)) };
      }
      denials.delete(key);
      return null;
    },

    note(request, answer, sentAt) {
      const answeredAt = answer.at.getTime();
      ahead = { most: answeredAt - sentAt, least: answeredAt - monotonic() };
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
