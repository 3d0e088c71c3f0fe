import { createHash } from 'node:crypto';
import canonicalize from 'canonicalize';
import { z } from 'zod';
import { IDEMPOTENCY } from '../../../../domain/limits.ts';

/** The RFC 8785 form of a JSON value. */
export function canonicalBody(body: unknown): string {
  const text = canonicalize(body);
  if (text === undefined) throw new TypeError('Only JSON has a canonical form');
  return text;
}

/** `"k"` and `k` are the same key (settled.md section 4). */
export const idempotencyKey = z
  .string()
  .transform((sent) => (/^".*"$/s.test(sent) ? sent.slice(1, -1) : sent))
  .pipe(
    z
      .string()
      .regex(
        new RegExp(`^[!-~]{1,${IDEMPOTENCY.keyLength}}$`),
        'must be 1 to 255 visible ASCII characters without spaces',
      ),
  )
  .meta({
    type: 'string',
    maxLength: IDEMPOTENCY.keyLength + 2,
    description:
      'A request that is sent again with the same key and body gets the first answer; kept for 48 hours. 1 to 255 visible ASCII characters, quoted or not.',
    example: 'order-4711',
  });

/** The key with the fingerprint of the body that it belongs to; null without a key. */
export function idempotencyOf(key: string | undefined, canonical: string) {
  return key === undefined ? null : { key, fingerprint: createHash('sha256').update(canonical).digest('hex') };
}
