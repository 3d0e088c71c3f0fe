import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { HOUR, MINUTE } from '../../../domain/time.ts';
import { aSubmission } from '../../builders/decisions.ts';
import { anAgentAt } from '../../harness/callers.ts';
import { openService, STORAGES, type TestService } from '../../harness/service.ts';

const AT = new Date('2017-06-05T12:20:00.000Z');
const keyed = (key: string) => ({ 'Idempotency-Key': key });

describe.each(STORAGES)('Idempotency-Key, on %s', (storage) => {
  let service: TestService;
  beforeAll(async () => {
    service = await openService(storage, { at: AT });
  });
  afterAll(() => service.close());

  test('the same key and body replay the same reply, byte for byte, within the cooldown and after it', async () => {
    const agent = await anAgentAt(service);
    const first = await agent.submit(aSubmission(AT), keyed('k-1'));
    expect([first.status, first.headers['idempotency-replayed']]).toEqual([201, undefined]);
    const shuffled = JSON.stringify(Object.fromEntries(Object.entries(aSubmission(AT)).reverse()), null, 1);
    for (const body of [aSubmission(AT), shuffled]) {
      const again = await agent.submit(body, keyed('"k-1"'));
      expect([again.status, again.headers['idempotency-replayed'], again.text]).toEqual([201, 'true', first.text]);
    }
  });

  test('422 IDEMPOTENCY_KEY_REUSED for another body, even one whose values are wrong', async () => {
    const agent = await anAgentAt(service);
    await agent.submit(aSubmission(AT), keyed('k'));
    for (const changes of [{ horizon_value: 7_200 }, { horizon_value: 1 }]) {
      const { status, body } = await agent.submit(aSubmission(AT, changes), keyed('k'));
      expect([status, body.error.code]).toEqual([422, 'IDEMPOTENCY_KEY_REUSED']);
    }
  });

  test('the key belongs to the agent', async () => {
    const agent = await anAgentAt(service);
    const mate = await anAgentAt(service, { mate: agent });
    const { body: first } = await agent.submit(aSubmission(AT), keyed('k'));
    const { status, body } = await mate.submit(aSubmission(AT), keyed('k'));
    expect([status, body.record_id === first.record_id]).toEqual([201, false]);
  });

  test('a refused submission does not use the key up', async () => {
    const agent = await anAgentAt(service);
    await agent.submit(aSubmission(AT));
    expect((await agent.submit(aSubmission(AT), keyed('k'))).status).toBe(429);
    expect((await agent.submit(aSubmission(AT, { horizon_value: 1 }), keyed('k'))).status).toBe(422);
    expect((await agent.submit('{', keyed('k'))).status).toBe(400);
    const taken = await agent.submit(aSubmission(AT, { direction: 'bearish' }), keyed('k'));
    expect([taken.status, taken.headers['idempotency-replayed']]).toEqual([201, undefined]);
  });

  test('validate_only neither reads nor writes it', async () => {
    const agent = await anAgentAt(service);
    expect((await agent.preview(aSubmission(AT)).set(keyed('k'))).status).toBe(200);
    const { status } = await agent.submit(aSubmission(AT, { direction: 'bearish' }), keyed('k'));
    expect(status).toBe(201);
    expect((await agent.preview(aSubmission(AT)).set(keyed('k'))).status).toBe(200);
  });

  test.each(['x'.repeat(255), '!~', '"quoted"', `"${'x'.repeat(255)}"`])('the key %s is accepted', async (key) => {
    const agent = await anAgentAt(service);
    expect((await agent.submit(aSubmission(AT), keyed(key))).status).toBe(201);
  });

  test.each(['', '""', 'x'.repeat(256), 'a b', '"a b"', 'k\u00e9', 'a\tb'])(
    '422 for the key %j, and nothing is stored',
    async (key) => {
      const agent = await anAgentAt(service);
      const { status, body } = await agent.submit(aSubmission(AT), keyed(key));
      expect(status).toBe(422);
      expect(body.error.details[0].path).toBe('idempotency-key');
      expect((await agent.submit(aSubmission(AT))).status).toBe(201);
    },
  );

  test('20 at once with one key become one record and 19 replays of it', async () => {
    const agent = await anAgentAt(service);
    const replies = await Promise.all(Array.from({ length: 20 }, () => agent.submit(aSubmission(AT), keyed('k'))));
    expect(new Set(replies.map(({ text }) => text)).size).toBe(1);
    expect(replies.filter(({ headers }) => headers['idempotency-replayed'] === 'true')).toHaveLength(19);
  });

  test('a replay still works after data_cutoff is too old and the record has changed; after 48 hours the key is new', async () => {
    const agent = await anAgentAt(service);
    const ahead = aSubmission(new Date(AT.getTime() + 30_000));
    const first = await agent.submit(ahead, keyed('k'));
    await service.arrange.advance(-MINUTE);
    expect((await agent.submit(ahead, keyed('k'))).text).toBe(first.text);
    await service.arrange.advance(MINUTE + 48 * HOUR - 1);
    await service.settle();
    expect((await agent.submit(ahead, keyed('k'))).text).toBe(first.text);
    await service.arrange.advance(1);
    const anew = await agent.submit(ahead, keyed('k'));
    expect([anew.status, anew.headers['idempotency-replayed']]).toEqual([201, undefined]);
    expect(anew.body.record_id).not.toBe(first.body.record_id);
  });
});
