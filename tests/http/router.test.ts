import { describe, expect, jest, test } from '@jest/globals';
import request from 'supertest';
import { z } from 'zod';
import { endpoint } from '../../adapters/http/kit/endpoint.ts';
import type { Admit } from '../../adapters/http/kit/exchange.ts';
import { admitByName, testApp } from './app.ts';
import { failing, writeNote } from './example.ts';

const FAILURE = '/api/v1/public/failure';

function named(id: string, path: string) {
  return endpoint({
    id,
    method: 'GET',
    path,
    summary: id,
    description: '',
    tag: 'Names',
    auth: 'none',
    params: path.includes('{') ? z.strictObject({ id: z.string() }) : z.strictObject({}),
    replies: { 200: { description: 'The name', schema: z.strictObject({ id: z.string() }), example: { id } } },
    problems: [],
    handle: () => ({ status: 200, body: { id } }),
  });
}

test('a literal segment wins over a parameter, in whatever order they are declared', async () => {
  const { app } = testApp([named('one', '/api/v1/agent/things/{id}'), named('latest', '/api/v1/agent/things/latest')]);
  expect((await request(app).get('/api/v1/agent/things/latest')).body).toEqual({ id: 'latest' });
  expect((await request(app).get('/api/v1/agent/things/x%2Fy')).body).toEqual({ id: 'one' });
});

test('an endpoint whose path and params disagree cannot be defined', () => {
  expect(() =>
    endpoint({ ...FIELDS, params: z.strictObject({ key: z.string() }), handle: () => ({ status: 204 }) }),
  ).toThrow('the path names id and params names key');
});

test("the client address is that of the trusted proxy's header, or else that of the peer", async () => {
  const seenWith = async (settings: object) => {
    const admit = jest.fn<Admit>(async (request) => admitByName(request));
    const { app } = testApp([failing(() => undefined)], { admit, settings });
    await request(app).get(FAILURE).set('x-forwarded-for', '203.0.113.9');
    return admit.mock.calls[0]?.[0].network;
  };
  expect(await seenWith({ trustProxy: 1 })).toBe('203.0.113.9');
  expect(await seenWith({})).toBe('127.0.0.1');
});

test('on https the session is read from the cookie with the host prefix only', async () => {
  const { app } = testApp([{ ...failing(() => undefined), auth: ['legacy_session'] }], {
    settings: { publicUrl: 'https://evidence.example', allowedHosts: ['127.0.0.1'] },
  });
  expect((await request(app).get(FAILURE).set('cookie', 'sid=owner-session')).status).toBe(401);
  expect((await request(app).get(FAILURE).set('cookie', '__Host-sid=owner-session')).status).toBe(200);
  expect(await documentedCookie(app)).toBe('__Host-sid');
  expect(await documentedCookie(testApp([failing(() => undefined)]).app)).toBe('sid');
});

async function documentedCookie(app: ReturnType<typeof testApp>['app']): Promise<string> {
  return (await request(app).get('/openapi.json')).body.components.securitySchemes.legacy_session.name;
}

test('the observer is called once for every request, served or not', async () => {
  const served: string[] = [];
  const { app } = testApp([failing(() => undefined)], {
    observe: ({ method, status }) => {
      served.push(`${method} ${status}`);
    },
  });
  await request(app).get(FAILURE);
  await request(app).head('/nowhere');
  expect(served).toEqual(['GET 200', 'HEAD 404']);
});

describe('pages of other origins', () => {
  const { app } = testApp([writeNote, failing(() => undefined)], {
    settings: { corsOrigins: ['https://desk.example'] },
  });

  test('may read replies when they are listed, errors included, without cookies', async () => {
    for (const path of [FAILURE, '/nowhere']) {
      const { headers } = await request(app).get(path).set('origin', 'https://desk.example');
      expect(headers).toMatchObject({ vary: 'Origin', 'access-control-allow-origin': 'https://desk.example' });
      expect(headers['access-control-expose-headers']).toContain('x-ratelimit-remaining');
      expect(headers['access-control-allow-credentials']).toBeUndefined();
      expect(headers['x-request-id']).toBeDefined();
    }
  });

  test('learn from a preflight what they may send', async () => {
    const { status, headers } = await request(app)
      .options('/api/v1/agent/notes/n1')
      .set({ origin: 'https://desk.example', 'access-control-request-method': 'POST' });
    expect(status).toBe(204);
    expect(headers['access-control-allow-headers']).toContain('X-API-Key');
  });

  test.each([['https://desk.example.evil.example'], ['null'], ['http://desk.example']])(
    '%s may not',
    async (origin) => {
      const { headers } = await request(app).get(FAILURE).set('origin', origin);
      expect(headers['access-control-allow-origin']).toBeUndefined();
    },
  );
});

const FIELDS = {
  id: 'odd',
  method: 'GET',
  path: '/api/v1/odd/{id}',
  summary: '',
  description: '',
  tag: 'Odd',
  auth: 'none',
  replies: { 204: { description: 'Nothing' } },
  problems: [],
} as const;
