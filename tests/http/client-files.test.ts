import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import request from 'supertest';
import { bundleOf } from '../../clients/typescript/bundle.ts';
import { testApp } from './app.ts';
import { failing } from './example.ts';

const CLIENTS = join(import.meta.dirname, '../../clients');

test.each([
  ['/clients/verify.mjs', 'text/javascript; charset=utf-8', bundleOf(join(CLIENTS, 'typescript/verify.ts'))],
  [
    '/clients/stancebook.py',
    'text/x-python; charset=utf-8',
    readFileSync(join(CLIENTS, 'python/stancebook.py'), 'utf8'),
  ],
])('%s is the program as one file, and 304 for the current ETag', async (path, type, file) => {
  const { app } = testApp([failing(() => undefined)]);
  const reply = await request(app).get(path);
  expect([reply.status, reply.headers['content-type'], reply.text]).toEqual([200, type, file]);
  const again = await request(app).get(path).set('if-none-match', String(reply.headers.etag));
  expect(again.status).toBe(304);
});
