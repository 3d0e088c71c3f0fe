import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import request from 'supertest';
import { openMemory } from '../../../adapters/memory/storage.ts';
import { HOUR } from '../../../domain/time.ts';
import { createMetrics } from '../../../infrastructure/metrics/metrics.ts';
import { metricsPage } from '../../../infrastructure/metrics/metrics-server.ts';
import { aSubmission } from '../../builders/decisions.ts';
import { anAgentAt } from '../../harness/callers.ts';
import { openService, STORAGES, type TestService } from '../../harness/service.ts';

const AT = new Date('2017-06-05T12:20:00.000Z');
const TOKEN = 'a-metrics-token-of-enough-length-0123456789';

describe.each(STORAGES)('/metrics, on %s', (storage) => {
  let service: TestService;
  beforeAll(async () => {
    service = await openService(storage, { at: AT, env: { METRICS_TOKEN: TOKEN } });
  });
  afterAll(() => service.close());

  const scrape = async () => {
    const { status, text, headers } = await request(service.app).get('/metrics');
    expect([status, headers['content-type']]).toEqual([200, expect.stringMatching(/^text\/plain; version=0\.0\.4/)]);
    return (name: string) =>
      Number(
        text
          .split('\n')
          .find((line) => line.startsWith(`${name} `))
          ?.split(' ')[1],
      );
  };

  test('requests by route pattern and status, submissions by verdict', async () => {
    const agent = await anAgentAt(service);
    const before = await scrape();
    const { body } = await agent.submit(aSubmission(AT));
    await agent.submit(aSubmission(AT));
    await agent.read(body.record_id);
    await agent.read('dec_20170605_00000000');
    await agent.get('/no/such/path');
    const now = await scrape();
    const grown = (name: string) => now(name) - (before(name) || 0);
    const requests = (method: string, route: string, status: number) =>
      grown(`stancebook_http_requests_total{method="${method}",route="${route}",status="${status}"}`);
    const one = '/api/v1/agent/decisions/{record_id}';
    const seconds = (name: string, labels: string) => grown(`stancebook_${name}_duration_seconds_count{${labels}}`);
    expect(requests('POST', '/api/v1/agent/decisions', 201)).toBe(1);
    expect(requests('POST', '/api/v1/agent/decisions', 429)).toBe(1);
    expect([requests('GET', one, 200), requests('GET', one, 404)]).toEqual([1, 1]);
    expect(requests('GET', 'unmatched', 404)).toBe(1);
    const answered = (status: string) =>
      seconds('http_request', `method="GET",route="${one}",status_class="${status}"`);
    expect([answered('2xx'), answered('4xx')]).toEqual([1, 1]);
    const refused = (method: string, route: string, code: string) =>
      grown(`stancebook_refusals_total{method="${method}",route="${route}",code="${code}"}`);
    expect(refused('POST', '/api/v1/agent/decisions', 'DUPLICATE_SUBMISSION')).toBe(1);
    expect(refused('GET', one, 'NOT_FOUND')).toBe(1);
    expect([seconds('submission', 'verdict="accepted"'), seconds('submission', 'verdict="cooldown"')]).toEqual([1, 1]);
    expect(grown('stancebook_submissions_total{verdict="accepted"}')).toBe(1);
    expect(grown('stancebook_submissions_total{verdict="cooldown"}')).toBe(1);
    expect(now('process_cpu_seconds_total')).toBeGreaterThan(0);
  });

  test('what is due, and for how long', async () => {
    const agent = await anAgentAt(service);
    await agent.submit(aSubmission(AT, { direction: 'neutral' }));
    await service.settle();
    expect((await scrape())('stancebook_evaluations_due')).toBe(0);
    await service.arrange.advance(2 * HOUR);
    const overdue = await scrape();
    expect(overdue('stancebook_evaluations_due')).toBeGreaterThan(0);
    expect(overdue('stancebook_evaluation_lag_seconds')).toBe((HOUR - 180_000) / 1_000);
    await service.settle();
    expect((await scrape())('stancebook_evaluation_lag_seconds')).toBe(0);
  });

  test('how old the atlas is', async () => {
    await service.settle();
    await service.arrange.advance(10_000);
    expect((await scrape())('stancebook_atlas_age_seconds')).toBe(10);
  });

  test.each([
    { 'X-Forwarded-For': '127.0.0.1' },
    { Forwarded: 'for=127.0.0.1' },
    { 'X-Forwarded-For': '127.0.0.1', Authorization: `Bearer ${TOKEN}x` },
    { 'X-Forwarded-For': '127.0.0.1', Authorization: TOKEN },
  ])('404 for what a proxy passes on without the token: %j', async (headers) => {
    const { status, body } = await request(service.app).get('/metrics').set(headers);
    expect([status, body.error.code]).toEqual([404, 'NOT_FOUND']);
  });

  test('200 with the token, from wherever', async () => {
    const headers = { 'X-Forwarded-For': '203.0.113.9', Authorization: `Bearer ${TOKEN}` };
    expect((await request(service.app).get('/metrics').set(headers)).status).toBe(200);
  });
});

test.each([
  ['127.0.0.1', 'localhost:3000', true],
  ['127.8.8.8', '127.8.8.8', true],
  ['::1', '[::1]:3000', true],
  ['::ffff:127.0.0.1', 'LOCALHOST', true],
  ['10.0.0.1', 'localhost', false],
  ['::ffff:10.0.0.1', 'localhost', false],
  ['1270.0.0.1', 'localhost', false],
  ['2001:db8::1', 'localhost', false],
  [undefined, 'localhost', false],
  ['127.0.0.1', 'rebound.example', false],
  ['127.0.0.1', '127.0.0.1.rebound.example:3000', false],
  ['127.0.0.1', 'localhost.rebound.example', false],
  ['127.0.0.1', undefined, false],
])('a caller at %s may scrape %s without a token: %s', async (remoteAddress, host, may) => {
  const page = metricsPage({ text: async () => 'text', contentType: 'text/plain' }, null);
  const reply = page.render({ socket: { remoteAddress }, headers: { host } } as never);
  if (may) expect((await reply).body).toBe('text');
  else await expect(reply).rejects.toMatchObject({ code: 'NOT_FOUND' });
});

test('a database that is out of reach leaves the other figures', async () => {
  const lost = async () => {
    throw new Error('gone');
  };
  const circuits = { all: lost } as never;
  const ports = {
    clock: { now: lost, lastSeen: lost },
    evaluations: {} as never,
    cohortCells: {} as never,
    atlas: {} as never,
    log: {} as never,
    signatures: {} as never,
    expiry: { passes: lost },
    deliveries: { backlog: lost } as never,
    mails: { backlog: lost } as never,
    erasures: { overview: lost } as never,
    datasets: { find: lost } as never,
    circuits,
  };
  const text = await createMetrics(ports).text();
  expect(text).toMatch(/^stancebook_evaluations_due nan$/im);
  expect(text).toMatch(/^stancebook_cohort_tail_age_seconds nan$/im);
  expect(text).toMatch(/^stancebook_webhook_delivery_lag_seconds nan$/im);
  expect(text).toMatch(/^stancebook_mail_lag_seconds nan$/im);
  expect(text).not.toContain('stancebook_circuit_state{');
  expect(text).toContain('process_cpu_seconds_total');
});

test('how each market data source is doing', async () => {
  const never = { last_error: null, last_error_at: null, last_success_at: null };
  const health = [
    { source: 'binance', state: 'paused', failures: 5, ...never },
    { source: 'okx', state: 'never asked', failures: 0, ...never },
  ] as const;
  const text = await createMetrics(openMemory(), { sources: () => health }).text();
  expect(text).toContain('stancebook_market_source_failures{source="binance",state="paused"} 5');
  expect(text).toContain('stancebook_market_source_failures{source="okx",state="never asked"} 0');
});

test('stored replies by result, and their bytes', async () => {
  const counts = () => ({ found: 5, missed: 2, stored: 1, not_stored: 1 });
  const text = await createMetrics(openMemory(), { replyUse: { counts, bytes: async () => 4096 } }).text();
  expect(text).toContain('stancebook_stored_replies_total{result="found"} 5');
  expect(text).toContain('stancebook_stored_replies_total{result="not_stored"} 1');
  expect(text).toContain('stancebook_stored_reply_bytes 4096');
  expect(await createMetrics(openMemory()).text()).not.toContain('stancebook_stored_repl');
});

test('reads by who answered and why, and how far the replica is behind, where there is one', async () => {
  const reads = () => [
    { answered_by: 'replica', reason: 'up_to_date', count: 5 } as const,
    { answered_by: 'primary', reason: 'behind', count: 2 } as const,
  ];
  const text = (lag: number | null) => createMetrics(openMemory(), { replica: { reads, lag: async () => lag } }).text();
  const page = await text(4_096);
  expect(page).toContain('stancebook_replica_reads_total{answered_by="replica",reason="up_to_date"} 5');
  expect(page).toContain('stancebook_replica_reads_total{answered_by="primary",reason="behind"} 2');
  expect(page).toContain('stancebook_replica_lag_bytes 4096');
  expect(await text(null)).toContain('stancebook_replica_lag_bytes Nan');
  expect(await createMetrics(openMemory()).text()).not.toContain('stancebook_replica');
});

test('connections of the pool, in use, idle and waited for', async () => {
  const pool = () => ({ in_use: 3, idle: 1, waiting: 7 });
  const text = await createMetrics(openMemory(), { pool }).text();
  expect(text).toContain('stancebook_database_connections{state="in_use"} 3');
  expect(text).toContain('stancebook_database_connections{state="waiting"} 7');
});
