import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import request from 'supertest';
import { networkList } from '../../../adapters/http/kit/router.ts';
import { endpointsOf } from '../../../adapters/http/routes/endpoints.ts';
import { changeRole } from '../../../application/accounts/operators/owner-changes.ts';
import { openService, type TestService } from '../../harness/service.ts';
import { aPasswordOwner, cookieOf, logIn, OWN_PAGE } from '../../harness/sessions.ts';

const INSIDE = ['10.1.2.3', '::ffff:10.1.2.3', '192.0.2.7', 'fd00::7'];
const OUTSIDE = ['10.2.0.1', '192.0.2.8', 'fd01::7', '127.0.0.1', 'unknown', ''];

describe('with ADMIN_NETWORKS', () => {
  let service: TestService;
  let session: Readonly<Record<string, string>>;
  beforeAll(async () => {
    const env = {
      ADMIN_NETWORKS: '10.1.0.0/16,192.0.2.7,fd00::/16',
      TRUST_PROXY: '1',
      LIMIT_ADDRESS_PER_MINUTE: '100000',
    };
    service = await openService('memory', { at: new Date('2026-03-02T12:00:00.000Z'), env });
    const { email } = await aPasswordOwner(service);
    await changeRole(service.operators, email, 'admin', 'command line');
    session = { cookie: cookieOf(await logIn(service, email)), ...OWN_PAGE };
  });
  afterAll(() => service.close());

  const send = (method: string, path: string, address: string, headers: Readonly<Record<string, string>>) =>
    request(service.app)
      [method.toLowerCase() as 'get'](`/api/v1${path}`)
      .set({ ...headers, 'x-forwarded-for': address });

  test('every operation and path of the admin area refuses other networks, in one reply for all callers', async () => {
    const operations = endpointsOf(service.ports).filter(({ path }) => path.startsWith('/api/v1/admin/'));
    expect(operations.length).toBeGreaterThan(5);
    const served = operations.map(({ method, path }) => [method, path.slice('/api/v1'.length)] as const);
    for (const [method, path] of [...served, ['GET', '/admin/nowhere'], ['PUT', '/admin/stablecoin']] as const) {
      const replies = [];
      for (const headers of [session, {}, { cookie: 'sid=made-up', ...OWN_PAGE }, { 'x-api-key': 'sbk_made_up' }]) {
        const { status, body, headers: sent } = await send(method, path, '10.2.0.1', headers);
        expect([path, status, body.error.code]).toEqual([path, 403, 'FORBIDDEN']);
        replies.push([body.error.message, body.error.suggestion, sent['x-ratelimit-limit']]);
      }
      expect(new Set(replies.map(String)).size).toBe(1);
    }
  });

  test('an admin is served from the networks, and from no others', async () => {
    const statuses = async (addresses: readonly string[]) =>
      Promise.all(addresses.map(async (address) => (await send('GET', '/admin/stablecoin', address, session)).status));
    expect(await statuses(INSIDE)).toEqual(INSIDE.map(() => 200));
    expect(await statuses(OUTSIDE.filter(Boolean))).toEqual(OUTSIDE.filter(Boolean).map(() => 403));
  });

  test('the rest of the interface is served to all', async () => {
    expect((await send('GET', '/owner/dashboard', '10.2.0.1', session)).status).toBe(200);
  });
});

test('networks contain addresses in any form, and no text that is none', () => {
  const contains = networkList(['10.1.0.0/16', '192.0.2.7', 'fd00::/16']);
  expect(INSIDE.map(contains)).toEqual(INSIDE.map(() => true));
  expect(['[fd00::7]:443', '10.1.2.3:4711', 'fd00::7%eth0'].map(contains)).toEqual([true, true, true]);
  expect(OUTSIDE.map(contains)).toEqual(OUTSIDE.map(() => false));
});
