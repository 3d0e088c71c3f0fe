import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import request from 'supertest';
import { openMemory } from '../../../adapters/memory/storage.ts';
import { MINUTE } from '../../../domain/time.ts';
import { createMetrics } from '../../../infrastructure/metrics/metrics.ts';
import { aSubmission } from '../../builders/decisions.ts';
import { anAgentAt } from '../../harness/callers.ts';
import { sequence } from '../../harness/kept-logs.ts';
import { openService, STORAGES, type TestService } from '../../harness/service.ts';

const AT = new Date('2026-03-02T12:00:00.000Z');

describe.each(STORAGES)('the evidence log in /metrics, on %s', (storage) => {
  let service: TestService;
  beforeAll(async () => {
    service = await openService(storage, { at: AT });
  });
  afterAll(() => service.close());

  const scrape = async () => {
    const { text } = await request(service.app).get('/metrics');
    return text.split('\n').filter((line) => line.startsWith('stancebook_log_'));
  };

  test('nothing is known before there is a log', async () => {
    const names = ['size', 'signed_timestamp_seconds', 'pending_events', 'lag_seconds', 'late_decisions'];
    expect(await scrape()).toEqual(names.map((name) => `stancebook_log_${name} Nan`));
  });

  test('size, time of the signature, and how long a submission has waited for its leaf', async () => {
    const agent = await anAgentAt(service);
    await sequence(service.ports);
    // The log itself, and the head of the audit log.
    const first = (await service.ports.log.published(1))?.size ?? 0;
    const signedAt = AT.getTime() / 1_000;
    expect((await agent.submit(aSubmission(AT))).status).toBe(201);
    await service.arrange.advance(MINUTE);
    const figures = (size: number, signed: number, pending: number, lag: number) => [
      `stancebook_log_size ${size}`,
      `stancebook_log_signed_timestamp_seconds ${signed}`,
      `stancebook_log_pending_events ${pending}`,
      `stancebook_log_lag_seconds ${lag}`,
      'stancebook_log_late_decisions 0',
    ];
    expect(await scrape()).toEqual(figures(first, signedAt, 1, 60));
    await service.arrange.advance(MINUTE);
    await sequence(service.ports);
    expect(await scrape()).toEqual(figures(first + 1, signedAt + 120, 0, 0));
  });

  test('an event that waits for its random time is pending, and is not late', async () => {
    const agent = await anAgentAt(service);
    const { body } = await agent.submit(aSubmission(AT));
    await sequence(service.ports);
    await service.arrange.mark(body.record_id, { quarantine_reason: 'made up' });
    await service.arrange.advance(2 * MINUTE);
    await sequence(service.ports);
    const lines = await scrape();
    expect(lines.slice(2)).toEqual([
      ...['stancebook_log_pending_events 1', 'stancebook_log_lag_seconds 0', 'stancebook_log_late_decisions 0'],
    ]);
  });
});

test('a process that writes the log shows whether it signs', async () => {
  const lines = async (signing: () => 'stopped' | null) =>
    (await createMetrics(openMemory(), { signing }).text()).match(/^stancebook_log_state.*$/gm);
  expect(await lines(() => 'stopped')).toEqual([
    'stancebook_log_state{state="guarded"} 0',
    'stancebook_log_state{state="unguarded"} 0',
    'stancebook_log_state{state="stopped"} 1',
  ]);
  expect(await lines(() => null)).toBeNull();
});
