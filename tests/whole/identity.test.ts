import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { freePort } from '../../infrastructure/embedded-postgres/supervisor.ts';
import { openBrowser } from '../harness/identity/browser.ts';
import { openProvider, type TestProvider } from '../harness/identity/provider.ts';
import { tokensOf } from '../harness/identity/tokens.ts';
import { copyPreparedData } from '../harness/prepared-data.ts';
import { call } from './calls.ts';
import { makeFolder, type RunningService, removeFolder, rowsOf, startService, stopService } from './service.ts';

// The machine may be busy with other tests.

const IDP = '/api/v1/public/auth/idp';
const KEYS = '/api/v1/owner/auth/api-keys';

let folder: string;
let provider: TestProvider;
let service: RunningService;
beforeAll(async () => {
  folder = makeFolder();
  // The provider must know the redirect URI before the service listens there.
  const port = await freePort();
  provider = await openProvider({ redirectUris: [`http://127.0.0.1:${port}${IDP}/callback`] });
  const env = { ...provider.env, PORT: String(port), WORKERS: '2' };
  service = await startService(await copyPreparedData(join(folder, 'data')), { env });
});
afterAll(async () => {
  await stopService(service);
  await provider.close();
  removeFolder(folder);
});

test('browsers log in through the provider and open the owner area, even if different processes answer', async () => {
  for (let round = 0; round < 6; round += 1) {
    const browser = openBrowser({ user: 'ada' });
    const page = await browser.visit(`${service.url}${IDP}`);
    expect([page.status, page.url.pathname]).toEqual([200, `${IDP}/callback`]);
    const cookie = `sid=${browser.cookies.get(service.url, 'sid')}`;
    expect((await call(service, KEYS, { headers: { cookie } })).status).toBe(200);
  }
});

test('a bearer token leads to the same account as the login does', async () => {
  const { access_token } = await tokensOf(provider, 'ada');
  const headers = { authorization: `Bearer ${access_token}` };
  const { status, body } = await call(service, '/api/v1/public/auth/status', { headers });
  expect([status, body.credential]).toEqual([200, 'owner_bearer']);
  const known = await rowsOf(service.dataDir, 'select issuer, subject, owner_id from app.identities');
  expect(known).toEqual([{ issuer: provider.issuer, subject: 'ada', owner_id: body.owner_id }]);
});

test('no finished login is stored, and the row of an open one contains none of its secrets', async () => {
  const browser = openBrowser({ user: 'ada' });
  const { url } = await browser.visit(`${service.url}${IDP}`, `${service.url}${IDP}/callback`);
  const rows = await rowsOf(service.dataDir, 'select * from app.provider_logins');
  expect(rows).toHaveLength(1);
  const storedValues = rows.flatMap((row) => Object.values(row).flatMap(readings)).join(' ');
  const secrets = [
    url.searchParams.get('state'),
    url.searchParams.get('code'),
    browser.cookies.get(service.url, 'idp'),
  ];
  for (const secret of secrets) {
    expect(secret).toBeTruthy();
    expect(storedValues).not.toContain(secret);
  }
  expect((await browser.step(url)).status).toBe(200);
  expect(await rowsOf(service.dataDir, 'select * from app.provider_logins')).toEqual([]);
});

/** Bytes in every encoding from which a secret could be read. */
function readings(value: unknown): readonly string[] {
  if (!Buffer.isBuffer(value)) return [String(value)];
  return (['latin1', 'hex', 'base64url'] as const).map((form) => value.toString(form));
}
