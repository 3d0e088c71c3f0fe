import { describe, expect, test } from '@jest/globals';
import request from 'supertest';
import { z } from 'zod';
import { endpoint } from '../../adapters/http/kit/endpoint.ts';
import { testApp } from './app.ts';
import { writeNote } from './example.ts';

const { app, logged } = testApp([writeNote]);
const SOUND = { text: 'Hello', at: '2026-01-30T14:30:00+02:00' };

function write(body: string | object = SOUND, path = '/api/v1/agent/notes/n1') {
  return request(app).post(path).set('x-api-key', 'agent-key').set('content-type', 'application/json').send(body);
}

describe('a valid request', () => {
  test('reaches the handler with typed parts, and the reply is sent as declared', async () => {
    const reply = await write(SOUND, '/api/v1/agent/notes/n1?copies=3&dry=false').set('Idempotency-Key', 'k');
    expect(reply.status).toBe(201);
    expect(reply.headers.location).toBe('/api/v1/agent/notes/n1');
    expect(reply.body).toEqual({
      id: 'n1',
      text: `Hello plain 3 k agt_000000000001 ${JSON.stringify(SOUND).length}`,
      at: '2026-01-30T12:30:00.000Z',
    });
  });

  test('a reply without content has neither type nor length', async () => {
    const reply = await write(SOUND, '/api/v1/agent/notes/n1?dry=true');
    expect(reply.status).toBe(204);
    expect(reply.headers['content-type']).toBeUndefined();
  });

  test('a byte order mark and a charset are accepted', async () => {
    const reply = await write(`\ufeff${JSON.stringify(SOUND)}`).set(
      'content-type',
      'Application/JSON; charset="UTF-8"',
    );
    expect(reply.status).toBe(201);
  });

  test.each([
    ' ; charset = utf-8',
    '; charset=utf8',
    '; charset=Utf8',
    '; charset="utf8"',
    '; profile="https://a.example/b"',
    '; version=1; charset=utf-8; q=1',
    ';',
    '; charset',
  ])('the content type application/json%s is accepted', async (parameters) => {
    const reply = await write(SOUND).set('content-type', `application/json${parameters}`);
    expect(reply.status).toBe(201);
  });
});

describe('a reply against its schema', () => {
  test('a mismatch is 500 and logged with the request id, and nothing of the reply is sent', async () => {
    const reply = await write({ ...SOUND, text: 'leak' }).set('x-request-id', 'leak-1');
    expect(reply.status).toBe(500);
    expect(reply.text).not.toContain('owner-1');
    expect(reply.body.error).toMatchObject({ code: 'INTERNAL_ERROR', request_id: 'leak-1' });
    expect(logged).toContainEqual(
      expect.objectContaining({ fields: expect.objectContaining({ request_id: 'leak-1', endpoint: 'writeNote' }) }),
    );
  });

  test('cannot be declared loosely', () => {
    const inner = z.strictObject({ list: z.array(z.object({ a: z.string() })) });
    const define = () =>
      endpoint({
        id: 'loose',
        method: 'GET',
        path: '/api/v1/loose',
        summary: '',
        description: '',
        tag: '',
        auth: 'none',
        problems: [],
        replies: { 200: { description: '', schema: inner } },
        handle: () => ({ status: 200, body: { list: [] } }),
      });
    expect(define).toThrow(/reply 200.list contains an object that is not strict/);
  });
});

describe('refusals of the shape: 400', () => {
  const cases: [string, string | object, RegExp][] = [
    ['an unknown member, naming the nearest', { ...SOUND, txet: 1 }, /^txet is not known here; did you mean text\?$/],
    ['a member without a name', { ...SOUND, '': 1 }, /^"" is not known here; /],
    ['a missing member', { text: 'Hello' }, /^at is required: send a string/],
    ['another JSON type', { ...SOUND, text: 5 }, /^text must be a string, not a number/],
    ['another JSON type for a choice', { ...SOUND, kind: 5 }, /^kind must be one of plain, urgent/],
    ['another JSON type in a union', { ...SOUND, factors: [7] }, /^factors.0 must be a string or an object/],
    [
      'a fault inside an alternative',
      { ...SOUND, factors: [{ factor: 7 }] },
      /^factors.0.factor must be a string, not a number/,
    ],
    ['no object', '[]', /^The body must be an object, not a list/],
    ['null', 'null', /^The body must be an object, not null/],
  ];
  test.each(cases)('%s', async (_, body, message) => {
    const { status, body: answer } = await write(body);
    expect({ status, code: answer.error.code }).toEqual({ status: 400, code: 'VALIDATION_ERROR' });
    expect(answer.error.message).toMatch(message);
  });

  test('a reply reports every fault of every part at once, shape before value', async () => {
    const reply = await write({ text: '', kind: 'loud', at: 5 }, '/api/v1/agent/notes/x?copies=99&dry=1&what=');
    expect(reply.status).toBe(400);
    const { details } = reply.body.error;
    expect(details.map(({ path }: { path: string }) => path).toSorted()).toEqual([
      'at',
      'copies',
      'dry',
      'kind',
      'note_id',
      'text',
      'what',
    ]);
    expect(details).toContainEqual({ path: 'copies', message: 'must be at most 10', received: '99' });
  });
});

describe('refusals of values: the status that the endpoint declares', () => {
  const cases: [string, object, string][] = [
    ['too long', { ...SOUND, text: 'x'.repeat(21) }, 'must have at most 20 characters'],
    ['no such choice', { ...SOUND, kind: 'loud' }, 'must be one of plain, urgent'],
    [
      'no timestamp',
      { ...SOUND, at: 'today' },
      'must be an RFC 3339 timestamp with an offset, such as 2026-01-30T14:30:00Z',
    ],
    ['a year beyond all records', { ...SOUND, at: '2101-01-01T00:00:00Z' }, 'must lie in the years 1970 to 2100'],
    ['a fraction', { ...SOUND, weight: 1.5 }, 'must be a whole number'],
    ['beyond 32 bits', { ...SOUND, weight: 2 ** 31 }, 'must be at most 2147483647'],
  ];
  test.each(cases)('%s', async (_, body, message) => {
    const { status, body: answer } = await write(body);
    expect(status).toBe(422);
    expect(answer.error.details).toEqual([expect.objectContaining({ message })]);
  });

  test('a path parameter of the wrong form is 400', async () => {
    const reply = await write(SOUND, '/api/v1/agent/notes/x');
    expect(reply.status).toBe(400);
    expect(reply.body.error.details).toEqual([{ path: 'note_id', message: 'must be n and digits', received: 'x' }]);
  });
});

describe('query text', () => {
  const cases: [string, RegExp][] = [
    ['copies=1&copies=2', /only once/],
    ['copies=0x1', /whole number in digits/],
    ['copies=', /whole number in digits/],
    ['copies=1e1', /whole number in digits/],
    ['dry=TRUE', /true or false/],
    ['dry=%ff', /percent-encoded/],
    ['dry=%00', /U\+0000/],
    ['%zz=1', /percent-encoded/],
    ['__proto__=1', /not known/],
  ];
  test.each(cases)('%s is refused', async (query, message) => {
    const reply = await write(SOUND, `/api/v1/agent/notes/n1?${query}`);
    expect(reply.status).toBe(400);
    expect(reply.body.error.details[0].message).toMatch(message);
  });
});
