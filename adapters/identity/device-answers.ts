import { z } from 'zod';
import type { Exchange, StartedAuthorization } from '../../domain/accounts/provider/device-authorization.ts';
import { SECOND } from '../../domain/time.ts';

/** The reply of the device authorization endpoint (RFC 8628 section 3.2); null for an invalid reply. */
export function startedAuthorization(body: unknown): StartedAuthorization | null {
  const read = STARTED.safeParse(body);
  if (!read.success) return null;
  const { expires_in, interval, verification_uri_complete = null, ...codes } = read.data;
  const millis = interval === undefined ? null : interval * SECOND;
  return { ...codes, verification_uri_complete, expires_in: expires_in * SECOND, interval: millis };
}

/** The token endpoint's error for a code without a token (RFC 8628 section 3.5); null for any other reply. */
export function withoutToken(body: unknown): Exchange | null {
  const read = REFUSED.safeParse(body);
  return read.success ? { outcome: OUTCOMES[read.data.error] } : null;
}

/** People see and open this address, so it must not run code. */
const webAddress = z.url({ protocol: /^https?$/ }).max(2_048);

/** More seconds than any provider grants, without an overflow. */
const MANY = 86_400;
const seconds = z.int().min(1);

const STARTED = z.object({
  device_code: z.string().min(1).max(4_096),
  user_code: z.string().regex(/^\P{C}{1,64}$/u),
  verification_uri: webAddress,
  verification_uri_complete: webAddress.optional(),
  expires_in: seconds.transform((sent) => Math.min(sent, MANY)),
  interval: seconds.transform((sent) => Math.min(sent, MANY)).optional(),
});

const OUTCOMES = {
  authorization_pending: 'pending',
  slow_down: 'slow_down',
  access_denied: 'denied',
  // The code of Microsoft for the same error.
  authorization_declined: 'denied',
  expired_token: 'expired',
  // The provider itself issued the code, so it was redeemed before.
  invalid_grant: 'spent',
} as const;

const REFUSED = z.object({ error: z.enum(Object.keys(OUTCOMES) as (keyof typeof OUTCOMES)[]) });
