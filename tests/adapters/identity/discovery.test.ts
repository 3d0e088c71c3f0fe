import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { identityProvider } from '../../../adapters/identity/identity-provider.ts';
import { providerClient } from '../../../adapters/identity/provider-client.ts';
import { HOUR, SECOND } from '../../../domain/time.ts';
import { type HostileProvider, openHostileProvider, PATHS } from '../../harness/identity/hostile-provider.ts';

const REQUEST = {
  is_fresh: false,
  wants_factor: false,
  redirect_uri: 'https://stancebook.test/callback',
  state: 'the state',
  nonce: 'the nonce',
};
const UNAVAILABLE = { code: 'SERVICE_UNAVAILABLE', status: 503 };

describe('discovery', () => {
  let hostile: HostileProvider;
  let failures: string[];
  let elapsed: number;
  beforeEach(async () => {
    hostile = await openHostileProvider();
    [failures, elapsed] = [[], 0];
  });
  afterEach(() => hostile.close());

  const provider = (issuer = hostile.settings.issuer) => {
    const client = providerClient({ ...hostile.settings, issuer }, { now: () => Date.now() + elapsed });
    return identityProvider(client, ({ code }) => failures.push(code));
  };
  const publish = (changes: Readonly<Record<string, unknown>>) =>
    hostile.answers.set(PATHS.discovery, { json: { ...hostile.metadata, ...changes } });

  test('finds where browsers are sent, and keeps the query of that address', async () => {
    publish({ authorization_endpoint: `${hostile.settings.issuer}/authorize?tenant=7`, unknown_member: {} });
    const { location, code_verifier } = await provider().authorization(REQUEST);
    const { pathname, searchParams } = new URL(location);
    expect([pathname, searchParams.get('tenant'), searchParams.get('state')]).toEqual(['/authorize', '7', 'the state']);
    expect(code_verifier).toMatch(/^[\w-]{43}$/);
  });

  test('the verifier is new each time, and its hash alone goes with the browser', async () => {
    const begun = [await provider().authorization(REQUEST), await provider().authorization(REQUEST)];
    expect(new Set(begun.map(({ code_verifier }) => code_verifier)).size).toBe(2);
    for (const { location, code_verifier } of begun) expect(location).not.toContain(code_verifier);
  });

  test.each([
    [undefined, null],
    [[], null],
    [['strong'], 'strong'],
    [['strong', 'stronger'], 'strong stronger'],
  ])(
    'a second factor is asked for by the levels that the operator names, %j, and by nothing else',
    async (named, asked) => {
      const client = providerClient({ ...hostile.settings, ...(named && { factorAcr: named }) });
      const one = identityProvider(client, ({ code }) => failures.push(code));
      const askedBy = async (wants_factor: boolean) => {
        const { location } = await one.authorization({ ...REQUEST, wants_factor });
        return new URL(location).searchParams.get('acr_values');
      };
      expect([await askedBy(true), await askedBy(false)]).toEqual([asked, null]);
    },
  );

  test('discovery is fetched once for many logins, and again after an hour', async () => {
    const one = provider();
    await Promise.all([one.authorization(REQUEST), one.authorization(REQUEST)]);
    elapsed = HOUR - SECOND;
    await one.authorization(REQUEST);
    expect(hostile.asked(PATHS.discovery)).toBe(1);
    elapsed = HOUR;
    await one.authorization(REQUEST);
    while (hostile.asked(PATHS.discovery) < 2) await new Promise(setImmediate);
  });

  test('an issuer with a closing slash is queried below it, and must name itself with the slash', async () => {
    const issuer = `${hostile.settings.issuer}/`;
    await expect(provider(issuer).authorization(REQUEST)).rejects.toMatchObject(UNAVAILABLE);
    publish({ issuer });
    expect(await provider(issuer).authorization(REQUEST)).toMatchObject({ location: expect.any(String) });
    expect(failures).toEqual(['issuer_mismatch']);
  });

  test.each([
    ['calls itself otherwise', { issuer: 'https://elsewhere.test' }, 'issuer_mismatch'],
    ['does not call itself', { issuer: undefined }, 'discovery_malformed'],
    ['has no keys', { jwks_uri: undefined }, 'discovery_malformed'],
    ['has no token endpoint', { token_endpoint: 7 }, 'discovery_malformed'],
    ['gives tokens over http', { token_endpoint: 'http://elsewhere.test/token' }, 'endpoint_unsafe'],
    ['has its keys in a file', { jwks_uri: 'file:///etc/passwd' }, 'endpoint_unsafe'],
    ['runs scripts in browsers', { authorization_endpoint: 'javascript:alert(1)' }, 'endpoint_unsafe'],
    ['names a password', { token_endpoint: 'https://us:er@elsewhere.test/' }, 'endpoint_unsafe'],
    ['has no address', { authorization_endpoint: '/authorize' }, 'endpoint_unsafe'],
    ['admits devices over http', { device_authorization_endpoint: 'http://elsewhere.test/' }, 'endpoint_unsafe'],
  ])('503 for a provider that %s', async (_, changes, code) => {
    publish(changes);
    await expect(provider().authorization(REQUEST)).rejects.toMatchObject(UNAVAILABLE);
    expect(failures).toEqual([code]);
  });

  test.each([
    [{ status: 404, text: 'Not here' }, 'discovery_404'],
    [{ text: 'no JSON' }, 'discovery_malformed'],
    [{ json: [] }, 'discovery_malformed'],
    [{ status: 301, text: '', headers: { location: 'http://127.0.0.1:9/' } }, 'network'],
  ])('503 when it is answered with %j', async (answer, code) => {
    hostile.answers.set(PATHS.discovery, answer);
    await expect(provider().authorization(REQUEST)).rejects.toMatchObject(UNAVAILABLE);
    expect(failures).toEqual([code]);
  });
});
