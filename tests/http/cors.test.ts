import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import request from 'supertest';
import { openService, type TestService } from '../harness/service.ts';
import { anOwnerLoggedIn, LOGOUT, OWN_PAGE } from '../harness/sessions.ts';

const AT = new Date('2026-03-02T12:00:00.000Z');
const DESK = 'https://desk.example';
const STATUS = '/api/v1/owner/legal-status';

/** The headers that a dashboard on another origin must be able to read. */
const NEEDED = [
  'x-request-id',
  'x-ratelimit-limit',
  'x-ratelimit-remaining',
  'x-ratelimit-reset',
  'x-quota-resource',
  'x-quota-remaining',
  'x-quota-limit',
  'x-quota-reset',
  'retry-after',
  'www-authenticate',
  'idempotency-replayed',
  'etag',
  'date',
];

describe('dashboards on other origins', () => {
  let service: TestService;
  beforeAll(async () => {
    service = await openService('memory', { at: AT, env: { CORS_ORIGINS: `${DESK},http://localhost:5173` } });
  });
  afterAll(() => service.close());

  const preflight = (origin: string, method: string, headers: string, path = STATUS) =>
    request(service.app)
      .options(path)
      .set({ origin, 'access-control-request-method': method, 'access-control-request-headers': headers });
  const words = (header: string | undefined) => (header ?? '').toLowerCase().split(/ *, */);

  /** A file of the page, whose Vary header has another name as well. */
  const aScript = async () => /\/page\/\w+\/main\.ts/.exec((await request(service.app).get('/')).text)?.[0] ?? '';

  test.each([DESK, 'http://localhost:5173'])('%s may send a bearer token and a JSON body', async (origin) => {
    const { status, headers } = await preflight(origin, 'PUT', 'authorization,content-type');
    expect([status, headers['access-control-allow-origin']]).toEqual([204, origin]);
    const allowed = words(headers['access-control-allow-headers']);
    expect(allowed).toEqual(
      expect.arrayContaining(['authorization', 'content-type', 'idempotency-key', 'if-none-match', 'x-request-id']),
    );
    expect(words(headers['access-control-allow-methods'])).toEqual(
      expect.arrayContaining(['get', 'post', 'put', 'patch', 'delete']),
    );
  });

  test('replies and refusals show every header that a dashboard needs', async () => {
    for (const path of [STATUS, '/healthz', '/api/v1/nowhere', await aScript()]) {
      const { headers } = await request(service.app)
        .get(path)
        .set({ origin: DESK, authorization: 'Bearer made.up.one' });
      expect(headers['access-control-allow-origin']).toBe(DESK);
      expect(words(headers['access-control-expose-headers'])).toEqual(expect.arrayContaining(NEEDED));
      expect(words(headers.vary)).toContain('origin');
    }
  });

  test.each([['https://evil.example'], ['null'], [`${DESK}.evil.example`], ['https://DESK.example'], [`${DESK}:8443`]])(
    '%s gets no header of CORS, and Vary names the origin for caches',
    async (origin) => {
      const replies = [
        await preflight(origin, 'PUT', 'authorization'),
        await request(service.app).get(STATUS).set({ origin }),
      ];
      for (const { headers } of replies) {
        expect(Object.keys(headers).filter((name) => name.startsWith('access-control-'))).toEqual([]);
        expect(words(headers.vary)).toContain('origin');
      }
    },
  );

  test('no other origin is ever admitted by cookie: the preflight does not allow it, and changes are refused', async () => {
    const { cookie } = await anOwnerLoggedIn(service);
    const read = await request(service.app).get(STATUS).set({ origin: DESK, cookie });
    const allowed = await preflight(DESK, 'POST', 'content-type', LOGOUT);
    for (const { headers } of [read, allowed]) expect(headers['access-control-allow-credentials']).toBeUndefined();
    const sent = { cookie, origin: DESK, 'sec-fetch-site': 'cross-site' };
    const { status, body } = await request(service.app).post(LOGOUT).set(sent);
    expect([status, body.error.code]).toEqual([403, 'CROSS_ORIGIN_SESSION']);
    const own = await request(service.app)
      .post(LOGOUT)
      .set({ cookie, ...OWN_PAGE });
    expect(own.status).toBe(204);
  });
});

test('without configuration no origin is allowed', async () => {
  const service = await openService('memory', { at: AT });
  const { status, headers } = await request(service.app)
    .options(STATUS)
    .set({ origin: DESK, 'access-control-request-method': 'GET' });
  expect(status).toBe(204);
  expect(Object.keys(headers).filter((name) => name.startsWith('access-control-'))).toEqual([]);
  await service.close();
});
