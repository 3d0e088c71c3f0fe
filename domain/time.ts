/** An instant in milliseconds since 1970-01-01T00:00:00Z. Records carry `Date`s; prices and calendars count in these. */
export type Millis = number;

export const SECOND: Millis = 1_000;
export const MINUTE: Millis = 60 * SECOND;
export const HOUR: Millis = 60 * MINUTE;
export const DAY: Millis = 24 * HOUR;

/**
 * The RFC 3339 form that the service writes everywhere: UTC, milliseconds, `Z`.
 * @throws RangeError for what is no instant
 */
export function rfc3339(at: Millis | Date): string {
  const time = Math.trunc(Number(at));
  const day = Math.floor(time / DAY);
  const rest = time - day * DAY;
  const minute = Math.floor(rest / MINUTE);
  const second = Math.floor(rest / SECOND) - minute * 60;
  return `${dateOfDay(day)}${MINUTES[minute]}${SECONDS[second]}${MILLIS[rest % SECOND]}`;
}

/** Replies contain many instants, and Date.toISOString takes several times as long as these parts of the text. */
const MINUTES = Array.from({ length: 1_440 }, (_, n) => `T${digits(Math.floor(n / 60), 2)}:${digits(n % 60, 2)}:`);
const SECONDS = Array.from({ length: 60 }, (_, n) => digits(n, 2));
const MILLIS = Array.from({ length: 1_000 }, (_, n) => `.${digits(n, 3)}Z`);

function digits(n: number, length: number): string {
  return String(n).padStart(length, '0');
}

const dates = new Map<number, string>();
const MOST_DATES = 2_000;

function dateOfDay(day: number): string {
  const known = dates.get(day);
  if (known !== undefined) return known;
  const text = new Date(day * DAY).toISOString().replace(/T.*$/, '');
  if (dates.size >= MOST_DATES) dates.clear();
  dates.set(day, text);
  return text;
}

/** The UTC date `YYYY-MM-DD` of an instant. */
export function utcDate(at: Millis | Date): string {
  return rfc3339(at).slice(0, 10);
}

/** The UTC month `YYYY-MM` of an instant. */
export function utcMonth(at: Millis | Date): string {
  return rfc3339(at).slice(0, 7);
}

/** 00:00 UTC of the day that follows the instant's. */
export function nextUtcDay(at: Millis): Millis {
  return (Math.floor(at / DAY) + 1) * DAY;
}

/** The start of the fixed calendar window (UTC) of that length that contains `at`. */
export function windowStart(at: Date, length: Millis): Date {
  return new Date(Math.floor(at.getTime() / length) * length);
}

/** The later of two times; texts must have the form of `rfc3339`. */
export function later<Time extends Date | string>(a: Time, b: Time): Time {
  return a > b ? a : b;
}

/** The database's clock, which decides windows, days and receive times (settled.md sections 4 and 7). */
export interface Clock {
  /** Asks the database for the time. */
  now(): Promise<Date>;

  /**
   * The newest time that a reply of the database has shown to this process; asks when there is none yet. It costs
   * nothing and is never ahead of `now`, unless the database's clock was set back.
   */
  lastSeen(): Promise<Date>;
}
