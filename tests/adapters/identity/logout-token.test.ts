import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import type { JWTPayload } from 'jose';
import { identityProvider } from '../../../adapters/identity/identity-provider.ts';
import { providerClient } from '../../../adapters/identity/provider-client.ts';
import { type HostileProvider, makeSigningKey, openHostileProvider } from '../../harness/identity/hostile-provider.ts';

const EVENT = 'http://schemas.openid.net/event/backchannel-logout';

describe('a logout token', () => {
  let hostile: HostileProvider;
  beforeEach(async () => {
    hostile = await openHostileProvider();
  });
  afterEach(() => hostile.close());

  const seconds = (from: number) => Math.floor(Date.now() / 1_000) + from;
  const signed = (claims: object = {}, by: Parameters<HostileProvider['sign']>[1] = { typ: 'logout+jwt' }) =>
    hostile.sign(
      { aud: 'stancebook', jti: 'one', sid: 'of the provider', events: { [EVENT]: {} }, ...claims } as JWTPayload,
      by,
    );
  const verify = (token: string) =>
    identityProvider(providerClient(hostile.settings), () => undefined).verifyLogout(token);

  test.each(['logout+jwt', 'JWT', undefined])('of the type %s names a person, a session and its time', async (typ) => {
    const iat = seconds(-10);
    expect(await verify(await signed({ iat }, { typ }))).toEqual({
      identity: { issuer: hostile.settings.issuer, subject: 'ada' },
      provider_session: 'of the provider',
      issued_at: new Date(iat * 1_000),
    });
  });

  test('may name one of the two, and needs no end', async () => {
    expect(await verify(await signed({ sub: undefined, exp: undefined }))).toMatchObject({ identity: null });
    expect(await verify(await signed({ sid: undefined }))).toMatchObject({ provider_session: null });
  });

  test.each([
    ['another issuer', { iss: 'https://elsewhere.test' }],
    ['another audience', { aud: 'https://api' }],
    ['neither a person nor a session', { sub: undefined, sid: undefined }],
    ['an empty session', { sid: '' }],
    ['no events', { events: undefined }],
    ['another event', { events: { 'http://schemas.openid.net/event/other': {} } }],
    ['an event that is no object', { events: { [EVENT]: true } }],
    ['a nonce, as an id token has', { nonce: 'n' }],
    ['no name of its own', { jti: undefined }],
    ['no time of issue', { iat: undefined }],
    ['an issue of six minutes ago', { iat: seconds(-360) }],
    ['an issue to come', { iat: seconds(360) }],
    ['an end that is past', { exp: seconds(-61) }],
  ])('of %s is refused', async (_, claims) => {
    expect(await verify(await signed(claims))).toBeNull();
  });

  test('of another type or key is refused', async () => {
    expect(await verify(await signed({}, { typ: 'at+jwt' }))).toBeNull();
    const key = await makeSigningKey('RS256', hostile.key.kid);
    expect(await verify(await signed({}, { key, typ: 'logout+jwt' }))).toBeNull();
  });
});
