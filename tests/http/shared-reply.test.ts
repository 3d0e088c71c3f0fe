import { describe, expect, test } from '@jest/globals';
import request from 'supertest';
import { z } from 'zod';
import { type Auth, type Endpoint, endpoint, type Method } from '../../adapters/http/kit/endpoint.ts';
import { openApiDocument } from '../../adapters/http/openapi/openapi-document.ts';
import { Problem } from '../../domain/problem.ts';
import { MINUTE } from '../../domain/time.ts';
import { testApp } from './app.ts';

const PATH = '/api/v1/public/notes';
let said = 'one';

function shared(changes: { readonly auth?: Auth; readonly method?: Method } = {}): Endpoint {
  return endpoint({
    id: 'readNotes',
    method: 'GET',
    path: PATH,
    summary: 'Read',
    description: 'Reads.',
    tag: 'Notes',
    auth: 'none',
    sharedFor: MINUTE,
    replies: { 200: { description: 'Said', schema: z.strictObject({ said: z.string() }), example: { said: 'one' } } },
    problems: ['NOT_FOUND'],
    handle() {
      if (said === '') throw new Problem('NOT_FOUND', 'Nothing is said.');
      return { status: 200, body: { said } };
    },
    ...changes,
  });
}

const { app } = testApp([shared()]);
const get = (tags?: string) =>
  request(app)
    .get(PATH)
    .set(tags === undefined ? {} : { 'if-none-match': tags });

describe('a reply that caches may keep', () => {
  test('has a max-age, and a tag that stays while the content is the same', async () => {
    said = 'one';
    const [first, again] = [await get(), await get()];
    expect(first.headers['cache-control']).toBe('public, max-age=60, must-revalidate');
    expect(first.headers.etag).toMatch(/^"[\w-]{22}"$/);
    expect(again.headers.etag).toBe(first.headers.etag);
    said = 'two';
    expect((await get()).headers.etag).not.toBe(first.headers.etag);
  });

  test.each([
    ['the tag', (tag: string) => tag],
    ['the tag among others', (tag: string) => `"other", ${tag}`],
    ['the tag as a proxy that compresses has it', (tag: string) => `W/${tag}`],
    ['any', () => '*'],
  ])('304 without a body for a caller who names %s, with all headers but those of a body', async (_, name) => {
    said = 'one';
    const { headers } = await get();
    const reply = await get(name(headers.etag ?? ''));
    expect([reply.status, reply.text]).toEqual([304, '']);
    const names = Object.keys(headers).filter((each) => !each.startsWith('content-') || each.endsWith('policy'));
    expect(Object.keys(reply.headers)).toEqual(expect.arrayContaining(names));
    expect(reply.headers['x-ratelimit-limit']).toBe('60');
    expect(reply.headers['cache-control']).toBe(headers['cache-control']);
    expect(reply.headers['content-type']).toBeUndefined();
  });

  test.each(['"other"', '', 'two, three'])('the whole reply for a caller who names %j', async (tags) => {
    said = 'two';
    expect((await get(tags)).body).toEqual({ said: 'two' });
  });

  test('a refusal cannot be cached, whatever tag the request names', async () => {
    said = '';
    const { status, headers } = await get('*');
    expect([status, headers['cache-control'], headers.etag]).toEqual([404, 'no-store', undefined]);
  });

  test('the reference shows both answers', () => {
    const document = JSON.parse(JSON.stringify(openApiDocument([shared()], '0.4.0')));
    const { 200: found, 304: unchanged } = document.paths[PATH].get.responses;
    for (const { headers } of [found, unchanged]) {
      expect(Object.keys(headers)).toEqual(expect.arrayContaining(['etag', 'cache-control', 'x-ratelimit-limit']));
    }
    expect(unchanged.content).toBeUndefined();
  });
});

test.each([{ auth: ['api_key'] as const }, { auth: 'optional' as const }, { method: 'POST' as const }])(
  'a reply that depends on the caller or changes data cannot be declared cacheable: %j',
  (changes) => {
    expect(() => shared(changes)).toThrow(/only replies that are the same for every caller/);
  },
);
