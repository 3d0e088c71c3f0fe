import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { base64url, type JWTPayload, SignJWT } from 'jose';
import { identityProvider } from '../../../adapters/identity/identity-provider.ts';
import { type ProviderSettings, providerClient } from '../../../adapters/identity/provider-client.ts';
import type { IdentityProvider } from '../../../domain/accounts/provider/identity-provider.ts';
import { MINUTE, SECOND } from '../../../domain/time.ts';
import {
  type HostileProvider,
  makeSigningKey,
  openHostileProvider,
  PATHS,
  type SigningKey,
} from '../../harness/identity/hostile-provider.ts';

describe('bearer tokens', () => {
  let hostile: HostileProvider;
  /** How far our clock has moved since the test began. */
  let elapsed: number;
  let verify: IdentityProvider['verifyBearer'];
  beforeEach(async () => {
    hostile = await openHostileProvider();
    elapsed = 0;
    verify = verifierOf(hostile);
  });
  afterEach(() => hostile.close());

  function verifierOf({ settings }: HostileProvider, rules: Partial<ProviderSettings> = {}) {
    const client = providerClient({ ...settings, ...rules }, { now: () => Date.now() + elapsed });
    return identityProvider(client, () => undefined).verifyBearer;
  }
  const ada = () => ({ issuer: hostile.settings.issuer, subject: 'ada' });
  const seconds = (from: number) => Math.floor(Date.now() / 1_000) + from;
  const publish = (...keys: readonly SigningKey[]) =>
    hostile.answers.set(PATHS.keys, { json: { keys: keys.map(({ publicJwk }) => publicJwk) } });

  test.each(['RS256', 'ES256', 'EdDSA'])('one that is signed with %s proves its subject', async (alg) => {
    const key = await makeSigningKey(alg, 'of its kind');
    publish(key);
    expect(await verify(await hostile.sign({}, { key }))).toEqual(ada());
  });

  test.each(['RS384', 'RS512', 'PS256', 'ES384'])(
    'one that is signed with %s proves nobody, by a key for any use',
    async (alg) => {
      const key = await makeSigningKey(alg, 'of its kind');
      const { alg: _, use: __, ...forAnyUse } = key.publicJwk;
      hostile.answers.set(PATHS.keys, { json: { keys: [forAnyUse] } });
      expect(await verify(await hostile.sign({}, { key }))).toBeNull();
      expect(hostile.asked(PATHS.keys)).toBe(0);
    },
  );

  test.each([
    ['within the longest life and the difference of clocks', { iat: -1_800, exp: 9_999 }, true],
    ['past both', { iat: -1_861, exp: 9_999 }, false],
    ['of a time to come', { iat: 120, exp: 9_999 }, false],
    ['without a time of issue, and soon over', { iat: undefined, exp: 1_700 }, true],
    ['without a time of issue, and long valid', { iat: undefined, exp: 9_999 }, false],
  ])('one %s is accepted for at most 30 minutes', async (_, { iat, exp }, accepted) => {
    const strict = verifierOf(hostile, { longestToken: 30 * MINUTE });
    const token = await hostile.sign({ iat: iat === undefined ? iat : seconds(iat), exp: seconds(exp) } as JWTPayload);
    expect(await strict(token)).toEqual(accepted ? ada() : null);
  });

  test.each([
    [{ scope: 'openid stancebook' }, true],
    [{ scp: ['openid', 'stancebook'] }, true],
    [{ scp: 'stancebook' }, true],
    [{ scope: 'openid stancebook:read' }, false],
    [{ scope: 7, scp: [{}] }, false],
    [{}, false],
  ])('of the scope %j it is accepted: %j', async (claims, accepted) => {
    const token = await hostile.sign(claims as JWTPayload);
    expect(await verifierOf(hostile, { scope: 'stancebook' })(token)).toEqual(accepted ? ada() : null);
    expect(await verify(token)).toEqual(ada());
  });

  test.each(['at+jwt', 'AT+JWT', 'application/at+jwt', 'JWT', undefined])('it may be of the type %j', async (typ) => {
    expect(await verify(await hostile.sign({}, { typ }))).toEqual(ada());
  });

  test.each(['dpop+jwt', 'logout+jwt', 'id_token', ''])('of the type %j it proves nobody', async (typ) => {
    expect(await verify(await hostile.sign({}, { typ }))).toBeNull();
  });

  test.each([
    ['another issuer', { iss: 'https://elsewhere.test' }],
    ['an issuer that differs in a slash', { iss: 'http://127.0.0.1/' }],
    ['no issuer', { iss: undefined }],
    ['another audience', { aud: 'https://elsewhere.test' }],
    ['our client id as its audience, as an id token has it', { aud: 'stancebook' }],
    ['no audience', { aud: undefined }],
    ['no subject', { sub: undefined }],
    ['an empty subject', { sub: '' }],
    ['a subject with U+0000', { sub: 'ada\u0000' }],
    ['a subject of 256 signs', { sub: 'a'.repeat(256) }],
    ['no end', { exp: undefined }],
  ])('one of %s proves nobody', async (_, claims) => {
    expect(await verify(await hostile.sign(claims as JWTPayload))).toBeNull();
  });

  test('one of several audiences proves its subject when ours is among them', async () => {
    const aud = ['https://elsewhere.test', hostile.settings.audience];
    expect(await verify(await hostile.sign({ aud }))).toEqual(ada());
  });

  test('it is in force from nbf to exp, and a minute more on either side for clocks that differ', async () => {
    const inForce = await hostile.sign({ nbf: seconds(50), exp: seconds(70) });
    const [ended, toCome] = [await hostile.sign({ exp: seconds(-61) }), await hostile.sign({ nbf: seconds(65) })];
    expect([await verify(inForce), await verify(ended), await verify(toCome)]).toEqual([ada(), null, null]);
    elapsed = 131 * SECOND;
    expect([await verify(inForce), await verify(toCome)]).toEqual([null, ada()]);
  });

  test('alg none proves nobody', async () => {
    const [, payload = ''] = (await hostile.sign()).split('.');
    for (const alg of ['none', 'None', 'NONE']) {
      const header = base64url.encode(JSON.stringify({ alg, typ: 'at+jwt', kid: hostile.key.kid }));
      expect(await verify(`${header}.${payload}.`)).toBeNull();
    }
  });

  test('HMAC with the public key as the secret proves nobody, whatever form of the key', async () => {
    const { publicJwk, kid } = hostile.key;
    const claims = JSON.parse(new TextDecoder().decode(base64url.decode((await hostile.sign()).split('.')[1] ?? '')));
    for (const secret of [publicJwk.n ?? '', JSON.stringify(publicJwk)]) {
      for (const alg of ['HS256', 'HS512']) {
        const forged = new SignJWT(claims).setProtectedHeader({ alg, kid, typ: 'at+jwt' });
        expect(await verify(await forged.sign(new TextEncoder().encode(secret.padEnd(64))))).toBeNull();
      }
    }
  });

  test('a key that the token brings along is not looked at', async () => {
    const mallory = await makeSigningKey('RS256', hostile.key.kid);
    const claims = JSON.parse(new TextDecoder().decode(base64url.decode((await hostile.sign()).split('.')[1] ?? '')));
    const jku = `${hostile.settings.issuer}/mallory`;
    const header = { alg: 'RS256', kid: mallory.kid, typ: 'at+jwt', jwk: mallory.publicJwk, jku };
    expect(await verify(await new SignJWT(claims).setProtectedHeader(header).sign(mallory.privateKey))).toBeNull();
    expect(hostile.asked('/mallory')).toBe(0);
  });

  test('one whose claims were changed after it was signed proves nobody', async () => {
    const [header, , signature] = (await hostile.sign()).split('.');
    const [, payload] = (await hostile.sign({ sub: 'mallory' })).split('.');
    expect(await verify(`${header}.${payload}.${signature}`)).toBeNull();
  });

  test.each(['', '.', '..', 'a.b.c', 'x'.repeat(12_000), '{}', 'eyJhbGciOiJSUzI1NiJ9.e30.', '\u00e9.\u00e9.\u00e9'])(
    'what is no token, as %.20j, proves nobody, and the provider is not asked for more than its keys',
    async (token) => {
      expect(await verify(token)).toBeNull();
      expect(hostile.asked(PATHS.keys)).toBeLessThanOrEqual(1);
    },
  );

  test('where the audience is our client id, only its type distinguishes an access token from an id token', async () => {
    const same = await openHostileProvider({ audience: 'stancebook' });
    const verifySame = verifierOf(same);
    try {
      expect(await verifySame(await same.sign({}, { typ: 'JWT' }))).toBeNull();
      expect(await verifySame(await same.sign({}, { typ: undefined }))).toBeNull();
      expect(await verifySame(await same.sign())).toMatchObject({ subject: 'ada' });
    } finally {
      await same.close();
    }
  });

  test.each([
    [{ amr: ['pwd', 'otp'] }, true],
    [{ amr: ['pwd', 'sms'] }, false],
    [{ amr: 'otp' }, false],
    [{ acr: 'strong' }, true],
    [{ acr: 'strongest' }, false],
    [{}, false],
  ])('one with %j tells of a second factor: %s', async (claims, hasFactor) => {
    const client = providerClient({ ...hostile.settings, factorAcr: ['strong'] });
    const { loginOfBearer } = identityProvider(client, () => undefined);
    expect(await loginOfBearer(await hostile.sign(claims))).toMatchObject({ has_factor: hasFactor });
    expect(await loginOfBearer('not.a.token')).toBeNull();
  });

  test.each([
    ['auth_time', { auth_time: 5_000, iat: undefined }, false, 5_000],
    ['auth_time, whatever its time of issue', { auth_time: 5_000 }, false, 5_000],
    ['iat without it', {}, false, 'iat'],
    ['nothing without either', { iat: undefined }, false, null],
    ['nothing by an auth_time that is no time', { auth_time: 'yesterday' }, false, null],
    ['auth_time where it is required', { auth_time: 5_000 }, true, 5_000],
    ['nothing without an auth_time that is required', {}, true, null],
  ])('the time of its login is %s', async (_, claims, requireAuthTime, expected) => {
    const client = providerClient({ ...hostile.settings, requireAuthTime });
    const iat = seconds(-30);
    const token = await hostile.sign({ iat, ...claims } as JWTPayload);
    const at = expected === 'iat' ? iat : expected;
    const login = await identityProvider(client, () => undefined).loginOfBearer(token);
    expect(login?.at).toEqual(at === null ? null : new Date(Number(at) * SECOND));
  });
});
