import { expect, test } from '@jest/globals';
import type { Bench, DecisionContract } from './bench.ts';
import { inTurn } from './intake-limits.ts';

export const intakeOrderContract: DecisionContract = {
  name: 'the order of judgement',
  promises(bench) {
    test('it is replay, values, circuit, frequency, cooldown, retroactive quota', async () => {
      const agent = await bench.agent();
      const { intake } = bench.storage();
      const tethered = { venue: 'BINANCE', quote_currency: 'USDT' };
      const first = await bench.draft(agent, tethered, { idempotencyKey: 'k', refuseTripped: true });
      expect(await intake.submit(first)).toMatchObject({ verdict: 'accepted' });
      await bench.arrange().circuit('USDT', 'tripped');
      const everything = { refuseTripped: true, limits: { submitsPerHour: 1, retroactivePerDay: 0 } };
      const unseen = [{ record_id: 'dec_20260101_00000000', relation: 'extends' }] as const;
      const verdict = async (changes: object, options: object) =>
        (await intake.submit(await bench.hindsight(agent, { ...tethered, ...changes }, options))).verdict;
      expect(
        await intake.submit({ ...first, limits: { ...first.limits, submitsPerHour: 0, retroactivePerDay: 0 } }),
      ).toMatchObject({ verdict: 'replayed' });
      expect(await verdict({ related_records: unseen }, everything)).toBe('related_refused');
      expect(await verdict({}, everything)).toBe('circuit_open');
      expect(await verdict({}, { ...everything, refuseTripped: false })).toBe('frequency');
      expect(await verdict({}, { limits: { retroactivePerDay: 0 } })).toBe('cooldown');
      expect(await verdict({ symbol: 'ETH' }, { limits: { retroactivePerDay: 0 } })).toBe('retroactive_quota');
      await bench.arrange().circuit('USDT', 'normal');
    });

    test('what is refused late has spent nothing of what is judged before', async () => {
      const agent = await bench.agent();
      const { intake } = bench.storage();
      const limits = { submitsPerHour: 2, retroactivePerDay: 0 };
      const refused = await bench.hindsight(agent, {}, { limits, idempotencyKey: 'k' });
      for (let i = 0; i < 5; i++) expect(await intake.submit(refused)).toMatchObject({ verdict: 'retroactive_quota' });
      expect((await intake.preview(refused)).would_wait).toMatchObject([{ verdict: 'retroactive_quota' }]);
      expect(await intake.recorded(agent.agent_id, 'k')).toBeNull();
      expect(await bench.submit(agent, {}, { limits })).toMatchObject({ verdict: 'accepted' });
      expect(await bench.submit(agent, {}, { limits })).toMatchObject({ verdict: 'cooldown' });
      expect(await bench.submit(agent, { symbol: 'ETH' }, { limits })).toMatchObject({ verdict: 'accepted' });
      expect(await bench.submit(agent, { symbol: 'SOL' }, { limits })).toMatchObject({ verdict: 'frequency' });
    });

    test('of many at once each is judged by itself: who is refused disturbs no neighbour', async () => {
      expect(await mixedAtOnce(bench)).toEqual(
        Array.from({ length: 10 }, () => [
          'accepted',
          'key_revoked',
          'cooldown',
          'related_refused',
          'accepted',
          'replan',
        ]),
      );
    });
  },
};

/** Six submissions of each of ten agents, all at once; what became of them. */
async function mixedAtOnce(bench: Bench): Promise<string[][]> {
  const crowds = await inTurn(Array.from({ length: 10 }), async () => {
    const agent = await bench.agent();
    await bench.submit(agent, { symbol: 'ETH' });
    const related_records = [{ record_id: 'dec_20260101_00000000', relation: 'extends' }] as const;
    return [
      await bench.draft(agent),
      await bench.draft({ ...agent, key_prefix: 'sbk_nobodys0' }, { symbol: 'SOL' }),
      await bench.draft(agent, { symbol: 'ETH' }),
      await bench.draft(agent, { symbol: 'XRP', related_records }),
      await bench.draft(agent, { symbol: 'ADA' }, { idempotencyKey: 'k' }),
      { ...(await bench.draft(agent, { symbol: 'DOT' })), planned_at: new Date((await bench.now()).getTime() + 1) },
    ];
  });
  const { intake } = bench.storage();
  return Promise.all(
    crowds.map((drafts) => Promise.all(drafts.map(async (draft) => (await intake.submit(draft)).verdict))),
  );
}
