import { FAMILIAR_KINDS, type StoredSecurityEvent } from '../accounts/security-event.ts';
import { utcDate } from '../time.ts';

/** What a line of a digest says. What the owner did themselves, and steps on the way to a grade, are in none. */
export const DIGEST_KINDS = [
  'graded',
  'rejected',
  'unscorable',
  'quarantined',
  'released',
  'key_expiring',
  /** From a network where the owner did not sign in before. */
  'new_sign_in',
  /** Passwords were not checked any more, because there were too many attempts. */
  'lockout',
  /** Its last attempts failed; they are repeated. */
  'webhook_failing',
  /** Nothing is sent to it any more. */
  'webhook_stopped',
] as const;
export type DigestKind = (typeof DIGEST_KINDS)[number];

/** What happened equally often or once in a UTC day, in one line. */
export interface DigestLine {
  /** As `2026-03-02`. */
  readonly day: string;
  readonly kind: DigestKind;
  readonly total: number;
  /** Of them, those that the owner's read mark does not cover. */
  readonly unread: number;
  /** When the newest was. */
  readonly at: Date;
  /** What the newest names: a record, the prefix of a key, a webhook; null for sign-ins. */
  readonly subject: string | null;
}

/** Up to where an owner has read what happened. */
export interface ReadMark {
  /** A place of the feed. */
  readonly place: string;
  /** When the feed ended there. */
  readonly at: Date;
}

/** Events of the feed, counted by UTC day and kind; keys each have a line. */
export interface EventDigest {
  /** The newest first. */
  readonly lines: readonly DigestLine[];
  /** Behind all that was counted, and all that is complete now. */
  readonly end: ReadMark;
  /** Whether older events of the time were not counted. */
  readonly isCut: boolean;
}

/** How much of the feed a digest counts. */
export interface DigestRange {
  readonly since: Date;
  /** Of the owner's newest events, those that are not in digests included. */
  readonly atMost: number;
}

/**
 * The lines of sign-ins from new networks, and of refused ones.
 * @param events of the owner, the newest first, from before `since` on
 */
export function signInLines(
  events: readonly StoredSecurityEvent[],
  since: Date,
  mark: ReadMark | null,
): readonly DigestLine[] {
  const lines = events.flatMap((event, at) => {
    const kind = event.at < since ? null : kindOf(event, events.slice(at + 1));
    if (kind === null) return [];
    const line = oneLine(kind, event.last_at, null, mark);
    return [{ ...line, total: event.count, unread: line.unread * event.count }];
  });
  return foldedLines(lines);
}

/** A passkey proves the owner too, though its sign-in makes no network familiar to others. */
const SIGN_INS = ['login', 'provider_login', 'passkey_login', 'device_sign_in'];

function kindOf(event: StoredSecurityEvent, earlier: readonly StoredSecurityEvent[]): DigestKind | null {
  if (event.kind === 'lockout') return 'lockout';
  if (!SIGN_INS.includes(event.kind) || event.result !== 'success') return null;
  const isFamiliar = earlier.some(
    ({ kind, result, network }) =>
      result === 'success' && network === event.network && (FAMILIAR_KINDS.includes(kind) || SIGN_INS.includes(kind)),
  );
  return isFamiliar ? null : 'new_sign_in';
}

/** The lines of one day and kind as one, keys apart; the newest first. */
export function foldedLines(lines: readonly DigestLine[]): readonly DigestLine[] {
  const groups = Map.groupBy(lines, ({ day, kind, subject }) =>
    kind === 'key_expiring' ? `${day} ${kind} ${subject}` : `${day} ${kind}`,
  );
  return newestFirst([...groups.values()].map(joined));
}

/** Those of one moment in the order of their kinds. */
export function newestFirst(lines: readonly DigestLine[]): readonly DigestLine[] {
  return lines.toSorted((a, b) => b.at.getTime() - a.at.getTime() || (a.kind < b.kind ? -1 : 1));
}

function joined(lines: readonly DigestLine[]): DigestLine {
  const sum = (count: (line: DigestLine) => number) => lines.reduce((total, line) => total + count(line), 0);
  const [first] = newestFirst(lines);
  if (first === undefined) throw new TypeError('No group of lines is empty.');
  return { ...first, total: sum(({ total }) => total), unread: sum(({ unread }) => unread) };
}

/** A line of one thing that happened. */
export function oneLine(kind: DigestKind, at: Date, subject: string | null, mark: ReadMark | null): DigestLine {
  return { day: utcDate(at), kind, total: 1, unread: mark !== null && at <= mark.at ? 0 : 1, at, subject };
}
