import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import request from 'supertest';
import { changeRole } from '../../../application/accounts/operators/owner-changes.ts';
import { anAgentAt } from '../../harness/callers.ts';
import { openService, STORAGES, type TestService } from '../../harness/service.ts';
import { anOwnerLoggedIn, aPasswordOwner, cookieOf, LOGOUT, logIn, OWN_PAGE } from '../../harness/sessions.ts';

const REFRESH = '/api/v1/admin/instruments/stock/MSFT/NASDAQ/spot/USD/refresh';

describe.each(STORAGES)('the admin area by session, on %s', (storage) => {
  let service: TestService;
  beforeAll(async () => {
    service = await openService(storage, { at: new Date('2026-03-02T12:00:00.000Z') });
  });
  afterAll(() => service.close());

  const refresh = (headers: Readonly<Record<string, string>>) => request(service.app).post(REFRESH).set(headers);
  const codeOf = async (headers: Readonly<Record<string, string>>) => {
    const { status, body } = await refresh(headers);
    return [status, body.error?.code];
  };
  const anAdminLoggedIn = async () => {
    const { owner_id, email } = await aPasswordOwner(service);
    await give(email, 'admin');
    return { owner_id, email, cookie: cookieOf(await logIn(service, email)) };
  };
  const give = (email: string, role: 'admin' | 'owner') => changeRole(service.operators, email, role, 'command line');

  test('202 for an admin, whom the audit log names', async () => {
    const { owner_id, cookie } = await anAdminLoggedIn();
    const { status, body } = await refresh({ cookie, ...OWN_PAGE });
    expect([status, body.status]).toEqual([202, 'queued']);
    expect(await service.ports.audit.about('stock:MSFT:NASDAQ:spot:USD', 1)).toMatchObject([
      { actor: owner_id, action: 'refresh_instrument', detail: { job_id: body.job_id } },
    ]);
  });

  test('403 ADMIN_REQUIRED for an owner; granting ends the session, and removing the role takes effect at once', async () => {
    const { email, cookie } = await anOwnerLoggedIn(service);
    const status = async (headers: Readonly<Record<string, string>>) =>
      (await request(service.app).get('/api/v1/public/auth/status').set(headers)).status;
    const before = { cookie, ...OWN_PAGE };
    expect([await status(before), await codeOf(before)]).toEqual([200, [403, 'ADMIN_REQUIRED']]);
    await give(email, 'admin');
    expect([await status(before), await codeOf(before)]).toEqual([401, [403, 'ADMIN_REQUIRED']]);
    const headers = { cookie: cookieOf(await logIn(service, email)), ...OWN_PAGE };
    expect(await codeOf(headers)).toEqual([202, undefined]);
    await give(email, 'owner');
    expect([await status(headers), await codeOf(headers)]).toEqual([200, [403, 'ADMIN_REQUIRED']]);
  });

  test('403 CROSS_ORIGIN_SESSION for an admin whose browser was sent by another page', async () => {
    const { cookie } = await anAdminLoggedIn();
    for (const headers of [
      { cookie },
      { cookie, 'sec-fetch-site': 'cross-site' },
      { cookie, origin: 'https://e.vil' },
    ]) {
      expect(await codeOf(headers)).toEqual([403, 'CROSS_ORIGIN_SESSION']);
    }
  });

  test('403 ADMIN_REQUIRED for an admin who has logged out', async () => {
    const { cookie } = await anAdminLoggedIn();
    await request(service.app)
      .post(LOGOUT)
      .set({ cookie, ...OWN_PAGE });
    expect(await codeOf({ cookie, ...OWN_PAGE })).toEqual([403, 'ADMIN_REQUIRED']);
  });

  test('403 ADMIN_REQUIRED for the key of an admin, also together with the session', async () => {
    const agent = await anAgentAt(service);
    await give(agent.owner_id, 'admin');
    const { cookie } = await anAdminLoggedIn();
    expect(await codeOf({ 'x-api-key': agent.api_key })).toEqual([403, 'ADMIN_REQUIRED']);
    expect(await codeOf({ 'x-api-key': agent.api_key, cookie, ...OWN_PAGE })).toEqual([403, 'ADMIN_REQUIRED']);
  });
});
