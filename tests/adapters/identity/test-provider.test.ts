import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { decodeJwt, decodeProtectedHeader } from 'jose';
import {
  AUDIENCE,
  CLIENT_ID,
  CLIENT_SECRET,
  openProvider,
  type TestProvider,
} from '../../harness/identity/provider.ts';
import { decideOnDevice, tokensOf } from '../../harness/identity/tokens.ts';

// The ground that the tests of signing in stand on.

let provider: TestProvider;
beforeAll(async () => {
  provider = await openProvider({ redirectUris: ['https://stancebook.test/callback'] });
});
afterAll(() => provider.close());

test('a user gets an access token for the audience, a JWT that names its type', async () => {
  const { access_token, id_token } = await tokensOf(provider, 'ada');
  expect(decodeJwt(access_token)).toMatchObject({ iss: provider.issuer, sub: 'ada', aud: AUDIENCE });
  expect(decodeProtectedHeader(access_token).typ).toBe('at+jwt');
  expect(decodeJwt(id_token)).toMatchObject({ iss: provider.issuer, sub: 'ada', aud: 'dashboard' });
});

test('after a rotation it signs with another key', async () => {
  const keyOf = async () => decodeProtectedHeader((await tokensOf(provider, 'ada')).access_token).kid;
  const before = await keyOf();
  await provider.rotateKeys();
  expect(await keyOf()).not.toBe(before);
});

test.each([
  ['yes', 200, undefined],
  ['no', 400, 'access_denied'],
] as const)('a device gets the decision of its user: %s', async (answer, status, error) => {
  const started = await ask('/device/auth', { scope: 'openid' });
  const { device_code, verification_uri_complete } = started.body;
  const grant = { grant_type: 'urn:ietf:params:oauth:grant-type:device_code', device_code };
  expect((await ask('/token', grant)).body.error).toBe('authorization_pending');
  await decideOnDevice('ada', verification_uri_complete, answer);
  const ended = await ask('/token', grant);
  expect([ended.status, ended.body.error]).toEqual([status, error]);
});

async function ask(path: string, fields: Readonly<Record<string, string>>) {
  const basic = Buffer.from([CLIENT_ID, CLIENT_SECRET].map(encodeURIComponent).join(':')).toString('base64');
  const headers = { authorization: `Basic ${basic}` };
  const reply = await fetch(new URL(path, provider.issuer), {
    method: 'POST',
    headers,
    body: new URLSearchParams(fields),
  });
  // biome-ignore lint/suspicious/noExplicitAny: each test knows what it asked for.
  return { status: reply.status, body: (await reply.json()) as any };
}
