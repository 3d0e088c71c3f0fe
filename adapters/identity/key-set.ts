import { createLocalJWKSet, errors, type JSONWebKeySet, type JWTVerifyGetKey } from 'jose';
import { IDENTITY } from '../../domain/limits.ts';
import type { Millis } from '../../domain/time.ts';
import { cachedValue } from './cached-value.ts';
import { fetchJson } from './fetch-json.ts';
import { ProviderFailure } from './provider-failure.ts';

/**
 * Finds the provider's key for a token. For an unknown key the set is fetched again, at most once a minute for all
 * tokens (settled.md section 8). While the provider is down, the keys that it last published are used.
 * @throws ProviderFailure when there are no keys, or the key is unknown and the set could not be fetched
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
