import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { identityProvider } from '../../../adapters/identity/identity-provider.ts';
import { type ProviderOptions, providerClient } from '../../../adapters/identity/provider-client.ts';
import type { IdentityProvider } from '../../../domain/accounts/provider/identity-provider.ts';
import { MINUTE, SECOND } from '../../../domain/time.ts';
import {
  type HostileProvider,
  makeSigningKey,
  openHostileProvider,
  PATHS,
  type SigningKey,
} from '../../harness/identity/hostile-provider.ts';

const unavailable = { code: 'SERVICE_UNAVAILABLE', status: 503 };

describe("the provider's keys", () => {
  let hostile: HostileProvider;
  let failures: string[];
  /** How far our clock has moved since the test began. */
  let elapsed: number;
  let verify: IdentityProvider['verifyBearer'];
  beforeEach(async () => {
    hostile = await openHostileProvider();
    [failures, elapsed] = [[], 0];
    verify = verifierOf(hostile);
  });
  afterEach(() => hostile.close());

  function verifierOf({ settings }: HostileProvider, options: ProviderOptions = {}) {
    const client = providerClient(settings, { now: () => Date.now() + elapsed, ...options });
    return identityProvider(client, ({ code }) => failures.push(code)).verifyBearer;
  }
  const ada = () => ({ issuer: hostile.settings.issuer, subject: 'ada' });
  const publish = (...keys: readonly SigningKey[]) =>
    hostile.answers.set(PATHS.keys, { json: { keys: keys.map(({ publicJwk }) => publicJwk) } });

  test('after a rotation the new key is fetched, and the one that was taken back is trusted no more', async () => {
    const old = await hostile.sign();
    expect(await verify(old)).toEqual(ada());
    const next = await makeSigningKey('ES256', 'second');
    publish(next);
    elapsed = MINUTE;
    expect(await verify(await hostile.sign({}, { key: next }))).toEqual(ada());
    expect(await verify(old)).toBeNull();
    expect(hostile.asked(PATHS.keys)).toBe(2);
  });

  test('a key that was taken back is forgotten, even if no token names a new one', async () => {
    const old = await hostile.sign();
    expect(await verify(old)).toEqual(ada());
    publish(await makeSigningKey('RS256', 'second'));
    elapsed = 10 * MINUTE;
    await verify(old);
    while (hostile.asked(PATHS.keys) < 2) await new Promise(setImmediate);
    await until(async () => (await verify(old)) === null);
  });

  test('a flood of unknown keys asks the provider once a minute', async () => {
    const strangers = await Promise.all(['a', 'b', 'c'].map((kid) => makeSigningKey('ES256', kid)));
    const flood = async () => {
      for (let round = 0; round < 20; round += 1) {
        const key = strangers[round % strangers.length] as SigningKey;
        const tokens = await Promise.all([hostile.sign({}, { key }), hostile.sign({ jti: String(round) }, { key })]);
        expect(await Promise.all(tokens.map(verify))).toEqual([null, null]);
      }
    };
    await flood();
    expect(hostile.asked(PATHS.keys)).toBe(1);
    for (let minute = 1; minute <= 3; minute += 1) {
      elapsed = minute * MINUTE;
      await flood();
      expect(hostile.asked(PATHS.keys)).toBe(1 + minute);
    }
    expect(await verify(await hostile.sign())).toEqual(ada());
    expect(hostile.asked(PATHS.discovery)).toBe(1);
  });

  test('503 while the provider is down and no keys are cached; operators get one report per attempt', async () => {
    const token = await hostile.sign();
    hostile.answers.set(PATHS.keys, { status: 502, text: '<h1>Bad gateway</h1>' });
    for (let round = 0; round < 5; round += 1) await expect(verify(token)).rejects.toMatchObject(unavailable);
    expect([failures, hostile.asked(PATHS.keys)]).toEqual([['keys_502'], 1]);
    hostile.answers.clear();
    elapsed = 5 * SECOND;
    expect(await verify(token)).toEqual(ada());
  });

  test('cached keys serve while the provider is down; a key that could not be fetched is 503, not 401', async () => {
    const token = await hostile.sign();
    await verify(token);
    hostile.answers.set(PATHS.keys, { status: 500, json: {} });
    elapsed = 20 * MINUTE;
    expect(await verify(token)).toEqual(ada());
    const key = await makeSigningKey('RS256', 'perhaps new');
    await expect(hostile.sign({}, { key }).then(verify)).rejects.toMatchObject(unavailable);
    expect(await verify(token)).toEqual(ada());
  });

  test.each([
    ['no JSON', { text: '<html>' }],
    ['no keys', { json: {} }],
    ['an empty set', { json: { keys: [] } }],
    ['a set of something else', { json: { keys: 'all of them' } }],
    ['a redirect', { status: 302, text: '', headers: { location: '/elsewhere' } }],
  ])('keys that are %s do not displace those that are kept', async (_, answer) => {
    const token = await hostile.sign();
    await verify(token);
    hostile.answers.set(PATHS.keys, answer);
    elapsed = MINUTE;
    const key = await makeSigningKey('RS256', 'unknown');
    await expect(hostile.sign({}, { key }).then(verify)).rejects.toMatchObject(unavailable);
    expect(await verify(token)).toEqual(ada());
  });

  test('a redirect is not followed, and an answer that is larger than any provider\u2019s is not read', async () => {
    const key = await makeSigningKey('RS256', 'unknown');
    const keys = [key.publicJwk];
    hostile.answers.set('/elsewhere', { json: { keys } });
    for (const answer of [
      { status: 302, text: '', headers: { location: '/elsewhere' } },
      { json: { keys, padding: 'x'.repeat(600_000) } },
    ]) {
      hostile.answers.set(PATHS.keys, answer);
      elapsed += MINUTE;
      await expect(hostile.sign({}, { key }).then(verify)).rejects.toMatchObject(unavailable);
    }
    expect([failures, hostile.asked('/elsewhere')]).toEqual([['network', 'too_large'], 0]);
  });

  test('503 for a key that the provider published and nobody can use', async () => {
    const { kid } = hostile.key;
    hostile.answers.set(PATHS.keys, {
      json: { keys: [{ kty: 'RSA', kid, alg: 'RS256', use: 'sig', n: 'AA', e: 'AQAB' }] },
    });
    await expect(hostile.sign().then(verify)).rejects.toMatchObject(unavailable);
    expect(failures).toEqual(['key_unusable']);
  });

  test('503 when the provider is silent beyond the deadline', async () => {
    hostile.answers.set(PATHS.discovery, 'silence');
    const hasty = verifierOf(hostile, { deadlines: { metadata: 50, token: 50 } });
    await expect(hostile.sign().then(hasty)).rejects.toMatchObject(unavailable);
    expect(failures).toEqual(['timeout']);
  });
});

async function until(holds: () => Promise<boolean>): Promise<void> {
  while (!(await holds())) await new Promise(setImmediate);
}
