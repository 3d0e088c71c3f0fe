import { type Millis, SECOND } from '../../domain/time.ts';

/**
 * The seconds that a Retry-After header names, as a number or as a date of HTTP (RFC 9110 section 10.2.3), at least 0;
 * null for any other text.
 */
export function retryAfterSeconds(header: string | undefined, now: Millis): number | null {
  const text = header?.trim() ?? '';
  if (/^\d{1,10}$/.test(text)) return Number(text);
  const at = IMF_FIXDATE.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(at) ? null : Math.max(0, Math.ceil((at - now) / SECOND));
}

const IMF_FIXDATE =
  /^(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun), \d\d (?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec) \d{4} \d\d:\d\d:\d\d GMT$/;
