import { ACCOUNT } from '../limits.ts';
import { Problem } from '../problem.ts';

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
