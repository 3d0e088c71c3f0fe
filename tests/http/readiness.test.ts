import { expect, test } from '@jest/globals';
import request from 'supertest';
import { testApp } from './app.ts';

test.each([
  [{ database: true, market_data: true }, 'ready'],
  [{ database: true, market_data: 'degraded' }, 'degraded'],
] as const)('a service whose parts are %j answers 200 with the status %s', async (checks, status) => {
  const { app } = testApp([], { readiness: async () => checks });
  const reply = await request(app).get('/readyz');
  expect([reply.status, reply.body]).toEqual([200, { status, checks }]);
});

test('503 names the parts that are down, not the degraded ones', async () => {
  const { app } = testApp([], { readiness: async () => ({ database: false, market_data: 'degraded' }) });
  const reply = await request(app).get('/readyz');
  expect([reply.status, reply.body.error.details]).toEqual([503, [{ path: 'database', message: 'is not ready' }]]);
});
