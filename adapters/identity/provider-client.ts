import { createLocalJWKSet, errors, type JSONWebKeySet, type JWTVerifyGetKey } from 'jose';
import type { ProvenIdentity, ProviderLogout } from '../../domain/accounts/provider/identity-provider.ts';
import { IDENTITY } from '../../domain/limits.ts';
import type { Millis } from '../../domain/time.ts';
import { discover, fetchJson, type JsonReply, ProviderFailure, type ProviderMetadata } from './provider-metadata.ts';
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

/**
 * Finds the provider's key for a token. For an unknown key the set is fetched again, at most once a minute for all
 * tokens (settled.md section 8). While the provider is down, the keys that it last published are used.
 * @throws ProviderFailure when there are no keys, or the key is unknown and the set could not be fetched
 */
function keySet(addressOfKeys: () => Promise<string>, deadline: Millis, now: () => Millis): JWTVerifyGetKey {
  const finders = cachedValue(async () => finderOf(await fetchKeys(await addressOfKeys(), deadline)), {
    freshFor: IDENTITY.keySetFresh,
    renewEvery: IDENTITY.keySetRefetch,
    retryEvery: IDENTITY.metadataRetry,
    now,
  });
  return async (header, token) => {
    const find = await finders.get();
    try {
      return await find(header, token);
    } catch (error) {
      if (!(error instanceof errors.JWKSNoMatchingKey)) throw error;
      const renewed = await finders.renew();
      return renewed(header, token);
    }
  };
}

async function fetchKeys(address: string, deadline: Millis): Promise<unknown> {
  const { status, body } = await fetchJson(address, { deadline });
  if (status !== 200) throw new ProviderFailure(`keys_${status}`);
  return body;
}

/** A set without keys is a mistake of the provider and must not replace a valid one. */
function finderOf(body: unknown): JWTVerifyGetKey {
  try {
    const find = createLocalJWKSet(body as JSONWebKeySet);
    if ((body as JSONWebKeySet).keys.length > 0) return find;
  } catch (error) {
    if (!(error instanceof errors.JWKSInvalid)) throw error;
  }
  throw new ProviderFailure('keys_malformed');
}

/** A value that is loaded once for many callers, and remains while it cannot be loaded again. */
export interface CachedValue<T> {
  /**
   * The cached value. Only the first caller waits for it: a stale value is returned at once and loaded again in the
   * background; it remains if that fails. Throws the error of `load` if there is no value yet.
   */
  get(): Promise<T>;

  /**
   * Loads the value again for a caller who needs a newer one, at most once in `renewEvery` for all callers. Before that
   * time has passed they get the result of the last attempt: the value, or the error.
   */
  renew(): Promise<T>;
}

interface CacheTimes {
  readonly freshFor: Millis;
  readonly renewEvery: Millis;
  /** The time between attempts while there is no value yet. */
  readonly retryEvery: Millis;
  readonly now: () => Millis;
}

export function cachedValue<T>(
  load: () => Promise<T>,
  { freshFor, renewEvery, retryEvery, now }: CacheTimes,
): CachedValue<T> {
  let value: { readonly loaded: T; readonly at: Millis } | undefined;
  let last: { readonly at: Millis; readonly result: Promise<T> } | undefined;
  let underWay = false;

  /** The result of the last attempt, if it is under way or was recent, else of a new one. */
  function attempt(every: Millis): Promise<T> {
    if (last && (underWay || !hasPassed(every, last.at, now()))) return last.result;
    underWay = true;
    const at = now();
    const result = load().then(
      (loaded) => {
        value = { loaded, at };
        underWay = false;
        return loaded;
      },
      (error: unknown) => {
        underWay = false;
        throw error;
      },
    );
    last = { at, result };
    return result;
  }

  return {
    async get() {
      if (!value) return attempt(retryEvery);
      // A caller that needs a newer value calls `renew`, which throws the failure.
      if (hasPassed(freshFor, value.at, now())) attempt(renewEvery).catch(() => undefined);
      return value.loaded;
    },
    renew: () => attempt(renewEvery),
  };
}

/** If the clock was set back, the time counts as passed; otherwise a caller would wait until the clock caught up. */
function hasPassed(span: Millis, since: Millis, now: Millis): boolean {
  return now < since || now >= since + span;
}
