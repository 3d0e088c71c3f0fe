import type {
  DeviceAuthorization,
  Exchange,
  StartedAuthorization,
} from '../../domain/accounts/provider/device-authorization.ts';
import { Problem } from '../../domain/problem.ts';
import { startedAuthorization, withoutToken } from './device-answers.ts';
import type { ProviderClient } from './provider-client.ts';
import { ProviderFailure, type ReportFailure, refusingFailures } from './provider-failure.ts';

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
    const { identity } = await client.identityOfIdToken(id_token, null);
    return { outcome: 'approved', identity };
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
