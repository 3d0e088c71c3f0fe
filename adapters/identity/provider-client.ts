import type { ProvenIdentity } from '../../domain/accounts/provider/identity.ts';
import type { ProviderLogout } from '../../domain/accounts/provider/identity-provider.ts';
import { IDENTITY } from '../../domain/limits.ts';
import type { Millis } from '../../domain/time.ts';
import { cachedValue } from './cached-value.ts';
import { fetchJson, type JsonReply } from './fetch-json.ts';
import { keySet } from './key-set.ts';
import { discover, type ProviderMetadata } from './provider-metadata.ts';
import { identityOfAccessToken, identityOfIdToken, logoutOfToken } from './tokens.ts';

export interface ProviderSettings {
  readonly issuer: string;
  readonly clientId: string;
  readonly clientSecret: string;
  /** The audience that access tokens must name. */
  readonly audience: string;
  /** That access tokens must contain; null: none. */
  readonly scope?: string | null;
  /** How long after its issue an access token is accepted; default: that of the contract. */
  readonly longestToken?: Millis;
  /** Values of `acr` that mean more than a password; default: none. */
  readonly factorAcr?: readonly string[];
  /** Whether only `auth_time` says when the owner of an access token logged in; default: no, `iat` does without it. */
  readonly requireAuthTime?: boolean;
}

export interface ProviderOptions {
  /** Default: the machine's clock. */
  readonly now?: () => Millis;
  /** The deadline of each request; default: those of the contract. */
  readonly deadlines?: { readonly metadata: Millis; readonly token: Millis };
}

/** The requests to the provider for every kind of sign-in. Each method throws ProviderFailure. */
export interface ProviderClient {
  readonly clientId: string;
  /** Values of `acr` that mean more than a password. */
  readonly factorAcr: readonly string[];
  metadata(): Promise<ProviderMetadata>;
  /** Posts a form with the client's secret, within the deadline of a token request. */
  post(endpoint: string, form: Readonly<Record<string, string>>): Promise<JsonReply>;
  /** null for a token that is not valid for this service now. */
  identityOfAccessToken(token: string): Promise<ProvenIdentity | null>;
  /** null for a token that is not valid. */
  logoutOfToken(token: string): Promise<ProviderLogout | null>;
  /** `nonce`: the value that the token must repeat; null when the request had none. */
  identityOfIdToken(token: unknown, nonce: string | null): Promise<ProvenIdentity>;
}

const DEADLINES = { metadata: IDENTITY.metadataRequest, token: IDENTITY.tokenRequest };

/** One for the process: it caches the metadata of the provider and its keys. */
export function providerClient(
  settings: ProviderSettings,
  { now = Date.now, deadlines = DEADLINES }: ProviderOptions = {},
): ProviderClient {
  const { issuer, clientId, audience, scope = null, longestToken = IDENTITY.longestToken } = settings;
  const { factorAcr = [], requireAuthTime = false } = settings;
  const { get: metadata } = cachedValue(() => discover(issuer, deadlines.metadata), {
    freshFor: IDENTITY.metadataFresh,
    renewEvery: IDENTITY.keySetRefetch,
    retryEvery: IDENTITY.metadataRetry,
    now,
  });
  const keys = keySet(async () => (await metadata()).jwks_uri, deadlines.metadata, now);
  const rules = { issuer, clientId, audience, scope, longestToken, factorAcr, requireAuthTime, keys, now };
  return {
    clientId,
    factorAcr,
    metadata,
    async post(endpoint, form) {
      const proof = proofOfClient(settings, await metadata());
      const { headers } = proof;
      return fetchJson(endpoint, { deadline: deadlines.token, headers, form: { ...form, ...proof.form } });
    },
    identityOfAccessToken: (token) => identityOfAccessToken(token, rules),
    logoutOfToken: (token) => logoutOfToken(token, rules),
    identityOfIdToken: (token, nonce) => identityOfIdToken(token, nonce, rules),
  };
}

/** In the header if the provider accepts that, as RFC 6749, 2.3.1 prefers; never in both places. */
function proofOfClient(
  { clientId, clientSecret }: ProviderSettings,
  { token_endpoint_auth_methods_supported: methods }: ProviderMetadata,
): { readonly headers: Readonly<Record<string, string>>; readonly form: Readonly<Record<string, string>> } {
  if (!methods.includes('client_secret_basic') && methods.includes('client_secret_post')) {
    return { headers: {}, form: { client_id: clientId, client_secret: clientSecret } };
  }
  const pair = [clientId, clientSecret].map(formEncoded).join(':');
  return { headers: { authorization: `Basic ${Buffer.from(pair).toString('base64')}` }, form: {} };
}

function formEncoded(text: string): string {
  return new URLSearchParams({ text }).toString().slice('text='.length);
}
