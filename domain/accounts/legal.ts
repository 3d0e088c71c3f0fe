import { Problem, type ProblemDetail } from '../problem.ts';

/** Versions of the terms and of the privacy notice. */
export interface LegalVersions {
  readonly terms_version: string;
  readonly privacy_version: string;
}

/** An owner's acceptance of both; every acceptance is stored. */
export interface LegalAcceptance extends LegalVersions {
  /** Where it was accepted, as the client sent it: `dashboard`. */
  readonly source: string;
  readonly accepted_at: Date;
}

/** The versions that can be accepted; the last one is current. */
export interface KnownVersions {
  readonly terms: readonly string[];
  readonly privacy: readonly string[];
}

/** What an owner reads of their acceptance (settled.md section 8). */
export interface LegalStatus {
  /** The newest acceptance, of whatever versions. */
  readonly accepted: LegalAcceptance | null;
  readonly current: LegalVersions;
  readonly up_to_date: boolean;
}

/** The newest version of each is the current one; an owner who accepted an older one is not up to date. */
export function legalStatus(accepted: LegalAcceptance | null, known: KnownVersions): LegalStatus {
  const current = { terms_version: known.terms.at(-1) ?? '', privacy_version: known.privacy.at(-1) ?? '' };
  const up_to_date =
    accepted?.terms_version === current.terms_version && accepted.privacy_version === current.privacy_version;
  return { accepted, current, up_to_date };
}

/**
 * Only versions that an operator has published can be accepted, older ones included.
 * @throws Problem UNKNOWN_LEGAL_VERSION that names the known versions
 */
export function refuseUnknownVersions({ terms_version, privacy_version }: LegalVersions, known: KnownVersions): void {
  const details = [
    ...unknown('terms_version', terms_version, known.terms),
    ...unknown('privacy_version', privacy_version, known.privacy),
  ];
  const [first] = details;
  if (first) throw new Problem('UNKNOWN_LEGAL_VERSION', `${first.path} ${first.message}.`, { details });
}

function unknown(path: string, received: string, known: readonly string[]): readonly ProblemDetail[] {
  return known.includes(received) ? [] : [{ path, message: `must be one of ${known.join(', ')}`, received }];
}
