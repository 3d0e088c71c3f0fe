import { z } from 'zod';
import type {
  DeviceAuthorization,
  Exchange,
  StartedAuthorization,
} from '../../domain/accounts/provider/device-sign-in.ts';
import { Problem } from '../../domain/problem.ts';
import { SECOND } from '../../domain/time.ts';
import type { ProviderClient } from './provider-client.ts';
import { ProviderFailure, type ReportFailure, refusingFailures } from './provider-metadata.ts';

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

const GRANT = 'urn:ietf:params:oauth:grant-type:device_code';

/**
 * The provider's device flow (RFC 8628). An exchange is at most four sequential requests: metadata, token, keys and
 * keys again. Their deadlines add up to less than the lease of a sign-in.
 */
export function deviceClient(client: ProviderClient, report: ReportFailure): DeviceAuthorization {
  const refusing = refusingFailures(report);
  const unavailable = refusing('SERVICE_UNAVAILABLE', 'The identity provider is not available right now.');
  return {
    start: () => start(client).catch(unavailable),
    exchange: (device_code) => exchange(client, device_code).catch(unavailable),
  };
}

async function start(client: ProviderClient): Promise<StartedAuthorization> {
  const { device_authorization_endpoint: endpoint } = await client.metadata();
  if (endpoint === undefined) {
    throw new Problem('OAUTH_NOT_CONFIGURED', 'The identity provider has no device flow.', {
      suggestion: 'Sign in with a browser at GET /api/v1/public/auth/idp, and create a key there.',
    });
  }
  // Some providers require the client's id here even with a client secret.
  const { status, body } = await client.post(endpoint, { client_id: client.clientId, scope: 'openid' });
  const started = status === 200 ? startedAuthorization(body) : null;
  if (!started) throw failureOf(body, status === 200 ? 'device_malformed' : `device_${status}`);
  return started;
}

async function exchange(client: ProviderClient, device_code: string): Promise<Exchange> {
  const { token_endpoint } = await client.metadata();
  const form = { client_id: client.clientId, grant_type: GRANT, device_code };
  const { status, body } = await client.post(token_endpoint, form);
  if (status === 200) {
    const { id_token } = (body ?? {}) as { readonly id_token?: unknown };
    const { identity, has_factor } = await client.identityOfIdToken(id_token, null);
    return { outcome: 'approved', identity, has_factor };
  }
  const found = status >= 400 && status < 500 ? withoutToken(body) : null;
  if (!found) throw failureOf(body, `token_${status}`);
  return found;
}

/** A failure with the provider's own error code, if it sent one (RFC 6749, 5.2). */
function failureOf(body: unknown, otherwise: string): ProviderFailure {
  const { error } = (body ?? {}) as { readonly error?: unknown };
  return new ProviderFailure(typeof error === 'string' && /^\w{1,40}$/.test(error) ? error : otherwise);
}

/** The reply of the device authorization endpoint (RFC 8628 section 3.2); null for an invalid reply. */
function startedAuthorization(body: unknown): StartedAuthorization | null {
  const read = STARTED.safeParse(body);
  if (!read.success) return null;
  const { expires_in, interval, verification_uri_complete = null, ...codes } = read.data;
  const millis = interval === undefined ? null : interval * SECOND;
  return { ...codes, verification_uri_complete, expires_in: expires_in * SECOND, interval: millis };
}

/** The token endpoint's error for a code without a token (RFC 8628 section 3.5); null for any other reply. */
function withoutToken(body: unknown): Exchange | null {
  const read = REFUSED.safeParse(body);
  return read.success ? { outcome: OUTCOMES[read.data.error] } : null;
}
