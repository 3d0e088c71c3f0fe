import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { type JWTPayload, SignJWT, UnsecuredJWT } from 'jose';
import { deviceClient } from '../../../adapters/identity/device-client.ts';
import { type ProviderOptions, providerClient } from '../../../adapters/identity/provider-client.ts';
import { Problem } from '../../../domain/problem.ts';
import { MINUTE, SECOND } from '../../../domain/time.ts';
import {
  type HostileProvider,
  makeSigningKey,
  openHostileProvider,
  PATHS,
} from '../../harness/identity/hostile-provider.ts';

const STARTED = {
  device_code: 'theirs',
  user_code: 'WDJB-MJHT',
  verification_uri: 'https://id.example.com/device',
  expires_in: 600,
} as const;

/** The result, or the code of the problem that it was refused with. */
const resultOf = async (request: Promise<unknown>): Promise<unknown> =>
  request.catch((error: unknown) => (error instanceof Problem ? error.code : error));

describe('a provider that answers whatever it likes', () => {
  let provider: HostileProvider;
  let failures: string[];
  beforeAll(async () => {
    provider = await openHostileProvider();
  });
  beforeEach(() => {
    failures = [];
    provider.answers.clear();
    provider.answers.set(PATHS.discovery, { json: metadata('/device') });
    provider.answers.set('/device', { json: STARTED });
  });
  afterAll(() => provider.close());

  const metadata = (path: string) => {
    const device_authorization_endpoint = `${provider.settings.issuer}${path}`;
    return { ...provider.metadata, device_authorization_endpoint };
  };
  const client = (options?: ProviderOptions) =>
    deviceClient(providerClient(provider.settings, options), ({ code }) => failures.push(code));
  const startedBy = async (json: unknown) => {
    provider.answers.set('/device', { json });
    return resultOf(client().start());
  };
  const exchangedBy = async (status: number, json: unknown) => {
    provider.answers.set(PATHS.token, { status, json });
    return resultOf(client().exchange('theirs'));
  };
  const idToken = (claims: JWTPayload = {}, by = {}) =>
    provider.sign({ aud: provider.settings.clientId, ...claims }, { typ: 'JWT', ...by });

  test('an exchange sends the code and the grant, and proves to be the client', async () => {
    await exchangedBy(400, { error: 'authorization_pending' });
    const { authorization = '', form } = provider.tokenRequests.at(-1) ?? { form: new URLSearchParams() };
    expect(Object.fromEntries(form)).toEqual({
      client_id: provider.settings.clientId,
      grant_type: 'urn:ietf:params:oauth:grant-type:device_code',
      device_code: 'theirs',
    });
    expect(authorization).toMatch(/^Basic /);
  });

  test('what is left out has a meaning, and more than needed is let be', async () => {
    const more = { ...STARTED, interval: 7, message: 'Welcome' };
    const { device_code, user_code, verification_uri } = STARTED;
    const codes = { device_code, user_code, verification_uri, verification_uri_complete: null };
    expect(await startedBy(STARTED)).toEqual({ ...codes, expires_in: 10 * MINUTE, interval: null });
    expect(await startedBy(more)).toEqual({ ...codes, expires_in: 10 * MINUTE, interval: 7 * SECOND });
  });

  test.each<[string, unknown]>([
    ['no object', 'a text'],
    ['nothing', null],
    ['a list', [STARTED]],
    ['no code', { ...STARTED, device_code: undefined }],
    ['an empty code', { ...STARTED, device_code: '' }],
    ['a code that never ends', { ...STARTED, device_code: 'x'.repeat(5_000) }],
    ['a code for the user that moves the cursor', { ...STARTED, user_code: '\u001b[2J' }],
    ['a code for the user that reads backwards', { ...STARTED, user_code: '\u202eTHJM' }],
    ['an address that runs something', { ...STARTED, verification_uri: 'javascript:alert(1)' }],
    ['another such', { ...STARTED, verification_uri_complete: 'data:text/html,<script>' }],
    ['no address', { ...STARTED, verification_uri: 'device' }],
    ['no life', { ...STARTED, expires_in: 0 }],
    ['a life in words', { ...STARTED, expires_in: '600' }],
    ['a negative interval', { ...STARTED, interval: -1 }],
  ])('SERVICE_UNAVAILABLE for a start that has %s', async (_, json) => {
    expect(await startedBy(json)).toBe('SERVICE_UNAVAILABLE');
    expect(failures).toEqual(['device_malformed']);
  });

  test('a life of centuries is cut to a day', async () => {
    expect(await startedBy({ ...STARTED, expires_in: 2 ** 53 - 1 })).toMatchObject({ expires_in: 86_400 * SECOND });
  });

  test.each([
    [400, 'authorization_pending', 'pending'],
    [403, 'authorization_pending', 'pending'],
    [400, 'slow_down', 'slow_down'],
    [429, 'slow_down', 'slow_down'],
    [400, 'access_denied', 'denied'],
    [400, 'authorization_declined', 'denied'],
    [400, 'expired_token', 'expired'],
    [400, 'invalid_grant', 'spent'],
  ])('%d %s is %s', async (status, error, outcome) => {
    expect(await exchangedBy(status, { error })).toEqual({ outcome });
  });

  test.each<[number, unknown, string]>([
    [401, { error: 'invalid_client' }, 'invalid_client'],
    [400, { error: 'invalid_request' }, 'invalid_request'],
    [400, { error: ['authorization_pending'] }, 'token_400'],
    [400, { error: 'constructor' }, 'constructor'],
    [400, { error: 'line\nbreak' }, 'token_400'],
    [400, 'authorization_pending', 'token_400'],
    [404, {}, 'token_404'],
    [500, { error: 'access_denied' }, 'access_denied'],
    [503, null, 'token_503'],
  ])('SERVICE_UNAVAILABLE for %d %j, which says nothing of the code', async (status, json, code) => {
    expect(await exchangedBy(status, json)).toBe('SERVICE_UNAVAILABLE');
    expect(failures).toEqual([code]);
  });

  test('operators get the reason why no flow could be started', async () => {
    provider.answers.set('/device', { status: 400, json: { error: 'unauthorized_client' } });
    expect(await resultOf(client().start())).toBe('SERVICE_UNAVAILABLE');
    provider.answers.set('/device', { status: 500, text: '' });
    expect(await resultOf(client().start())).toBe('SERVICE_UNAVAILABLE');
    expect(failures).toEqual(['unauthorized_client', 'device_500']);
  });

  test('a valid id token identifies who approved', async () => {
    const identity = { issuer: provider.settings.issuer, subject: 'ada' };
    expect(await exchangedBy(200, { id_token: await idToken() })).toEqual({
      outcome: 'approved',
      identity,
      has_factor: false,
    });
  });

  test('SERVICE_UNAVAILABLE for any other id token', async () => {
    const { issuer, clientId, clientSecret } = provider.settings;
    const claims = { iss: issuer, aud: clientId, sub: 'ada', exp: Math.ceil(Date.now() / SECOND) + 600 };
    const secret = new TextEncoder().encode(clientSecret.padEnd(32, '.'));
    const wrong = [
      undefined,
      null,
      '',
      'a.b.c',
      await idToken({ aud: 'somebody else' }),
      await idToken({ iss: 'https://id.example.com' }),
      await idToken({ exp: 1 }),
      await idToken({ sub: '' }),
      await idToken({ aud: [clientId, 'somebody else'] }),
      await idToken({}, { key: await makeSigningKey('RS256', provider.key.kid) }),
      new UnsecuredJWT(claims).encode(),
      await new SignJWT(claims).setProtectedHeader({ alg: 'HS256', kid: provider.key.kid }).sign(secret),
    ];
    for (const id_token of wrong) expect(await exchangedBy(200, { id_token })).toBe('SERVICE_UNAVAILABLE');
    expect(failures).toHaveLength(wrong.length);
  });

  test.each([
    ['id_token_missing', { text: '{"id_token": ' }],
    ['id_token_missing', { text: '<html>' }],
    ['token_500', { status: 500, text: '<html>' }],
    ['network', { status: 302, text: '', headers: { location: 'https://id.example.com/' } }],
    ['timeout', 'silence'],
  ] as const)('SERVICE_UNAVAILABLE, to operators %s, for %j', async (code, answer) => {
    const device = client({ deadlines: { metadata: 10 * SECOND, token: answer === 'silence' ? SECOND : 10 * SECOND } });
    await device.start();
    provider.answers.set(PATHS.token, answer);
    expect(await resultOf(device.exchange('theirs'))).toBe('SERVICE_UNAVAILABLE');
    expect(failures).toEqual([code]);
    provider.answers.set(PATHS.token, { status: 400, json: { error: 'authorization_pending' } });
    expect(await device.exchange('theirs')).toEqual({ outcome: 'pending' });
  });

  test('OAUTH_NOT_CONFIGURED where it has no device flow', async () => {
    provider.answers.delete(PATHS.discovery);
    expect(await resultOf(client().start())).toBe('OAUTH_NOT_CONFIGURED');
    expect(failures).toEqual([]);
  });
});
