import { expect, test } from '@jest/globals';
import type { OwnerRecords } from '../../../domain/decisions/own/owner-records.ts';
import { race } from '../adapters.ts';
import type { Bench, DecisionContract } from '../decisions/bench.ts';
import { endOf, evaluateAll, FAR } from '../decisions/evaluated.ts';
import { found } from '../decisions/intake-acceptance.ts';

export const archivingContract: DecisionContract = {
  name: 'archiving',
  promises(bench) {
    const archive: OwnerRecords['archive'] = (...mark) => bench.storage().ownerRecords.archive(...mark);

    test('it marks the record with the time and the reason, and changes nothing else', async () => {
      const agent = await bench.agent();
      const { record_id } = await bench.accepted(agent);
      await evaluateAll(bench);
      const before = await found(bench, record_id, agent.owner_id);
      expect(await archive(agent.owner_id, record_id, 'a mistake')).toBe(true);
      const marks = { archived_at: await bench.now(), archive_reason: 'a mistake' };
      expect(await found(bench, record_id, agent.owner_id)).toEqual({ ...before, ...marks });
    });

    test('the first time and reason stay', async () => {
      const agent = await bench.agent();
      const { record_id } = await bench.accepted(agent);
      await archive(agent.owner_id, record_id, null);
      const archived = await found(bench, record_id);
      await bench.arrange().advance(1_000);
      expect(await archive(agent.owner_id, record_id, 'later')).toBe(true);
      expect(await found(bench, record_id)).toEqual(archived);
      expect(archived.archive_reason).toBeNull();
    });

    test('nobody archives what is not there or belongs to somebody else', async () => {
      const [agent, stranger] = [await bench.agent(), await bench.agent()];
      const { record_id } = await bench.accepted(agent);
      expect(await archive(stranger.owner_id, record_id, 'mine now')).toBe(false);
      expect(await archive(agent.owner_id, 'dec_20260101_00000000', null)).toBe(false);
      expect((await found(bench, record_id)).archived_at).toBeNull();
    });

    test('of 20 that archive at once one reason is stored, and all get the reply that the record is archived', async () => {
      const agent = await bench.agent();
      const { record_id } = await bench.accepted(agent);
      const replies = await race(20, (worker) => archive(agent.owner_id, record_id, `reason ${worker}`));
      expect(replies).toEqual(replies.map(() => true));
      const { archive_reason, archived_at } = await found(bench, record_id);
      expect([archive_reason?.startsWith('reason '), archived_at]).toEqual([true, await bench.now()]);
    });

    test('a record that is archived while it is evaluated is both afterwards', async () => {
      expect(await bothSurvive(bench, archive)).toBe(true);
    });
  },
};

/** 20 records are archived while their evaluations end; whether each is archived and has its outcome. */
export async function bothSurvive(bench: Bench, archive: OwnerRecords['archive']): Promise<boolean> {
  await evaluateAll(bench);
  const agent = await bench.agent();
  for (let i = 0; i < 20; i++) await bench.accepted(agent);
  const { decisions, verification, evaluations } = bench.storage();
  await verification.settleVerification((await bench.draft(agent)).instrument, 'verified');
  const claimed = await evaluations.claimDue(FAR, FAR, 20);
  const now = await bench.now();
  await race(40, async (worker) => {
    const one = claimed[worker >> 1];
    if (!one) throw new Error('Nothing is due.');
    if (worker % 2) await evaluations.endEvaluations([endOf(one)], now);
    else await archive(agent.owner_id, one.decision.record_id, null);
  });
  const ids = claimed.map(({ decision }) => decision.record_id);
  const after = await decisions.find(ids, null);
  return after.every(({ lifecycle_state, archived_at }) => lifecycle_state === 'evaluated' && archived_at !== null);
}
