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
  const [hour, minute] = [Math.floor(rest / HOUR), Math.floor(rest / MINUTE) % 60];
  const [second, milli] = [Math.floor(rest / SECOND) % 60, rest % SECOND];
  return `${dateOfDay(day)}T${TWO[hour]}:${TWO[minute]}:${TWO[second]}.${milli < 100 ? '0' : ''}${TWO[milli] ?? milli}Z`;
}

/** Replies contain many instants, and Date.toISOString takes several times as long as computing from the day. */
const TWO = Array.from({ length: 100 }, (_, n) => String(n).padStart(2, '0'));
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
