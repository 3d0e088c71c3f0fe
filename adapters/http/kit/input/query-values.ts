import { z } from 'zod';
import { rfc3339 } from '../../../../domain/time.ts';

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
      if (!/^-?\d{1,16}$/.test(text)) wrongType(context, 'a whole number in digits', text);
      return Number(text);
    })
    .pipe(z.int().min(min).max(max))
    .meta({ type: 'integer', minimum: min, maximum: max });
}

/** A whole number in decimal digits, from 0, for a value that is capped later; beyond the safe integers the greatest. */
export function queryCount() {
  return z
    .string()
    .transform((text, context): number => {
      if (!/^-?\d+$/.test(text)) wrongType(context, 'a whole number in digits', text);
      return Math.min(Number(text), Number.MAX_SAFE_INTEGER);
    })
    .pipe(z.int().min(0))
    .meta({ type: 'integer', minimum: 0 });
}

const INT64_MAX = 2n ** 63n - 1n;

/**
 * A whole number of 64 bits in decimal digits. A number beyond the safe integers becomes the nearest safe integer: only
 * for bounds of values that are far smaller.
 */
export function queryInt64() {
  return z
    .string()
    .transform((text, context): number => {
      if (!/^-?\d{1,19}$/.test(text)) wrongType(context, 'a whole number in digits', text);
      else if (BigInt(text) > INT64_MAX || BigInt(text) < -INT64_MAX - 1n) wrongType(context, 'of 64 bits', text);
      return Math.min(Math.max(Number(text), Number.MIN_SAFE_INTEGER), Number.MAX_SAFE_INTEGER);
    })
    .meta({
      type: 'integer',
      format: 'int64',
      minimum: Number.MIN_SAFE_INTEGER,
      maximum: Number.MAX_SAFE_INTEGER,
    });
}

/** A date in the years 1970-2100, as the Date of its 00:00 UTC. */
export function queryDate() {
  return z.iso
    .date()
    .transform((text) => new Date(text))
    .refine(withinYears, { error: 'must lie in the years 1970 to 2100' })
    .meta({ type: 'string', format: 'date', example: '2026-01-30' });
}

/** An RFC 3339 timestamp with an offset, years 1970-2100, as a Date; digits beyond milliseconds are cut. */
export function timestamp() {
  return z.iso
    .datetime({ offset: true })
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

function wrongType(context: z.core.$RefinementCtx<string>, expected: string, input: string): void {
  context.issues.push({
    code: 'custom',
    input,
    message: `must be ${expected}`,
    params: { shape: true },
    continue: false,
  });
}
