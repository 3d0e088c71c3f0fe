import { afterEach, expect, test } from '@jest/globals';
import type { Config } from '../../../infrastructure/config/config.ts';
import { type MetricsServer, startMetricsServer } from '../../../infrastructure/metrics/metrics-server.ts';

const FIGURES = { text: async () => 'figures', contentType: 'text/plain; version=0.0.4' };
const SERVER = { host: '127.0.0.1', metricsPort: 0, metricsToken: null } as Config['server'];

let server: MetricsServer | null = null;
afterEach(() => server?.stop());

const get = async (path: string, init: RequestInit = {}) => {
  const reply = await fetch(`${server?.url}${path}`, init);
  return [reply.status, await reply.text()] as const;
};

test('figures and health on a port of their own, and nothing else', async () => {
  server = await startMetricsServer(SERVER, FIGURES, async () => ({ service: true }));
  expect(await get('/metrics')).toEqual([200, 'figures']);
  expect(await get('/healthz')).toEqual([200, '{"status":"alive"}']);
  expect((await get('/readyz'))[0]).toBe(200);
  for (const path of ['/', '/openapi.json', '/docs', '/api/v1/agent/decisions', '/metrics/'])
    expect([path, (await get(path))[0]]).toEqual([path, 404]);
  expect((await get('/metrics', { method: 'POST' }))[0]).toBe(405);
});

test('the rules of /metrics hold there too', async () => {
  server = await startMetricsServer(SERVER, FIGURES, async () => ({ service: true }));
  expect((await get('/metrics', { headers: { via: '1.1 proxy' } }))[0]).toBe(404);
});

test('503 while the process is not ready, 500 without a reason where figures cannot be made', async () => {
  const failing = {
    ...FIGURES,
    text: async () => {
      throw new Error('a secret');
    },
  };
  server = await startMetricsServer(SERVER, failing, async () => ({ service: false }));
  expect((await get('/readyz'))[0]).toBe(503);
  const [status, body] = await get('/metrics');
  expect([status, body.includes('secret')]).toEqual([500, false]);
});

test('no port unless one is set', async () => {
  expect(await startMetricsServer({ ...SERVER, metricsPort: null }, FIGURES, async () => ({}))).toBeNull();
});
