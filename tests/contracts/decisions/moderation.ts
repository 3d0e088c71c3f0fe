import { beforeEach, expect, test } from '@jest/globals';
import type { Storage } from '../../../application/ports.ts';
import type { Moderation } from '../../../domain/decisions/moderation/moderation.ts';
import { auditedModeration } from '../../builders/audited-moderation.ts';
import { race } from '../adapters.ts';
import type { Bench, DecisionContract } from './bench.ts';
import { endOf, evaluateAll, FAR, inMinutes } from './evaluated.ts';
import { found } from './intake-acceptance.ts';
import { tracked } from './leases.ts';

const REASON = 'a stolen key';

export const moderationContract: DecisionContract = {
  name: 'moderation',
  promises(bench) {
    beforeEach(() => evaluateAll(bench));
    const quarantine = (record_id: string, now = FAR, reason = REASON) =>
      auditedModeration(bench.storage()).quarantine(record_id, reason, now);
    const release = (record_id: string) => auditedModeration(bench.storage()).release(record_id);

    test('a record is put under quarantine once, and keeps the first reason', async () => {
      const { record_id } = await bench.accepted(await bench.agent());
      expect(await quarantine(record_id)).toBe('quarantined');
      expect(await quarantine(record_id, FAR, 'another')).toBe('already');
      const quarantined = { lifecycle_state: 'quarantined', quarantine_reason: REASON, due_at: null };
      expect(await found(bench, record_id)).toMatchObject(quarantined);
    });

    test('there is nothing to moderate in a record that is not there', async () => {
      expect(await quarantine('dec_20260101_00000000')).toBeNull();
      expect(await release('dec_20260101_00000000')).toBeNull();
    });

    test('a record is quarantined only after the lease of its evaluation ends', async () => {
      const [record_id = ''] = await tracked(bench, [3_600]);
      const { evaluations } = bench.storage();
      const leaseUntil = inMinutes(FAR, 5);
      const [claimed] = await evaluations.claimDue(FAR, leaseUntil, 1);
      expect(await quarantine(record_id, new Date(leaseUntil.getTime() - 1))).toBe('being_evaluated');
      expect((await found(bench, record_id)).lifecycle_state).toBe('evaluating');
      expect(await quarantine(record_id, leaseUntil)).toBe('quarantined');
      if (!claimed) throw new Error('Nothing was claimed.');
      expect(await evaluations.renewLeases([{ record_id, token: claimed.token }], inMinutes(FAR, 9))).toEqual([]);
      expect(await evaluations.endEvaluations([endOf(claimed)], leaseUntil)).toEqual([]);
      expect(await found(bench, record_id)).toMatchObject({ lifecycle_state: 'quarantined', facts: null });
    });

    test('nothing takes a record up that is under quarantine', async () => {
      const [tracking = ''] = await tracked(bench, [3_600]);
      const agent = await bench.agent();
      const { record_id: waiting } = await bench.accepted(agent);
      for (const id of [tracking, waiting]) await quarantine(id);
      const { instrument } = await bench.draft(agent);
      const { verification, evaluations } = bench.storage();
      expect(await verification.awaitingVerification(FAR, 10)).toEqual([]);
      await verification.settleVerification(instrument, 'verified');
      await verification.revive(instrument, FAR);
      const claimed = (await evaluations.claimDue(FAR, FAR, 1_000)).map(({ decision }) => decision.record_id);
      for (const id of [tracking, waiting]) {
        expect(claimed).not.toContain(id);
        expect(await found(bench, id)).toMatchObject({ lifecycle_state: 'quarantined', due_at: null });
      }
    });

    test('a graded record comes back as it was', async () => {
      const { record_id } = await bench.accepted(await bench.agent());
      await evaluateAll(bench);
      const before = await found(bench, record_id);
      expect(before.lifecycle_state).toBe('evaluated');
      await quarantine(record_id);
      expect(await release(record_id)).toEqual({ changed: true, lifecycle_state: 'evaluated' });
      expect(await found(bench, record_id)).toEqual(before);
    });

    test('a record that was not graded goes on from its verification to its grade', async () => {
      const [record_id = ''] = await tracked(bench, [3_600]);
      await quarantine(record_id);
      expect(await release(record_id)).toEqual({ changed: true, lifecycle_state: 'pending_verify' });
      expect(await found(bench, record_id)).toMatchObject({ due_at: null, quarantine_reason: null, last_error: null });
      await evaluateAll(bench);
      expect(await found(bench, record_id)).toMatchObject({ lifecycle_state: 'evaluated' });
    });

    test('of 20 who release a record at once, one does; one that is not under quarantine stays as it is', async () => {
      const { record_id } = await bench.accepted(await bench.agent());
      await quarantine(record_id);
      const releases = await race(20, () => release(record_id));
      expect(releases.filter((each) => each?.changed)).toHaveLength(1);
      expect(await release(record_id)).toEqual({ changed: false, lifecycle_state: 'pending_verify' });
    });

    test('of 20 who put a record under quarantine at once, one does', async () => {
      const { record_id } = await bench.accepted(await bench.agent());
      const verdicts = await race(20, () => quarantine(record_id));
      expect(verdicts.filter((verdict) => verdict === 'quarantined')).toHaveLength(1);
    });

    test('against evaluations at once: each either ends, or never began; nothing is graded under quarantine', async () => {
      expect(await evaluationsAgainstQuarantine(bench, auditedModeration(bench.storage()))).toEqual({
        lost: 0,
        graded: 0,
      });
    });

    test('what a transaction moderated is as before when it is undone', async () => {
      const { record_id } = await bench.accepted(await bench.agent());
      const before = await found(bench, record_id);
      const fault = new Error('the work failed');
      const work = bench.storage().transaction(async ({ moderation }) => {
        await moderation.quarantine(record_id, REASON, FAR);
        throw fault;
      });
      await expect(work).rejects.toBe(fault);
      expect(await found(bench, record_id)).toEqual(before);
    });
  },
};

/**
 * Five workers take up 20 records and end them within their leases, while each record is put under quarantine: half of
 * that is asked for before the records are taken, and is over before an evaluation ends; half is asked for after.
 * `lost`: evaluations under a valid lease that could not end. `graded`: records acknowledged as quarantined, and out of it.
 */
export async function evaluationsAgainstQuarantine(bench: Bench, moderation: Pick<Moderation, 'quarantine'>) {
  await evaluateAll(bench);
  const ids = await tracked(
    bench,
    Array.from({ length: 20 }, () => 3_600),
  );
  const quarantine = (id: string) => moderation.quarantine(id, REASON, FAR);
  const early = ids.slice(0, 10).map(quarantine);
  const ended = race(5, () => claimAndEnd(bench.storage().evaluations, Promise.all(early)));
  const verdicts = await Promise.all([...early, ...ids.slice(10).map(quarantine)]);
  const lost = (await ended).flat();
  const quarantined = ids.filter((_, index) => verdicts[index] === 'quarantined');
  const states = await Promise.all(quarantined.map(async (id) => (await found(bench, id)).lifecycle_state));
  return { lost: lost.length, graded: states.filter((state) => state !== 'quarantined').length };
}

/** The records of evaluations that could not end, though their leases ran. */
async function claimAndEnd(evaluations: Storage['evaluations'], meanwhile: Promise<unknown>): Promise<string[]> {
  const claimed = await evaluations.claimDue(FAR, inMinutes(FAR, 5), 4);
  await meanwhile;
  const ended = await evaluations.endEvaluations(
    claimed.map((each) => endOf(each)),
    FAR,
  );
  return claimed.map(({ decision }) => decision.record_id).filter((id) => !ended.includes(id));
}
