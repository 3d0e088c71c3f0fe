import type { Schemas } from '../kit/schemas.ts';
import { counted } from '../kit/value-texts.ts';

export type Digest = Schemas['EventDigest'];
type Line = Digest['lines'][number];

/** The lines of one day. */
export interface DigestDay {
  /** `Today`, `Yesterday`, or the date. */
  readonly title: string;
  readonly lines: readonly Line[];
}

const DAY = 86_400_000;

const DATE = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeZone: 'UTC' });

/** The lines by their days, which are those of UTC. @param now in milliseconds */
export function daysOf(lines: readonly Line[], now: number): readonly DigestDay[] {
  const today = dateOf(now);
  const yesterday = dateOf(now - DAY);
  return [...Map.groupBy(lines, ({ day }) => day)].map(([day, those]) => {
    const date = DATE.format(new Date(`${day}T00:00:00Z`));
    return { title: day === today ? 'Today' : day === yesterday ? 'Yesterday' : date, lines: those };
  });
}

function dateOf(time: number): string {
  return new Date(time).toISOString().slice(0, 10);
}

/** A line in words; how much of it is new where that is not all of it. */
export function lineWords(line: Line): string {
  const words = WORDS[line.kind](line);
  return line.unread > 0 && line.unread < line.total ? `${words}, ${line.unread.toLocaleString('en-GB')} new` : words;
}

const decisions = ({ total }: Line) => counted(total, 'decision');

const WORDS: Readonly<Record<Line['kind'], (line: Line) => string>> = {
  graded: (line) => `${decisions(line)} graded`,
  rejected: (line) => `${decisions(line)} rejected`,
  unscorable: (line) => `${decisions(line)} without prices`,
  quarantined: (line) => `${decisions(line)} hidden by an operator`,
  released: (line) => `${decisions(line)} shown again`,
  key_expiring: ({ subject }) => `The key ${subject} expires soon`,
  new_sign_in: ({ total }) => (total === 1 ? 'Sign-in from a new network' : `${total} sign-ins from new networks`),
  lockout: () => 'Too many wrong passwords: further ones were not checked',
  webhook_failing: ({ total }) => (total === 1 ? 'A webhook fails' : `${total} webhooks fail`),
  webhook_stopped: ({ total }) => (total === 1 ? 'A webhook was stopped' : `${total} webhooks were stopped`),
};

/** The address of what a line names: of one thing its own view, of several the list of them. */
export function lineAddress(line: Line): string {
  const { kind, subject, total, day } = line;
  if (kind === 'key_expiring') return '#/keys';
  if (kind === 'new_sign_in' || kind === 'lockout') return '#/security';
  const isOne = total === 1 && subject !== null;
  if (kind === 'webhook_failing' || kind === 'webhook_stopped') return isOne ? `#/webhooks/${subject}` : '#/webhooks';
  if (isOne) return `#/records/${subject}`;
  if (kind === 'graded') return `#/own?lifecycle_state=evaluated&evaluated_since=${day}`;
  const state = STATES[kind];
  return state === undefined ? '#/own' : `#/own?lifecycle_state=${state}`;
}

const STATES: Readonly<Partial<Record<Line['kind'], string>>> = {
  rejected: 'rejected',
  unscorable: 'data_unavailable',
  quarantined: 'quarantined',
};

/** What a screen reader hears when something has come: the lines that have more unread than before. */
export function newWords(before: Digest, after: Digest): string {
  const known = new Map(before.lines.map((line) => [keyOf(line), line.unread]));
  const grown = after.lines.filter((line) => line.unread > (known.get(keyOf(line)) ?? 0));
  return grown.map(lineWords).join('. ');
}

function keyOf({ day, kind, subject }: Line): string {
  return kind === 'key_expiring' ? `${day} ${kind} ${subject}` : `${day} ${kind}`;
}

/** The same with nothing unread. */
export function allRead(digest: Digest): Digest {
  return { ...digest, unread: 0, lines: digest.lines.map((line) => ({ ...line, unread: 0 })) };
}
