import { describe, expect, test } from '@jest/globals';
import { WEBHOOK } from '../../../domain/limits.ts';
import { DAY, HOUR, MINUTE, SECOND } from '../../../domain/time.ts';
import { type AttemptResult, afterAttempt, payloadOf, subjectOf } from '../../../domain/webhooks/delivery.ts';
import { wants } from '../../../domain/webhooks/webhook.ts';
import { aDelivery, aWebhook } from '../../builders/webhooks.ts';

const NOW = new Date('2026-03-02T12:00:00.000Z');
const ago = (millis: number) => new Date(NOW.getTime() - millis);
const later = (millis: number) => new Date(NOW.getTime() + millis);
const answered = (status: number, retryAfter: number | null = null): AttemptResult => ({
  outcome: 'answered',
  status,
  retryAfter,
});
const FAILED: AttemptResult = { outcome: 'failed', reason: 'CONNECTION_FAILED' };

describe('after an attempt', () => {
  test.each([200, 204, 299])('a reply of %d is a delivery, and the webhook is healthy', (status) => {
    const failing = aWebhook({ failures: 7, failing_since: ago(DAY), waits_until: NOW });
    const settled = afterAttempt(failing, aDelivery({ step: 3 }), answered(status), NOW, 0);
    expect(settled).toEqual({
      webhook: { status: 'active', failures: 0, failing_since: null, waits_until: null },
      delivery: {
        ...aDelivery({ ...settled.delivery }),
        ...{ status: 'delivered', step: 3, due_at: null, attempts: [{ at: NOW, status, failure: null }] },
      },
    });
  });

  test.each([199, 400, 404, 429, 500, 503])('a reply of %d is sent again', (status) => {
    const { webhook, delivery } = afterAttempt(aWebhook(), aDelivery(), answered(status), NOW, 0);
    expect(webhook).toEqual({ status: 'active', failures: 1, failing_since: NOW, waits_until: later(SECOND) });
    expect(delivery).toMatchObject({ status: 'pending', step: 1, due_at: later(5 * SECOND) });
    expect(delivery.attempts).toEqual([{ at: NOW, status, failure: null }]);
  });

  test('the schedule is that of Standard Webhooks 1.0, with up to a tenth more; then the delivery has failed', () => {
    const waits = [5, 300, 1_800, 7_200, 18_000, 36_000, 50_400, 72_000, 86_400].map((seconds) => seconds * SECOND);
    for (const [step, wait] of waits.entries()) {
      for (const random of [0, 1]) {
        const { delivery } = afterAttempt(aWebhook(), aDelivery({ step }), FAILED, NOW, random);
        expect(delivery).toMatchObject({ status: 'pending', step: step + 1, due_at: later(wait * (1 + random / 10)) });
      }
    }
    const last = afterAttempt(aWebhook(), aDelivery({ step: waits.length }), FAILED, NOW, 0).delivery;
    expect(last).toMatchObject({ status: 'failed', due_at: null });
    expect(last.attempts).toEqual([{ at: NOW, status: null, failure: 'CONNECTION_FAILED' }]);
  });

  test('the pauses of a webhook that fails grow to a minute', () => {
    const pauseAfter = (failures: number) =>
      afterAttempt(aWebhook({ failures, failing_since: ago(HOUR) }), aDelivery(), FAILED, NOW, 0).webhook.waits_until;
    expect([0, 1, 2, 5, 6, 1_000].map(pauseAfter)).toEqual([1, 2, 4, 32, 60, 60].map((s) => later(s * SECOND)));
  });

  test('Retry-After delays the webhook and the delivery, for an hour at most, and never hastens them', () => {
    const waits = (seconds: number) => afterAttempt(aWebhook(), aDelivery(), answered(429, seconds), NOW, 0);
    expect(waits(600)).toMatchObject({
      webhook: { waits_until: later(10 * MINUTE) },
      delivery: { due_at: later(10 * MINUTE) },
    });
    expect(waits(1e12).webhook.waits_until).toEqual(later(HOUR));
    expect(waits(0)).toMatchObject({
      webhook: { waits_until: later(SECOND) },
      delivery: { due_at: later(5 * SECOND) },
    });
  });

  test('410 stops the webhook and leaves the delivery pending', () => {
    const { webhook, delivery } = afterAttempt(aWebhook(), aDelivery(), answered(410), NOW, 0);
    expect([webhook.status, delivery.status]).toEqual(['gone', 'pending']);
  });

  test('five days of failures pause the webhook, and not one that its owner has stopped meanwhile', () => {
    const statusAfter = (age: number, status: 'active' | 'disabled') =>
      afterAttempt(aWebhook({ status, failing_since: ago(age) }), aDelivery(), FAILED, NOW, 0).webhook.status;
    expect(statusAfter(WEBHOOK.pauseAfter - 1, 'active')).toBe('active');
    expect(statusAfter(WEBHOOK.pauseAfter, 'active')).toBe('paused');
    expect(statusAfter(WEBHOOK.pauseAfter, 'disabled')).toBe('disabled');
  });

  test('the last ten attempts stay', () => {
    const attempts = Array.from({ length: 10 }, (_, n) => ({ at: ago(n), status: 500 + n, failure: null }));
    const { delivery } = afterAttempt(aWebhook(), aDelivery({ attempts }), answered(200), NOW, 0);
    expect(delivery.attempts.map(({ status }) => status)).toEqual([501, 502, 503, 504, 505, 506, 507, 508, 509, 200]);
  });
});

test('an event is about its record, its coin, or itself', () => {
  const id = '6f1c0a9d-2b7e-4853-9a41-0c5d3e7f1b28';
  const of = { id, at: NOW };
  const record = { record_id: 'dec_20260302_00000001', agent_id: 'agt_000000000000' };
  const credit = { ...record, amount: 10, day: '2026-03-02' };
  expect(subjectOf({ ...of, type: 'quota.credited', data: credit })).toBe(record.record_id);
  expect(subjectOf({ ...of, type: 'circuit.changed', data: { coin: 'USDT', from: 'normal', to: 'tripped' } })).toBe(
    'USDT',
  );
  expect(subjectOf({ ...of, type: 'webhook.test', data: { webhook_id: id } })).toBe(id);
});

test('the payload is the item of the feed', () => {
  const { id, data } = aDelivery().event;
  expect(payloadOf({ id, type: 'webhook.test', at: NOW, data: data as { webhook_id: string } })).toEqual({
    ...{ id, type: 'webhook.test', timestamp: '2026-03-02T12:00:00.000Z', data },
  });
});

test('a webhook wants the types that it names, or all', () => {
  const changed = { type: 'circuit.changed' } as const;
  expect(wants({ event_types: null }, changed)).toBe(true);
  expect(wants({ event_types: ['decision.evaluated'] }, changed)).toBe(false);
  expect(wants({ event_types: ['circuit.changed'] }, changed)).toBe(true);
});

test('no webhook wants submissions', () => {
  expect(wants({ event_types: null }, { type: 'decision.submitted' })).toBe(false);
});
