import type { Schemas } from '../kit/schemas.ts';
import { counted } from '../kit/value-texts.ts';

export type Minute = Schemas['ServiceMinutes']['minutes'][number];

/** One figure of the service over the minutes. */
export interface Series {
  readonly title: string;
  /** What it is of. */
  readonly about: string;
  value(minute: Minute): number | null;
  words(value: number): string;
  /** Whether the axis begins at the least value: of a count that only grows, 0 says nothing. */
  readonly fromLeast?: true;
}

const SPACE = '\u00a0';
const SECONDS = 60;
const THOUSAND = 1_000;

export const SERIES: readonly Series[] = [
  {
    title: 'Requests',
    about: 'replies of all processes, by second',
    value: ({ requests }) => requests / SECONDS,
    words: (value) => `${digits(value)}${SPACE}/s`,
  },
  {
    title: 'Duration, p99',
    about: 'of 100 replies 99 were as fast, estimated',
    value: ({ p99_ms }) => p99_ms,
    words: (value) => (value < THOUSAND ? `${digits(value)}${SPACE}ms` : `${digits(value / THOUSAND)}${SPACE}s`),
  },
  {
    title: 'Due for evaluation',
    about: 'decisions that no process has claimed',
    value: ({ due }) => due,
    words: (value) => counted(Math.round(value), 'decision'),
  },
  {
    title: 'Log, oldest event waits',
    about: 'until its leaf is in the evidence log',
    value: ({ log_size, log_waits_seconds }) => (log_size === null ? null : log_waits_seconds),
    words: spanWords,
  },
  {
    title: 'Log, size',
    about: 'leaves of the evidence log',
    value: ({ log_size }) => log_size,
    words: (value) => counted(Math.round(value), 'leaf', 'leaves'),
    fromLeast: true,
  },
  {
    title: 'Disk, free',
    about: 'of the database, the least that a process sees',
    value: ({ disk_free_bytes }) => disk_free_bytes,
    words: (value) => `${digits(value / 1e9)}${SPACE}GB`,
  },
];

/** Three digits, as far as they say something. */
function digits(value: number): string {
  const [fine, coarse] = [10, 100];
  return value.toLocaleString('en-GB', { maximumFractionDigits: value < fine ? 2 : value < coarse ? 1 : 0 });
}

function spanWords(seconds: number): string {
  const hour = SECONDS * SECONDS;
  if (seconds < 2 * SECONDS) return `${Math.round(seconds)}${SPACE}s`;
  return seconds < 2 * hour ? `${Math.round(seconds / SECONDS)}${SPACE}min` : `${digits(seconds / hour)}${SPACE}h`;
}

export interface Point {
  /** Of the minute, in the order in which they are listed. */
  readonly index: number;
  readonly at: number;
  readonly value: number;
}

const GAP = 90_000;

/** The points of a figure in stretches without a gap: where a minute or its value is missing, no line is drawn. */
export function stretchesOf(minutes: readonly Minute[], value: Series['value']): readonly (readonly Point[])[] {
  const stretches: Point[][] = [];
  let last = Number.NEGATIVE_INFINITY;
  for (const [index, minute] of minutes.entries()) {
    const at = Date.parse(minute.at);
    const found = value(minute);
    if (found === null) continue;
    if (at - last > GAP) stretches.push([]);
    stretches.at(-1)?.push({ index, at, value: found });
    last = at;
  }
  return stretches;
}

const HOUR = 3_600_000;
const DAY = 24 * HOUR;

/** The times of the axis: of the last day; of a service that is younger from its first minute, but an hour at least. */
export function spanOf(minutes: readonly Minute[], now: number): readonly [from: number, to: number] {
  const first = minutes[0] === undefined ? now : Date.parse(minutes[0].at);
  return [Math.max(now - DAY, Math.min(first, now - HOUR)), now];
}

/** The ends of the axis of values. A flat line is in the middle, or at 0. */
export function rangeOf(points: readonly Point[], { fromLeast }: Series): readonly [least: number, most: number] {
  const values = points.map(({ value }) => value);
  const most = Math.max(...values, 0);
  const least = fromLeast ? Math.min(...values) : 0;
  if (most > least) return [least, most];
  return fromLeast ? [Math.max(0, least - 1), most + 1] : [0, 1];
}

/** What is known of a minute, in words. */
export function minuteWords(minute: Minute, { value, words }: Series): string {
  const found = value(minute);
  return `${minute.at.slice(11, 16)} UTC: ${found === null ? 'not known' : words(found)}`;
}

/** The minute that is nearest to a time; -1 without any. */
export function nearestMinute(minutes: readonly Minute[], time: number): number {
  let [best, least] = [-1, Number.POSITIVE_INFINITY];
  for (const [index, { at }] of minutes.entries()) {
    const distance = Math.abs(Date.parse(at) - time);
    if (distance < least) [best, least] = [index, distance];
  }
  return best;
}
