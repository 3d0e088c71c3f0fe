import { describe, expect, jest, test } from '@jest/globals';
import request from 'supertest';
import type { Admit } from '../../adapters/http/kit/exchange.ts';
import { Problem } from '../../domain/problem.ts';
import { admitByName, testApp } from './app.ts';
import { failing, writeNote } from './example.ts';

const FAILURE = '/api/v1/public/failure';
const NOTE = '/api/v1/agent/notes/n1';
const SOUND = { text: 'Hello', at: '2026-01-30T14:30:00Z' };

function get(error: () => unknown) {
  return request(testApp([failing(error)]).app).get(FAILURE);
}

describe('every response', () => {
  const { app } = testApp([writeNote, failing(() => undefined)]);
  test.each([['/healthz'], ['/readyz'], [FAILURE], ['/nowhere'], ['/api/v1/%ff']])(
    '%s carries the common headers',
    async (path) => {
      const { headers } = await request(app).get(path).set('x-request-id', 'me.1_2-3');
      expect(headers).toMatchObject({
        'x-request-id': 'me.1_2-3',
        'x-content-type-options': 'nosniff',
        'cache-control': 'no-store',
        'x-ratelimit-limit': expect.stringMatching(/^\d+$/),
        'x-ratelimit-remaining': expect.stringMatching(/^\d+$/),
        'x-ratelimit-reset': expect.stringMatching(/^\d{10}$/),
        'x-quota-resource': expect.any(String),
        'x-quota-remaining': expect.any(String),
      });
      expect(headers['x-powered-by']).toBeUndefined();
    },
  );

  test.each([['a b'], ['x'.repeat(129)], ['"quoted"']])('a request id such as %s is replaced', async (id) => {
    const { headers } = await request(app).get(FAILURE).set('x-request-id', id);
    expect(headers['x-request-id']).toMatch(/^[0-9a-f-]{36}$/);
  });
});

describe('faults', () => {
  const cases: [string, unknown, number, string][] = [
    ['an unknown error', new Error('secret detail'), 500, 'INTERNAL_ERROR'],
    ['a thrown string', 'secret detail', 500, 'INTERNAL_ERROR'],
    [
      'a value that the database refuses',
      Object.assign(new Error('secret detail'), { code: '22P05' }),
      400,
      'VALIDATION_ERROR',
    ],
    ['a lost race', { driverError: { code: '40001' } }, 503, 'SERVICE_UNAVAILABLE'],
    ['a lost connection', { code: '57P01' }, 503, 'SERVICE_UNAVAILABLE'],
    ['a transaction that stood still for too long', { code: '25P03' }, 503, 'SERVICE_UNAVAILABLE'],
    ['a server that takes no writes any more', { code: '25006' }, 503, 'SERVICE_UNAVAILABLE'],
    ['a server that another has taken over from', { code: '0A000' }, 503, 'SERVICE_UNAVAILABLE'],
    ['a host that is cut off', { code: 'EHOSTUNREACH' }, 503, 'SERVICE_UNAVAILABLE'],
    ['a refused connection', new AggregateError([{ code: 'ECONNREFUSED' }]), 503, 'SERVICE_UNAVAILABLE'],
    ['an empty pool', new Error('timeout exceeded when trying to connect'), 503, 'SERVICE_UNAVAILABLE'],
    ['a broken rule of the schema', { code: '23505', detail: 'secret detail' }, 500, 'INTERNAL_ERROR'],
  ];
  test.each(cases)('%s', async (_, error, status, code) => {
    const { app, logged } = testApp([failing(() => error)]);
    const reply = await request(app).get(FAILURE);
    expect(reply.status).toBe(status);
    expect(reply.body.error.code).toBe(code);
    expect(reply.text).not.toContain('secret detail');
    expect(logged).toEqual([
      {
        message: 'A request failed',
        fields: expect.objectContaining({ request_id: reply.headers['x-request-id'], error }),
      },
    ]);
    expect(reply.headers['retry-after']).toBe(status === 503 ? '5' : undefined);
  });

  test('after a fault before the rate is known, x-ratelimit-remaining is 0', async () => {
    const { app } = testApp([failing(() => undefined)], { admit: async () => Promise.reject({ code: '08006' }) });
    const reply = await request(app).get(FAILURE);
    expect(reply.status).toBe(503);
    expect(reply.headers['x-ratelimit-remaining']).toBe('0');
  });
});

describe('refusals', () => {
  test('have the envelope and retry-after', async () => {
    const reply = await get(() => new Problem('DAILY_QUOTA_EXCEEDED', 'Used up.', { retry_after_seconds: 61 }));
    expect(reply.status).toBe(429);
    expect(reply.body).toEqual({
      error: {
        code: 'DAILY_QUOTA_EXCEEDED',
        category: 'quota_exceeded',
        message: 'Used up.',
        suggestion: 'Wait for the reset at 00:00 UTC.',
        retry_after_seconds: 61,
        request_id: reply.headers['x-request-id'],
      },
    });
    expect(reply.headers).toMatchObject({ 'retry-after': '61', 'x-quota-resource': 'none' });
  });

  test('are sent and logged when the endpoint does not declare them', async () => {
    const { app, logged } = testApp([failing(() => new Problem('EMAIL_TAKEN', 'Taken.'))]);
    expect((await request(app).get(FAILURE)).status).toBe(400);
    expect(logged).toEqual([expect.objectContaining({ message: 'An undeclared refusal' })]);
  });
});

describe('who may call', () => {
  const { app } = testApp([writeNote]);
  const cases: [string, Record<string, string>, number, string][] = [
    ['no credential', {}, 401, 'UNAUTHORIZED'],
    ['an unknown key', { 'x-api-key': 'guess' }, 401, 'UNAUTHORIZED'],
    [
      'an empty key together with a valid session',
      { 'x-api-key': '', cookie: 'sid=owner-session' },
      401,
      'UNAUTHORIZED',
    ],
    ['a valid credential of another kind', { cookie: 'a=b; sid=owner-session' }, 403, 'FORBIDDEN'],
    ['a key that only reads', { 'x-api-key': 'reader-key' }, 403, 'FORBIDDEN'],
    ['a key without an agent', { 'x-api-key': 'unbound-key' }, 403, 'KEY_UNBOUND'],
  ];
  test.each(cases)('%s', async (_, headers, status, code) => {
    const reply = await request(app)
      .post(NOTE)
      .set({ ...headers, 'sec-fetch-site': 'same-origin' })
      .send('{');
    expect({ status: reply.status, code: reply.body.error.code }).toEqual({ status, code });
    expect(reply.headers['www-authenticate']).toBe(status === 401 ? 'Bearer realm="stancebook"' : undefined);
  });

  const guesses: [string, Record<string, string>, string][] = [
    ['a key', { 'x-api-key': 'guess' }, 'Send the whole key as it was shown'],
    [
      'a session that is not accepted here',
      { cookie: 'sid=over' },
      'Send the header X-API-Key, and no other credential. An owner creates a key for an agent: POST /api/v1/owner/',
    ],
  ];
  test.each(guesses)('401 for %s says what to send instead', async (_, headers, suggestion) => {
    const reply = await request(app).post(NOTE).set(headers).send(SOUND);
    expect(reply.body.error).toMatchObject({ code: 'UNAUTHORIZED', suggestion: expect.stringContaining(suggestion) });
  });

  test('401 for a session that is over suggests to log in again', async () => {
    const { app: own } = testApp([failing(() => undefined, ['legacy_session'])]);
    const reply = await request(own).get(FAILURE).set('cookie', 'sid=over');
    expect(reply.body.error).toMatchObject({
      code: 'UNAUTHORIZED',
      suggestion: expect.stringContaining('Log in again'),
    });
  });

  test('the first credential present is judged alone', async () => {
    const reply = await request(app)
      .post(NOTE)
      .set({ 'x-api-key': 'agent-key', authorization: 'Bearer nonsense', cookie: 'sid=nonsense' })
      .send(SOUND);
    expect(reply.status).toBe(201);
  });

  test('an endpoint without credentials ignores them all', async () => {
    const reply = await request(testApp([failing(() => undefined)]).app)
      .get(FAILURE)
      .set('x-api-key', 'guess');
    expect(reply.status).toBe(200);
  });

  test('an optional credential is checked when it is sent', async () => {
    const { app: optional } = testApp([failing(() => undefined, 'optional')]);
    expect((await request(optional).get(FAILURE)).status).toBe(200);
    expect((await request(optional).get(FAILURE).set('x-api-key', 'guess')).status).toBe(401);
  });
});

describe('the admin area', () => {
  const { app } = testApp([failing(() => undefined, 'admin')]);
  const strangers: Record<string, string>[] = [
    {},
    { 'x-api-key': 'guess' },
    { 'x-api-key': 'agent-key' },
    { cookie: 'sid=owner-session' },
    { 'x-api-key': 'guess', authorization: 'Bearer admin-token' },
  ];
  test.each(strangers)('is closed to %j', async (headers) => {
    const reply = await request(app).get(FAILURE).set(headers);
    expect({ status: reply.status, code: reply.body.error.code }).toEqual({ status: 403, code: 'ADMIN_REQUIRED' });
  });

  test.each(['/api/v1/admin', '/api/v1/admin/nothing'])('is closed at %s too, which is not served', async (path) => {
    for (const headers of strangers) {
      const { status, body } = await request(app).get(path).set(headers);
      expect([status, body.error.code]).toEqual([403, 'ADMIN_REQUIRED']);
    }
    expect((await request(app).get(path).set('authorization', 'bearer admin-token')).status).toBe(404);
  });

  test('refuses strangers before it names the methods of a path; a preflight needs no credential', async () => {
    const path = '/api/v1/admin/fails';
    const { app: served } = testApp([{ ...failing(() => undefined, 'admin'), path }]);
    expect((await request(served).put(path)).status).toBe(403);
    expect((await request(served).put(path).set('authorization', 'bearer admin-token')).status).toBe(405);
    expect((await request(served).options(path)).status).toBe(204);
  });

  test('is open to an owner of that role', async () => {
    expect((await request(app).get(FAILURE).set('authorization', 'bearer admin-token')).status).toBe(200);
  });
});

describe('a change by session', () => {
  const { app } = testApp([{ ...writeNote, auth: ['legacy_session'], permission: 'query' }]);
  const cases: [string, Record<string, string>, number][] = [
    ['from nowhere', {}, 403],
    ['from another site', { 'sec-fetch-site': 'cross-site', origin: 'http://here' }, 403],
    ['from a sibling', { 'sec-fetch-site': 'same-site' }, 403],
    ['from another origin', { origin: 'http://elsewhere' }, 403],
    ['from our pages', { 'sec-fetch-site': 'same-origin' }, 201],
    ['from our origin', { origin: 'http://here' }, 201],
    ['from our host by another name', { origin: 'http://here.evil.example' }, 403],
    ['from a page without an origin', { origin: 'null' }, 403],
    ['from our pages, if the origin alone says so', { origin: 'http://here', 'sec-fetch-site': 'cross-site' }, 403],
  ];
  test.each(cases)('%s', async (_, headers, status) => {
    const reply = await request(app)
      .post(NOTE)
      .set({ host: 'here', cookie: 'sid=owner-session', ...headers })
      .send(SOUND);
    expect(reply.status).toBe(status);
    expect(reply.body.error?.code).toBe(status === 403 ? 'CROSS_ORIGIN_SESSION' : undefined);
  });

  test.each([
    ['https://public.example', 201],
    ['https://here', 403],
    ['http://here', 403],
    ['http://public.example', 403],
  ])('where the service is on https: from %s', async (origin, status) => {
    const settings = { publicUrl: 'https://public.example', allowedHosts: ['here'] };
    const { app: onHttps } = testApp([{ ...writeNote, auth: ['legacy_session'], permission: 'query' }], { settings });
    const headers = { host: 'here', cookie: '__Host-sid=owner-session', origin };
    expect((await request(onHttps).post(NOTE).set(headers).send(SOUND)).status).toBe(status);
    const claim = { ...headers, 'sec-fetch-site': 'same-origin' };
    expect((await request(onHttps).post(NOTE).set(claim).send(SOUND)).status).toBe(status);
  });
});

describe('admission', () => {
  const rate = { limit: 60, remaining: 12, reset: new Date('2027-01-15T08:00:00.000Z') };
  const tooMany = new Problem('RATE_LIMIT_EXCEEDED', 'Too many.', { retry_after_seconds: 3 });

  test('runs before the shape is checked, and the reply contains its rate figures', async () => {
    const admit = jest.fn<Admit>(async (incoming) => admitByName(incoming, { rate }));
    const { app } = testApp([writeNote], { admit });
    const reply = await request(app).post(NOTE).set('x-api-key', 'agent-key').send({});
    expect(reply.status).toBe(400);
    expect(reply.headers).toMatchObject({ 'x-ratelimit-remaining': '12', 'x-ratelimit-reset': '1800000000' });
    const credential = { kind: 'api_key', secret: 'agent-key' };
    expect(admit.mock.calls).toEqual([
      [
        {
          credential,
          from: '127.0.0.1',
          network: '127.0.0.1',
          spend: null,
          source: expect.any(Function),
          window: 'common',
        },
      ],
    ]);
  });

  test.each([
    ['post', NOTE],
    ['post', '/api/v1/nowhere'],
    ['delete', NOTE],
    ['get', '/api/v1/agent/notes/%ff'],
  ] as const)('refuses %s %s for the rate before anything else is answered', async (method, path) => {
    const { app } = testApp([writeNote], {
      admit: async (incoming) => admitByName(incoming, { rate, refusal: tooMany }),
    });
    const reply = await request(app)[method](path).set('x-api-key', 'guess');
    expect({ status: reply.status, after: reply.headers['retry-after'] }).toEqual({ status: 429, after: '3' });
    expect(reply.headers['x-ratelimit-remaining']).toBe('12');
  });

  test('does not count probes and pages', async () => {
    const admit = jest.fn<Admit>(async (incoming) => admitByName(incoming));
    const { app } = testApp([], { admit });
    await request(app).get('/healthz');
    await request(app).get('/nowhere');
    expect(admit).not.toHaveBeenCalled();
  });
});

describe('requests without an endpoint', () => {
  const { app } = testApp([writeNote, failing(() => undefined)]);

  test('a wrong path is 404 and names the nearest', async () => {
    const reply = await request(app).get('/api/v1/public/failur');
    expect(reply.body.error).toMatchObject({ code: 'NOT_FOUND', suggestion: `Did you mean ${FAILURE}?` });
  });

  test.each([['/API/v1/public/failure'], [`${FAILURE}/`], ['/Healthz']])('%s is another path', async (path) => {
    expect((await request(app).get(path)).status).toBe(404);
  });

  test('a wrong method is 405 with Allow', async () => {
    const reply = await request(app).delete(FAILURE);
    expect(reply.status).toBe(405);
    expect(reply.headers.allow).toBe('GET, HEAD, OPTIONS');
    expect(reply.body.error.code).toBe('METHOD_NOT_ALLOWED');
  });

  test('OPTIONS returns the methods and HEAD answers without a body', async () => {
    const options = await request(app).options(NOTE);
    expect({ status: options.status, allow: options.headers.allow }).toEqual({ status: 204, allow: 'OPTIONS, POST' });
    const head = await request(app).head(FAILURE);
    expect({ status: head.status, length: head.headers['content-length'] }).toEqual({ status: 200, length: '11' });
  });

  test.each([
    ['/api/v1/%00', 404],
    ['/api/v1/agent/notes/%00', 400],
    ['/api/v1/agent/notes/%ff', 400],
    ['/%zz', 400],
  ])('%s is answered %d with the envelope', async (path, status) => {
    const reply = await request(app).post(path).set('x-api-key', 'agent-key').send(SOUND);
    expect(reply.status).toBe(status);
    expect(reply.body.error.request_id).toBe(reply.headers['x-request-id']);
  });
});

test('a service that is not ready answers 503 and names the part', async () => {
  const { app } = testApp([], { readiness: async () => ({ database: false, jobs: true }) });
  const reply = await request(app).get('/readyz');
  expect(reply.status).toBe(503);
  expect(reply.headers['retry-after']).toBe('5');
  expect(reply.body.error.details).toEqual([{ path: 'database', message: 'is not ready' }]);
});
