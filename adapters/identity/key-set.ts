import { createLocalJWKSet, errors, type JSONWebKeySet, type JWTVerifyGetKey } from 'jose';
import { IDENTITY } from '../../domain/limits.ts';
import type { Millis } from '../../domain/time.ts';
import { cachedValue } from './cached-value.ts';
import { fetchJson } from './fetch-json.ts';
import { ProviderFailure } from './provider-failure.ts';

/**
 * Finds the provider's key for a token. A key that is not known has the set fetched anew, at most once a minute
 * whatever is presented (settled.md section 8). While the provider is down, the keys that it last published serve.
 * @throws ProviderFailure when there are none, or a key that is unknown may be one that we could not fetch
 */
export function keySet(addressOfKeys: () => Promise<string>, deadline: Millis, now: () => Millis): JWTVerifyGetKey {
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

/** A set without keys is a slip of the provider's: it must not displace one that works. */
function finderOf(body: unknown): JWTVerifyGetKey {
  try {
    const find = createLocalJWKSet(body as JSONWebKeySet);
    if ((body as JSONWebKeySet).keys.length > 0) return find;
  } catch (error) {
    if (!(error instanceof errors.JWKSInvalid)) throw error;
  }
  throw new ProviderFailure('keys_malformed');
}
