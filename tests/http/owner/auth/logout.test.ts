import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import request from 'supertest';
import { DAY, HOUR } from '../../../../domain/time.ts';
import { race } from '../../../contracts/adapters.ts';
import { anAgentAt } from '../../../harness/callers.ts';
import { openService, STORAGES, type TestService } from '../../../harness/service.ts';
import { anOwnerLoggedIn, LOGOUT, OWN_PAGE } from '../../../harness/sessions.ts';

const AT = new Date('2026-03-02T12:00:00.000Z');
const RECORD = '/api/v1/agent/decisions/dec_20260101_00000000';

describe.each(STORAGES)('logout on %s', (storage) => {
  let service: TestService;
  beforeAll(async () => {
    service = await openService(storage, { at: AT });
  });
  afterAll(() => service.close());

  const leave = (headers: Readonly<Record<string, string>>) => request(service.app).post(LOGOUT).set(headers);
  /** There is no such record: 404 while the session is open, else 401. */
  const statusFor = async (cookie: string) => (await request(service.app).get(RECORD).set({ cookie })).status;

  test('204 without a body, the cookie cleared, the session gone', async () => {
    const { cookie } = await anOwnerLoggedIn(service);
    const reply = await leave({ cookie, ...OWN_PAGE });
    expect([reply.status, reply.text]).toEqual([204, '']);
    expect(reply.headers['set-cookie']).toEqual(['sid=; Path=/; Max-Age=0; HttpOnly; SameSite=Lax']);
    expect(reply.headers['clear-site-data']).toBe('"cache", "storage"');
    expect(await statusFor(cookie)).toBe(401);
  });

  test('401 for the second logout of one session', async () => {
    const { cookie } = await anOwnerLoggedIn(service);
    await leave({ cookie, ...OWN_PAGE });
    const { status, body } = await leave({ cookie, ...OWN_PAGE });
    expect([status, body.error.code]).toEqual([401, 'UNAUTHORIZED']);
  });

  test('10 logouts at once all succeed, and requests in flight do not restore the session', async () => {
    const { cookie } = await anOwnerLoggedIn(service);
    await service.arrange.advance(HOUR);
    const statuses = await race(20, async (worker) =>
      worker % 2 ? statusFor(cookie) : (await leave({ cookie, ...OWN_PAGE })).status,
    );
    expect(statuses.every((status) => [204, 401, 404].includes(status))).toBe(true);
    expect(statuses).toContain(204);
    expect(await statusFor(cookie)).toBe(401);
  });

  test('403 CROSS_ORIGIN_SESSION unless the request is from a page of the service, and the session stays', async () => {
    const { cookie } = await anOwnerLoggedIn(service);
    const foreign: Record<string, string>[] = [
      {},
      { 'sec-fetch-site': 'cross-site' },
      { 'sec-fetch-site': 'same-site' },
      { 'sec-fetch-site': 'none' },
      { origin: 'https://evil.example' },
    ];
    for (const headers of foreign) {
      const { status, body } = await leave({ cookie, ...headers });
      expect([status, body.error.code]).toEqual([403, 'CROSS_ORIGIN_SESSION']);
    }
    expect(await statusFor(cookie)).toBe(404);
    expect((await leave({ cookie, host: 'here', origin: 'http://here' })).status).toBe(204);
  });

  test('only a session logs out: 401 without a credential, 403 for a key, even together with a session', async () => {
    const { api_key } = await anAgentAt(service);
    const { cookie } = await anOwnerLoggedIn(service);
    expect((await leave(OWN_PAGE)).status).toBe(401);
    for (const headers of [{ 'x-api-key': api_key }, { 'x-api-key': api_key, cookie, ...OWN_PAGE }]) {
      const { status, body } = await leave(headers);
      expect([status, body.error.code]).toEqual([403, 'FORBIDDEN']);
    }
    expect(await statusFor(cookie)).toBe(404);
  });

  test('it is a POST, as the contract has it', async () => {
    const { cookie } = await anOwnerLoggedIn(service);
    expect((await request(service.app).get(LOGOUT).set({ cookie })).status).toBe(405);
    expect(await statusFor(cookie)).toBe(404);
  });

  test('a session ends by itself: unused for 12 hours, or 7 days after the login', async () => {
    await service.arrange.freeze(AT);
    const [{ cookie: used }, { cookie: unused }] = [await anOwnerLoggedIn(service), await anOwnerLoggedIn(service)];
    const at = (millis: number) => service.arrange.freeze(new Date(AT.getTime() + millis));
    await at(12 * HOUR - 1);
    expect(await statusFor(used)).toBe(404);
    await at(12 * HOUR);
    expect([await statusFor(used), await statusFor(unused)]).toEqual([404, 401]);
    for (let hours = 20; hours < 7 * 24; hours += 11) {
      await at(hours * HOUR);
      expect(await statusFor(used)).toBe(404);
    }
    await at(7 * DAY);
    expect(await statusFor(used)).toBe(401);
  });
});
