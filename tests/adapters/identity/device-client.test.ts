import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { deviceClient } from '../../../adapters/identity/device-client.ts';
import { providerClient } from '../../../adapters/identity/provider-client.ts';
import { Problem } from '../../../domain/problem.ts';
import { SECOND } from '../../../domain/time.ts';
import {
  AUDIENCE,
  CLIENT_ID,
  CLIENT_SECRET,
  openProvider,
  type TestProvider,
} from '../../harness/identity/provider.ts';
import { decideOnDevice } from '../../harness/identity/tokens.ts';

/** The result, or the code of the problem that it was refused with. */
const resultOf = async (request: Promise<unknown>): Promise<unknown> =>
  request.catch((error: unknown) => (error instanceof Problem ? error.code : error));

describe.each(['client_secret_basic', 'client_secret_post'] as const)('a real provider, by %s', (clientAuth) => {
  let provider: TestProvider;
  const failures: string[] = [];
  beforeAll(async () => {
    provider = await openProvider({
      redirectUris: ['https://stancebook.test/callback'],
      clientAuth,
      deviceCodeTtl: 30,
    });
  });
  afterAll(() => provider.close());

  const settings = () => ({
    issuer: provider.issuer,
    clientId: CLIENT_ID,
    clientSecret: CLIENT_SECRET,
    audience: AUDIENCE,
  });
  const client = () => deviceClient(providerClient(settings()), ({ code }) => failures.push(code));

  test('what it starts has the user’s code and two addresses', async () => {
    const { device_code, user_code, ...started } = await client().start();
    expect(started).toEqual({
      verification_uri: `${provider.issuer}/device`,
      verification_uri_complete: `${provider.issuer}/device?user_code=${user_code}`,
      expires_in: 30 * SECOND,
      interval: null,
    });
    expect(device_code).not.toBe(user_code);
  });

  test('an approved code identifies who approved, once', async () => {
    const device = client();
    const { device_code, verification_uri_complete } = await device.start();
    expect(await device.exchange(device_code)).toEqual({ outcome: 'pending' });
    await decideOnDevice('ada', verification_uri_complete ?? '');
    const identity = { issuer: provider.issuer, subject: 'ada' };
    expect(await device.exchange(device_code)).toEqual({ outcome: 'approved', identity, has_factor: false });
    expect(await device.exchange(device_code)).toEqual({ outcome: 'spent' });
  });

  test('a code that the user refused is denied', async () => {
    const device = client();
    const { device_code, verification_uri_complete } = await device.start();
    await decideOnDevice('ada', verification_uri_complete ?? '', 'no');
    expect(await device.exchange(device_code)).toEqual({ outcome: 'denied' });
  });

  test('while the provider is down requests are refused, and the code is still valid when it is back', async () => {
    const device = client();
    const { device_code } = await device.start();
    await provider.stop();
    expect(await resultOf(device.exchange(device_code))).toBe('SERVICE_UNAVAILABLE');
    expect(await resultOf(device.start())).toBe('SERVICE_UNAVAILABLE');
    expect(await resultOf(client().start())).toBe('SERVICE_UNAVAILABLE');
    await provider.start();
    expect(await device.exchange(device_code)).toEqual({ outcome: 'pending' });
    expect(failures).toHaveLength(3);
  });
});

test('a real provider says that a code has expired', async () => {
  const provider = await openProvider({ redirectUris: ['https://stancebook.test/callback'], deviceCodeTtl: 1 });
  const settings = {
    issuer: provider.issuer,
    clientId: CLIENT_ID,
    clientSecret: CLIENT_SECRET,
    audience: AUDIENCE,
  };
  const device = deviceClient(providerClient(settings), () => undefined);
  const { device_code } = await device.start();
  let found = await device.exchange(device_code);
  while (found.outcome === 'pending') {
    await new Promise((resolve) => setTimeout(resolve, 100));
    found = await device.exchange(device_code);
  }
  expect(found).toEqual({ outcome: 'expired' });
  await provider.close();
});
