import { once } from 'node:events';
import { createServer } from 'node:http';
import { type AddressInfo, connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import request from 'supertest';
import type { DecisionReader, StoredReplies } from '../../../domain/decisions/views/decision-reader.ts';
import { DAY, HOUR } from '../../../domain/time.ts';
import { aSubmission, hindsight } from '../../builders/decisions.ts';
import { anAgentAt, type TestAgent } from '../../harness/callers.ts';
import { openService, STORAGES, type TestService } from '../../harness/service.ts';
import { NO_RATE_LIMITS } from '../../harness/sessions.ts';

const AT = new Date('2017-06-05T12:20:00.000Z');
const NONE = 'dec_20170605_00000000';
const BROKEN = 'dec_20170605_ffffffff';

describe.each(STORAGES)('daily pools on %s', (storage) => {
  let service: TestService;
  let agent: TestAgent;
  let record: string;
  let other: string;
  let days = 0;
  beforeAll(async () => {
    const env = { ...NO_RATE_LIMITS, LIMIT_READ_PER_DAY: '5', LIMIT_CHECK_PER_DECISION: '3' };
    service = await openService(storage, {
      at: AT,
      limits: 'contract',
      env,
      ports: ({ decisions, replies }) => ({ decisions: failing(decisions), replies: failingReplies(replies) }),
    });
    agent = await anAgentAt(service);
    record = (
      await agent.submit(
        hindsight(new Date(AT.getTime() - 9 * DAY), { horizon_kind: 'trading_days', horizon_value: 2 }),
      )
    ).body.record_id;
    other = (await agent.submit(aSubmission(AT, { direction: 'bearish' }))).body.record_id;
    await service.settle();
  });
  // Each test uses its own day.
  beforeEach(() => {
    days += 2;
    return service.arrange.freeze(new Date(AT.getTime() + days * DAY));
  });
  afterAll(() => service.close());

  const midnight = () => String((Math.floor(AT.getTime() / DAY) + days + 1) * 86_400);
  const quotaOf = ({ status, headers }: request.Response) => [
    status,
    headers['x-quota-resource'],
    headers['x-quota-remaining'],
    headers['x-quota-limit'],
    headers['x-quota-reset'] === midnight(),
  ];
  const usage = async () => {
    const { body } = await agent.get('/api/v1/public/auth/status?include=quota');
    return body.quota;
  };

  test('each read takes one unit and each batch takes one, whatever it finds, until none remains', async () => {
    expect(quotaOf(await agent.read(record))).toEqual([200, 'read', '4', '5', true]);
    expect(quotaOf(await agent.batch([record, NONE, 'nonsense']))).toEqual([200, 'read', '3', '5', true]);
    expect(quotaOf(await agent.batch([NONE]))).toEqual([200, 'read', '2', '5', true]);
    expect(quotaOf(await agent.read(other))).toEqual([200, 'read', '1', '5', true]);
    expect(quotaOf(await agent.read(record))).toEqual([200, 'read', '0', '5', true]);
    const refused = await agent.read(record);
    expect(quotaOf(refused)).toEqual([429, 'read', '0', '5', true]);
    const seconds = 11 * 3_600 + 40 * 60;
    expect(refused.body.error).toMatchObject({
      code: 'DAILY_QUOTA_EXCEEDED',
      category: 'quota_exceeded',
      message: 'All 5 units of the read pool are used up for today.',
      suggestion: 'Wait for the reset at 00:00 UTC.',
      retry_after_seconds: seconds,
    });
    expect(refused.headers['retry-after']).toBe(String(seconds));
    expect(await usage()).toMatchObject({ read: { limit: 5, used: 5, remaining: 0 } });
    await service.arrange.advance(seconds * 1_000 - 1);
    expect((await agent.read(record)).status).toBe(429);
    await service.arrange.advance(1);
    expect((await agent.read(record)).headers['x-quota-remaining']).toBe('4');
  });

  test('all keys of an owner share a pool; each owner has a separate one', async () => {
    const mate = await anAgentAt(service, { mate: agent });
    const stranger = await anAgentAt(service);
    for (const each of [agent, mate, agent, mate, agent]) await each.batch([record]);
    expect((await mate.batch([record])).status).toBe(429);
    expect(quotaOf(await stranger.batch([record]))).toEqual([200, 'read', '4', '5', true]);
  });

  test('a refused request takes nothing, and its headers say so', async () => {
    await agent.read(record);
    const full = ['read', '4', '5', true];
    expect(quotaOf(await agent.read(NONE))).toEqual([404, ...full]);
    expect(quotaOf(await agent.read('nonsense'))).toEqual([400, ...full]);
    expect(quotaOf(await agent.get(`/api/v1/agent/decisions/${record}?unknown=1`))).toEqual([400, ...full]);
    expect(quotaOf(await agent.batch('no list'))).toEqual([400, ...full]);
    expect(quotaOf(await agent.batch(Array.from({ length: 33 }, () => NONE)))).toEqual([400, ...full]);
    expect(quotaOf(await agent.read(BROKEN))).toEqual([500, ...full]);
    expect(quotaOf(await agent.batch([BROKEN]))).toEqual([500, ...full]);
    const untyped = request(service.app).post('/api/v1/agent/decisions/batch').set('x-api-key', agent.api_key);
    expect(quotaOf(await untyped.type('text/plain').send('{}'))).toEqual([415, ...full]);
    expect(await usage()).toMatchObject({ read: { used: 1 } });
    expect(quotaOf(await agent.read(record))).toEqual([200, 'read', '3', '5', true]);
  });

  test('an empty pool is 429 before a missing record is 404, and after a malformed id is 400', async () => {
    for (let i = 0; i < 5; i += 1) await agent.batch([record]);
    expect((await agent.read(NONE)).status).toBe(429);
    expect((await agent.read('nonsense')).status).toBe(400);
  });

  test('each decision has a pool of checks; one that is not visible has none', async () => {
    for (const remaining of ['2', '1', '0']) {
      expect(quotaOf(await agent.state(record))).toEqual([200, 'check', remaining, '3', true]);
    }
    expect(quotaOf(await agent.state(record))).toEqual([429, 'check', '0', '3', true]);
    expect((await agent.state(record)).body.error.message).toBe(
      'All 3 units of checks of this decision are used up for today.',
    );
    expect(quotaOf(await agent.state(other))).toEqual([200, 'check', '2', '3', true]);
    for (let i = 0; i < 5; i += 1) expect(quotaOf(await agent.state(NONE))).toEqual([404, 'check', '3', '3', true]);
    expect(quotaOf(await agent.state('nonsense'))).toEqual([400, 'none', 'unlimited', 'unlimited', true]);
    expect(await usage()).toMatchObject({ read: { used: 0 }, check: { limit_per_decision: 3 } });
  });

  test('owner, public and other endpoints take nothing', async () => {
    const none = ['none', 'unlimited', 'unlimited', true];
    expect(quotaOf(await agent.get('/api/v1/public/auth/status'))).toEqual([200, ...none]);
    expect(quotaOf(await agent.get('/api/v1/agent/decisions'))).toEqual([200, ...none]);
    expect(quotaOf(await agent.get(`/api/v1/public/decisions/${record}`))).toEqual([200, ...none]);
    expect(quotaOf(await agent.preview(aSubmission(AT)))).toMatchObject([expect.any(Number), ...none]);
    expect(await usage()).toMatchObject({ read: { used: 0 }, query: { used: 0 } });
  });

  test('a client that goes away before its request is whole takes nothing', async () => {
    const server = createServer(service.app).listen(0, '127.0.0.1');
    try {
      await once(server, 'listening');
      const { port } = server.address() as AddressInfo;
      const socket = connect(port, '127.0.0.1');
      const head = `POST /api/v1/agent/decisions/batch HTTP/1.1\r\nHost: h\r\nX-API-Key: ${agent.api_key}\r\n`;
      socket.write(`${head}Content-Type: application/json\r\nContent-Length: 100\r\n\r\n{"record_ids":`);
      while ((await usage()).read.used !== 1) await sleep(5);
      socket.destroy();
      while ((await usage()).read.used !== 0) await sleep(5);
    } finally {
      server.close();
    }
  });

  test('a request that is not admitted takes nothing', async () => {
    const batch = () =>
      request(service.app)
        .post('/api/v1/agent/decisions/batch')
        .send({ record_ids: [record] });
    expect(quotaOf(await batch())).toEqual([401, 'none', 'unlimited', 'unlimited', true]);
    expect(quotaOf(await batch().set('x-api-key', 'guess'))).toEqual([401, 'none', 'unlimited', 'unlimited', true]);
  });
});

describe.each(STORAGES)('query credit on %s', (storage) => {
  test('an evaluated realtime submission adds 10 queries to the day, once', async () => {
    const service = await openService(storage, { at: new Date('2014-06-02T15:00:00.000Z'), limits: 'contract' });
    try {
      const agent = await anAgentAt(service);
      const query = async () => (await agent.get('/api/v1/public/auth/status?include=quota')).body.quota.query;
      const stock = { market: 'stock', symbol: 'MSFT', venue: 'NASDAQ', horizon_kind: 'trading_days' } as const;
      await agent.submit(aSubmission(new Date('2014-06-02T15:00:00.000Z'), { ...stock, horizon_value: 3 }));
      expect(await query()).toMatchObject({ limit: 20, credit: 0, remaining: 20 });
      for (const hours of [105, 1]) {
        await service.arrange.advance(hours * HOUR);
        await service.settle();
        expect(await query()).toMatchObject({ limit: 30, credit: 10, used: 0, remaining: 30 });
      }
      await service.arrange.advance(DAY);
      expect(await query()).toMatchObject({ limit: 20, credit: 0 });
    } finally {
      await service.close();
    }
  });
});

/** Plants an internal error in the read of one record. */
function failing(decisions: DecisionReader): DecisionReader {
  return {
    ...decisions,
    find: (record_ids, viewer) =>
      record_ids.includes(BROKEN) ? Promise.reject(new Error('broken')) : decisions.find(record_ids, viewer),
  };
}

function failingReplies(replies: StoredReplies): StoredReplies {
  return {
    ...replies,
    find: (record_id, ...rest) =>
      record_id === BROKEN ? Promise.reject(new Error('broken')) : replies.find(record_id, ...rest),
  };
}
