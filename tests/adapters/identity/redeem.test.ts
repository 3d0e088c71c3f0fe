import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { base64url, type JWTPayload } from 'jose';
import { identityProvider } from '../../../adapters/identity/identity-provider.ts';
import { providerClient } from '../../../adapters/identity/provider-client.ts';
import type { ProviderLogin } from '../../../domain/accounts/provider/identity-provider.ts';
import {
  HOUR_SECONDS,
  type HostileProvider,
  makeSigningKey,
  openHostileProvider,
  PATHS,
} from '../../harness/identity/hostile-provider.ts';

const LOGIN: ProviderLogin = {
  state_hash: new Uint8Array(32),
  browser_hash: new Uint8Array(32),
  nonce: 'the nonce of this login',
  code_verifier: 'v'.repeat(43),
  redirect_uri: 'https://stancebook.test/callback',
  created_at: new Date('2026-03-02T12:00:00.000Z'),
  is_fresh: false,
};
const FAILED = { code: 'OAUTH_CALLBACK_ERROR', status: 400 };

describe('redeeming a code', () => {
  let hostile: HostileProvider;
  let failures: string[];
  beforeEach(async () => {
    hostile = await openHostileProvider({ clientId: 'stance:book', clientSecret: 'canary+secret/of the test' });
    failures = [];
  });
  afterEach(() => hostile.close());

  const redeem = (iss?: string, token = 10_000, login = LOGIN) => {
    const client = providerClient(hostile.settings, { deadlines: { metadata: 10_000, token } });
    const provider = identityProvider(client, ({ code }) => failures.push(code));
    return provider.redeem({ code: 'the code', iss }, login);
  };
  /** An id token as it should be, but for the claims that are named. */
  const idToken = (claims: JWTPayload = {}) =>
    hostile.sign({ aud: 'stance:book', nonce: LOGIN.nonce, ...claims }, { typ: 'JWT' });
  const answer = (json: unknown, status = 200) => hostile.answers.set(PATHS.token, { json, status });
  const seconds = (from: number) => Math.floor(Date.now() / 1_000) + from;

  test('sends the code, the verifier and the very redirect URI, and proves to be the client by the header', async () => {
    answer({ access_token: 'opaque', id_token: await idToken() });
    const identity = { issuer: hostile.settings.issuer, subject: 'ada' };
    const proof = { authenticated_at: null, provider_session: null, has_factor: false };
    expect(await redeem()).toEqual({ identity, ...proof });
    const [{ authorization = '', form } = { form: new URLSearchParams() }] = hostile.tokenRequests;
    expect(Object.fromEntries(form)).toEqual({
      grant_type: 'authorization_code',
      code: 'the code',
      code_verifier: LOGIN.code_verifier,
      redirect_uri: LOGIN.redirect_uri,
    });
    const pair = Buffer.from(authorization.replace('Basic ', ''), 'base64').toString();
    expect(pair).toBe('stance%3Abook:canary%2Bsecret%2Fof+the+test');
  });

  test('proves to be the client in the form where the provider takes it nowhere else', async () => {
    const methods = { token_endpoint_auth_methods_supported: ['client_secret_post', 'private_key_jwt'] };
    hostile.answers.set(PATHS.discovery, { json: { ...hostile.metadata, ...methods } });
    answer({ access_token: 'opaque', id_token: await idToken() });
    await redeem();
    const [{ authorization, form } = { form: new URLSearchParams() }] = hostile.tokenRequests;
    expect([authorization, form.get('client_id'), form.get('client_secret')]).toEqual([
      undefined,
      hostile.settings.clientId,
      hostile.settings.clientSecret,
    ]);
  });

  test.each([
    ['another nonce', { nonce: 'of another login' }, 'nonce_mismatch'],
    ['no nonce', { nonce: undefined }, 'nonce_mismatch'],
    ['another issuer', { iss: 'https://elsewhere.test' }, 'id_token_invalid'],
    ['another audience', { aud: 'another client' }, 'id_token_invalid'],
    ['the audience of access tokens', { aud: 'https://api' }, 'id_token_invalid'],
    ['another authorized party', { azp: 'another client' }, 'authorized_party_mismatch'],
    ['two audiences and no authorized party', { aud: ['stance:book', 'x'] }, 'authorized_party_mismatch'],
    ['no subject', { sub: undefined }, 'id_token_invalid'],
    ['no end', { exp: undefined }, 'id_token_invalid'],
    ['an end that is past', { exp: seconds(-61) }, 'id_token_invalid'],
    ['a beginning that is to come', { nbf: seconds(HOUR_SECONDS) }, 'id_token_invalid'],
  ])('400 for an id token of %s', async (_, claims, code) => {
    answer({ access_token: 'opaque', id_token: await idToken(claims as JWTPayload) });
    await expect(redeem()).rejects.toMatchObject(FAILED);
    expect(failures).toEqual([code]);
  });

  test('400 for an id token that nobody signed, or another key', async () => {
    const [, payload] = (await idToken()).split('.');
    const unsigned = `${base64url.encode(JSON.stringify({ alg: 'none' }))}.${payload}.`;
    const key = await makeSigningKey('RS256', hostile.key.kid);
    const forged = await hostile.sign({ aud: 'stance:book', nonce: LOGIN.nonce }, { key });
    for (const id_token of [unsigned, forged]) {
      answer({ access_token: 'opaque', id_token });
      await expect(redeem()).rejects.toMatchObject(FAILED);
    }
  });

  test.each([
    ['a refusal of the code', { json: { error: 'invalid_grant' }, status: 400 }, 'invalid_grant'],
    ['a refusal of the client', { json: { error: 'invalid_client' }, status: 401 }, 'invalid_client'],
    ['an error in words', { json: { error: 'No! <b>Never</b>' }, status: 400 }, 'token_400'],
    ['an error with status 200', { json: { error: 'invalid_grant', access_token: 'x' } }, 'invalid_grant'],
    ['a fault', { status: 500, text: 'oh no' }, 'token_500'],
    ['a page', { text: '<html>access_token=x</html>' }, 'token_malformed'],
    ['a form', { text: 'access_token=x&id_token=y' }, 'token_malformed'],
    ['nothing', { text: '' }, 'token_malformed'],
    ['null', { json: null }, 'token_malformed'],
    ['a number', { json: 7 }, 'token_malformed'],
    ['a list', { json: [] }, 'token_malformed'],
    ['no access token', { json: { id_token: 'x' } }, 'token_malformed'],
    ['no id token', { json: { access_token: 'x' } }, 'id_token_missing'],
    ['an id token that is none', { json: { access_token: 'x', id_token: { sub: 'ada' } } }, 'id_token_missing'],
    ['a redirect', { status: 307, text: '', headers: { location: '/elsewhere' } }, 'network'],
    ['silence beyond the deadline', 'silence', 'timeout'],
  ] as const)('400 when the token endpoint answers with %s', async (_, given, code) => {
    hostile.answers.set(PATHS.token, given);
    await expect(redeem(undefined, given === 'silence' ? 300 : undefined)).rejects.toMatchObject(FAILED);
    expect(failures).toEqual([code]);
    expect([hostile.tokenRequests.length, hostile.asked('/elsewhere')]).toEqual([1, 0]);
  });

  test('400 when the provider is gone', async () => {
    await hostile.close();
    await expect(redeem()).rejects.toMatchObject(FAILED);
    expect(failures).toEqual(['ECONNREFUSED']);
  });

  test.each([
    ['another issuer answers', 'https://elsewhere.test', false],
    ['the issuer is missing though it is announced', undefined, true],
    ['an empty issuer answers', '', true],
  ])('400 when %s, and the code is sent nowhere (RFC 9207)', async (_, iss, announced) => {
    const announcement = { authorization_response_iss_parameter_supported: announced };
    hostile.answers.set(PATHS.discovery, { json: { ...hostile.metadata, ...announcement } });
    await expect(redeem(iss)).rejects.toMatchObject(FAILED);
    expect([failures, hostile.tokenRequests]).toEqual([['response_issuer_mismatch'], []]);
  });

  test('the issuer that answers is the one that is configured, announced or not', async () => {
    answer({ access_token: 'opaque', id_token: await idToken() });
    expect(await redeem(hostile.settings.issuer)).toMatchObject({ identity: { subject: 'ada' } });
  });

  test.each([
    [1_772_452_800, '2026-03-02T12:00:00.000Z'],
    [undefined, undefined],
    ['1772452800', undefined],
    [-1, undefined],
    [1e15, undefined],
  ])('the auth_time %j is the login %s', async (auth_time, at) => {
    answer({ access_token: 'opaque', id_token: await idToken({ auth_time }) });
    expect((await redeem()).authenticated_at?.toISOString()).toBe(at);
  });

  test.each([
    ['no time of the login', undefined, 'auth_time_missing'],
    ['a login of two minutes before', -120, 'login_not_fresh'],
  ])('400 for %s where a fresh one was requested', async (_, from, code) => {
    const at = LOGIN.created_at.getTime() / 1_000;
    const fresh = { ...LOGIN, is_fresh: true };
    answer({ access_token: 'opaque', id_token: await idToken({ auth_time: from && at + from }) });
    await expect(redeem(undefined, undefined, fresh)).rejects.toMatchObject(FAILED);
    expect(failures).toEqual([code]);
    answer({ access_token: 'opaque', id_token: await idToken({ auth_time: at - 30 }) });
    expect((await redeem(undefined, undefined, fresh)).authenticated_at).toEqual(new Date((at - 30) * 1_000));
  });
});
