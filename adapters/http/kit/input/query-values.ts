import { z } from 'zod';
import { CALENDAR_PART, namedPeriod } from '../../../../domain/cohorts/calendar-periods.ts';
import { rfc3339 } from '../../../../domain/time.ts';

/** The bounds of a signed integer of 64 bits. */
const INT64 = { least: -(2n ** 63n), most: 2n ** 63n - 1n };

// Query and path values arrive as text. zod's own coercion takes 'false' for true, '' for 0 and '0x10' for 16,
// so these schemas read every typed value. `.meta()` describes the parsed value for the OpenAPI document.

/** `true` or `false`, nothing else. */
export function queryBoolean() {
  return z
    .string()
    .transform((text, context): boolean => {
      if (text !== 'true' && text !== 'false') wrongType(context, 'true or false', text);
      return text === 'true';
    })
    .meta({ type: 'boolean' });
}

/** A whole number in decimal digits within `min..max`; both must be safe integers. */
export function queryInteger(min: number, max: number) {
  return z
    .string()
    .transform((text, context): number => {
      if (!DIGITS.test(text)) wrongType(context, 'a whole number in digits', text);
      return nearestSafe(Number(text));
    })
    .pipe(z.int().min(min).max(max))
    .meta({ type: 'integer', minimum: min, maximum: max });
}

/**
 * A whole number of 64 bits in decimal digits, from `min`. A number beyond the safe integers becomes the nearest safe
 * integer: only for bounds of values that are far smaller, and for values that are capped.
 * @param min default the least of 64 bits
 */
export function queryInt64(min?: number) {
  const least = min === undefined ? INT64.least : BigInt(min);
  return z
    .string()
    .transform((text, context): number => {
      if (!DIGITS.test(text)) wrongType(context, 'a whole number in digits', text);
      else if (BigInt(text) < least) outside(context, `at least ${least}`, text);
      else if (BigInt(text) > INT64.most) outside(context, `at most ${INT64.most}`, text);
      return nearestSafe(Number(text));
    })
    .meta({ type: 'integer', format: 'int64', minimum: Number(least), maximum: Number(INT64.most) });
}

/** The limit only keeps a text from costing time: no number of 64 bits has so many digits. */
const DIGITS = /^-?\d{1,40}$/;

function nearestSafe(value: number): number {
  return Math.min(Math.max(value, Number.MIN_SAFE_INTEGER), Number.MAX_SAFE_INTEGER);
}

/** A date in the years 1970-2100, as the Date of its 00:00 UTC. */
export function queryDate() {
  return z.iso
    .date()
    .transform((text) => new Date(text))
    .refine(withinYears, { error: 'must lie in the years 1970 to 2100' })
    .meta({ type: 'string', format: 'date', example: '2026-01-30' });
}

/** A whole UTC year, month or day within the years 1970-2100: `2026`, `2026-01` or `2026-01-30`. */
export function calendarPart() {
  return z
    .string()
    .regex(CALENDAR_PART, { error: 'must be a year, month or day, such as 2026, 2026-01 or 2026-01-30', abort: true })
    .refine((part) => withinYears(namedPeriod(part)?.since ?? NO_DATE), {
      error: 'must be in the calendar, in the years 1970 to 2100',
    });
}

const NO_DATE = new Date(Number.NaN);

/** An RFC 3339 timestamp with an offset as a text; `t` and `z` may be small (RFC 3339, 5.6). */
export function timestampString() {
  return z.stringFormat('datetime', (text) => RFC3339.test(text.toUpperCase()));
}

const RFC3339 = z.core.regexes.datetime({ offset: true });

/** An RFC 3339 timestamp with an offset, years 1970-2100, as a Date; digits beyond milliseconds are cut. */
export function timestamp() {
  return timestampString()
    .transform((text) => new Date(text))
    .refine(withinYears, { error: 'must lie in the years 1970 to 2100' })
    .meta({ type: 'string', format: 'date-time', example: '2026-01-30T14:30:00Z' });
}

/**
 * An instant in a reply: accepts a Date and sends RFC 3339 in UTC with milliseconds. It formats the text here because
 * JSON.stringify takes several times as long.
 */
export function instant() {
  return z
    .date()
    .transform((at) => rfc3339(at))
    .meta({ type: 'string', format: 'date-time' });
}

function withinYears(at: Date): boolean {
  return at.getUTCFullYear() >= 1970 && at.getUTCFullYear() <= 2100;
}

function outside(context: z.core.$RefinementCtx<string>, expected: string, input: string): void {
  context.issues.push({ code: 'custom', input, message: `must be ${expected}`, continue: false });
}

function wrongType(context: z.core.$RefinementCtx<string>, expected: string, input: string): void {
  context.issues.push({
    code: 'custom',
    input,
    message: `must be ${expected}`,
    params: { shape: true },
    continue: false,
  });
}

/**
 * A bound of an OpenAPI document in digits. The bounds of 64 bits are numbers there, which a double cannot hold exactly;
 * their digits are exact.
 */
export function boundText(bound: number): string {
  if (bound === Number(INT64.most)) return String(INT64.most);
  return bound === Number(INT64.least) ? String(INT64.least) : String(bound);
}
