import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { DAY } from '../../../domain/time.ts';
import { aSubmission, hindsight } from '../../builders/decisions.ts';
import { anAgentAt, type TestAgent } from '../../harness/callers.ts';
import { openService, STORAGES, type TestService } from '../../harness/service.ts';

const AT = new Date('2017-06-05T12:20:00.000Z');
const NONE = 'dec_20170605_00000000';

describe.each(STORAGES)('a batch, on %s', (storage) => {
  let service: TestService;
  let agent: TestAgent;
  let stranger: TestAgent;
  let evaluated: string;
  let open: string;
  beforeAll(async () => {
    service = await openService(storage, { at: AT });
    agent = await anAgentAt(service);
    stranger = await anAgentAt(service);
    const past = hindsight(new Date(AT.getTime() - 9 * DAY), { horizon_kind: 'trading_days', horizon_value: 2 });
    evaluated = (await agent.submit(past)).body.record_id;
    await service.settle();
    open = (await agent.submit(aSubmission(AT, { direction: 'bearish' }))).body.record_id;
  });
  afterAll(() => service.close());

  test('answers in the caller’s order, repeated ids included, in the public form even for the owner', async () => {
    const { status, body } = await agent.batch([NONE, evaluated, open, 'nonsense', evaluated]);
    expect(status).toBe(200);
    const found = { status: 'found', record_id: evaluated, decision: expect.objectContaining({ view: 'public' }) };
    const not = (record_id: string, reason: string) => ({ status: 'not_visible', record_id, reason });
    expect(body).toEqual({
      items: [not(NONE, 'does_not_exist'), found, not(open, 'not_public'), not('nonsense', 'malformed'), found],
    });
  });

  test('for other callers an open record looks like one that does not exist', async () => {
    const { body } = await stranger.batch([open, NONE]);
    expect(body.items.map(({ reason }: { reason: string }) => reason)).toEqual(['does_not_exist', 'does_not_exist']);
  });

  test('what a batch shows is what the public detail shows', async () => {
    const { body } = await stranger.batch([evaluated]);
    expect(body.items[0].decision).toEqual((await stranger.read(evaluated)).body);
  });

  test.each(['', ' ', 'DEC_20170605_00000000', `${NONE}\n`, 'dec_20170605_0000000g', '../x', 'x'.repeat(5_000)])(
    'malformed, in its place: %j',
    async (id) => {
      const { body } = await agent.batch([id]);
      expect(body.items).toEqual([{ status: 'not_visible', record_id: id, reason: 'malformed' }]);
    },
  );

  test('32 ids are answered; 0 and 33 are 400', async () => {
    const ids = Array.from({ length: 32 }, () => NONE);
    expect((await agent.batch(ids)).body.items).toHaveLength(32);
    for (const wrong of [[], [...ids, NONE]]) {
      const { status, body } = await agent.batch(wrong);
      expect([status, body.error.code]).toEqual([400, 'VALIDATION_ERROR']);
    }
  });

  test.each([null, 'text', [7], [null], [['x']], { a: 1 }])('400 for the ids %j', async (ids) => {
    expect((await agent.batch(ids)).status).toBe(400);
  });
});
