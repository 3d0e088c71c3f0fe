import { ACCOUNT } from '../limits.ts';
import { Problem, type ProblemDetail } from '../problem.ts';

/**
 * The settings of an owner. Of `notify`, which is the owner's to fill (settled.md section 8), the service reads
 * `mail.notices` alone (`wantsNotices` of domain/mail/notices.ts).
 */
export interface Preferences {
  readonly display_name?: string;
  /** An IANA name, as sent. */
  readonly timezone?: string;
  /** A BCP 47 tag, as sent. */
  readonly locale?: string;
  readonly default_workflow_visibility?: 'private' | 'public';
  readonly notify?: Readonly<Record<string, unknown>>;
}

/** A change of preferences, by RFC 7396: null removes, objects are merged, everything else is replaced. */
export type PreferencesPatch = { readonly [N in keyof Preferences]?: Preferences[N] | null | undefined };

/**
 * The preferences with the change applied.
 * @throws Problem VALIDATION_ERROR when more than 8 KiB would be stored
 */
export function mergePreferences(stored: Preferences, patch: PreferencesPatch): Preferences {
  const merged = mergedObject({ ...stored }, { ...patch }) as Preferences;
  const size = new TextEncoder().encode(JSON.stringify(merged)).length;
  if (size <= ACCOUNT.preferencesBytes) return merged;
  const message = `would be ${size} bytes of JSON; at most ${ACCOUNT.preferencesBytes} are kept`;
  throw new Problem('VALIDATION_ERROR', `The merged preferences ${message}.`, {
    suggestion: 'Remove what is no longer needed: null removes a member.',
    details: [{ path: '', message }],
  });
}

/** Whether the runtime knows it as a name of the IANA database, aliases included; an offset is no such name. */
export function isZoneName(name: string): boolean {
  return /^[A-Za-z]/.test(name) && accepts(() => new Intl.DateTimeFormat('en', { timeZone: name }));
}

/** Whether it is a well-formed tag of BCP 47. */
export function isLocaleTag(tag: string): boolean {
  return accepts(() => Intl.getCanonicalLocales(tag));
}

type Members = Readonly<Record<string, unknown>>;

/** Reads own members only, and builds from entries: no name reaches a prototype. */
function mergedObject(stored: Members, patch: Members): Members {
  const members = new Map(Object.entries(stored));
  for (const [name, value] of Object.entries(patch)) {
    if (value === undefined) continue;
    if (value === null) members.delete(name);
    else members.set(name, isObject(value) ? mergedObject(objectOr(members.get(name)), value) : value);
  }
  return Object.fromEntries(members);
}

function objectOr(value: unknown): Members {
  return isObject(value) ? value : {};
}

function isObject(value: unknown): value is Members {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function accepts(construct: () => unknown): boolean {
  try {
    construct();
    return true;
  } catch (error) {
    if (error instanceof RangeError) return false;
    throw error;
  }
}

/** Versions of the terms and of the privacy notice. */
interface LegalVersions {
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
interface KnownVersions {
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

/** What an owner has set or accepted, besides what they sign in with. */
export interface ProfileStore {
  /** Adds the acceptance to the earlier ones, also within one millisecond; false when the owner is gone. */
  accept(owner_id: string, acceptance: LegalAcceptance): Promise<boolean>;

  /** The acceptance that was stored last. */
  lastAcceptance(owner_id: string): Promise<LegalAcceptance | null>;

  /** The owner's preferences; null when the owner is gone. */
  preferences(owner_id: string): Promise<Preferences | null>;

  /** Locks the owner's preferences until the transaction ends; null when the owner is gone. */
  lockPreferences(owner_id: string): Promise<Preferences | null>;

  /** Replaces the preferences as a whole. */
  setPreferences(owner_id: string, preferences: Preferences): Promise<void>;
}
