import { z } from 'zod';
import { sha256Hex } from '../../../../application/sha256.ts';
import { type Idempotency, isMissingValue } from '../../../../domain/decisions/submission/idempotency.ts';
import { IDEMPOTENCY } from '../../../../domain/limits.ts';
import { HOUR } from '../../../../domain/time.ts';

/** `"k"` and `k` are the same key (settled.md section 4). */
export const idempotencyKey = z
  .string()
  .transform((sent) => (/^".*"$/s.test(sent) ? sent.slice(1, -1) : sent))
  .pipe(
    z
      .string()
      .regex(
        new RegExp(`^[!-~]{1,${IDEMPOTENCY.keyLength}}$`),
        `must be 1 to ${IDEMPOTENCY.keyLength} visible ASCII characters without spaces`,
      )
      .refine((key) => !isMissingValue(key), {
        error: 'must not be the text of a missing value: send a key of this decision, or leave it out',
      }),
  )
  .meta({
    type: 'string',
    maxLength: IDEMPOTENCY.keyLength + 2,
    description:
      'A repeated request with the same key and body gets the first answer; ' +
      `kept for ${IDEMPOTENCY.keep / HOUR} hours. 1 to ${IDEMPOTENCY.keyLength} visible ASCII characters, quoted or not; not the texts null, None and undefined.`,
    example: 'order-4711',
  });

/** The key with the fingerprint of its body; null without a key. */
export function idempotencyOf(key: string | undefined, canonical: string): Idempotency | null {
  return key === undefined ? null : { key, fingerprint: sha256Hex(canonical) };
}
