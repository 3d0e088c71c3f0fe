import { z } from 'zod';
import type { Millis } from '../../domain/time.ts';
import { fetchJson } from './fetch-json.ts';
import { ProviderFailure } from './provider-failure.ts';

/** The parts of the provider's metadata that are used here (OpenID Connect Discovery, RFC 8414). */
export type ProviderMetadata = z.output<typeof METADATA>;

const METADATA = z.object({
  issuer: z.string(),
  authorization_endpoint: z.string(),
  token_endpoint: z.string(),
  jwks_uri: z.string(),
  device_authorization_endpoint: z.string().optional(),
  token_endpoint_auth_methods_supported: z.array(z.string()).default(['client_secret_basic']),
  authorization_response_iss_parameter_supported: z.boolean().default(false),
});

/**
 * Discovers the provider by its issuer. Its metadata must name exactly this issuer, or its tokens could be those of
 * another one. Its addresses must be https, or http if the issuer itself is http on loopback.
 * @throws ProviderFailure
 */
export async function discover(issuer: string, deadline: Millis): Promise<ProviderMetadata> {
  const address = `${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`;
  const { status, body } = await fetchJson(address, { deadline });
  if (status !== 200) throw new ProviderFailure(`discovery_${status}`);
  const { success, data } = METADATA.safeParse(body);
  if (!success) throw new ProviderFailure('discovery_malformed');
  if (data.issuer !== issuer) throw new ProviderFailure('issuer_mismatch');
  const { authorization_endpoint, token_endpoint, jwks_uri, device_authorization_endpoint } = data;
  for (const endpoint of [authorization_endpoint, token_endpoint, jwks_uri, device_authorization_endpoint]) {
    if (endpoint !== undefined && !isSafe(endpoint, issuer)) throw new ProviderFailure('endpoint_unsafe');
  }
  return data;
}

function isSafe(endpoint: string, issuer: string): boolean {
  if (!URL.canParse(endpoint)) return false;
  const { protocol, hostname, username, password, hash } = new URL(endpoint);
  if (username !== '' || password !== '' || hash !== '') return false;
  return protocol === 'https:' || (protocol === 'http:' && issuer.startsWith('http:') && LOOPBACK.test(hostname));
}

const LOOPBACK = /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/;
