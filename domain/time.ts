/** An instant in milliseconds since 1970-01-01T00:00:00Z. Records carry `Date`s; prices and calendars count in these. */
export type Millis = number;

export const SECOND: Millis = 1_000;
export const MINUTE: Millis = 60 * SECOND;
export const HOUR: Millis = 60 * MINUTE;
export const DAY: Millis = 24 * HOUR;

/** The RFC 3339 form that the service writes everywhere: UTC, milliseconds, `Z`. */
export function rfc3339(at: Millis | Date): string {
  return new Date(at).toISOString();
}

/** The UTC date `YYYY-MM-DD` of an instant. */
export function utcDate(at: Millis | Date): string {
  return rfc3339(at).slice(0, 10);
}

/** 00:00 UTC of the day that follows the instant's. */
export function nextUtcDay(at: Millis): Millis {
  return (Math.floor(at / DAY) + 1) * DAY;
}
