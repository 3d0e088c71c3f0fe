import { beforeEach, expect, test } from '@jest/globals';
import type { Decision } from '../../../domain/decisions/decision.ts';
import type { EvaluationEnd } from '../../../domain/decisions/evaluation-store.ts';
import { aGraded } from '../../builders/outcomes.ts';
import type { Bench, DecisionContract } from './bench.ts';
import { endOf, evaluateAll, FAR, inMinutes } from './evaluated.ts';
import { found } from './intake-acceptance.ts';

type Result = EvaluationEnd['result'];
const DEFERRED: Result = { kind: 'deferred', reason: 'coverage', detail: '3 of 60' };
const UNAVAILABLE: Result = { kind: 'data_unavailable', reason: 'no_print', detail: 'none' };

export const evaluationEndsContract: DecisionContract = {
  name: 'ends of evaluations',
  promises(bench) {
    beforeEach(() => evaluateAll(bench));

    test('a deferred record waits for its retry, and each deferral counts', async () => {
      const { end } = await underWay(bench);
      const retry_at = inMinutes(FAR, 5);
      const first = await end(DEFERRED, retry_at);
      expect(first).toMatchObject({ lifecycle_state: 'deferred', due_at: retry_at, attempts: 1 });
      expect(first.last_error).toBe('coverage: 3 of 60');
      expect(await end(DEFERRED, retry_at)).toMatchObject({ lifecycle_state: 'deferred', attempts: 2 });
    });

    test('a deferral without a next try ends it, and counts', async () => {
      const { end } = await underWay(bench);
      await end(DEFERRED, inMinutes(FAR, 5));
      const ended = { lifecycle_state: 'data_unavailable', due_at: null, attempts: 2, facts: null };
      expect(await end(DEFERRED, null)).toMatchObject(ended);
    });

    test('what no later try would help ends at once, and counts as none', async () => {
      const { end } = await underWay(bench);
      expect(await end(UNAVAILABLE, inMinutes(FAR, 5))).toMatchObject({
        lifecycle_state: 'data_unavailable',
        due_at: null,
        attempts: 0,
        last_error: 'no_print: none',
        evaluated_at: null,
        result_bucket: null,
      });
    });

    test('a postponed record goes back to what it was, and the look counts as no attempt', async () => {
      const { end } = await underWay(bench);
      const until = inMinutes(FAR, 5);
      const postponed = { kind: 'postponed', until, reason: 'source_unavailable', detail: 'down' } as const;
      expect(await end(postponed)).toMatchObject({
        lifecycle_state: 'verified',
        due_at: until,
        attempts: 0,
        last_error: 'source_unavailable: down',
      });
      await end(DEFERRED, until);
      expect(await end(postponed)).toMatchObject({ lifecycle_state: 'deferred', due_at: until, attempts: 1 });
    });

    test('a postponement moves the end where it says so, and only there', async () => {
      const { record_id, end } = await underWay(bench);
      const { anchor_time, end_time, settles_at } = await found(bench, record_id);
      const postponed = {
        kind: 'postponed',
        until: inMinutes(FAR, 5),
        reason: 'not_settled',
        detail: 'early',
      } as const;
      expect(await end(postponed)).toMatchObject({ anchor_time, end_time, settles_at });
      const moved = { end_time: inMinutes(end_time, 60), settles_at: inMinutes(settles_at, 90) };
      expect(await end({ ...postponed, ...moved })).toMatchObject({ anchor_time, ...moved });
      const latest = { settles_at: inMinutes(settles_at, 120) };
      expect(await end({ ...postponed, ...latest })).toMatchObject({ end_time: moved.end_time, ...latest });
    });

    test('an outcome clears the last error and keeps the count of deferrals', async () => {
      const { end } = await underWay(bench);
      await end(DEFERRED, inMinutes(FAR, 5));
      const evaluated = await end();
      expect(evaluated).toMatchObject({ lifecycle_state: 'evaluated', last_error: null, attempts: 1, due_at: null });
      expect(evaluated.facts).not.toBeNull();
    });

    test('an outcome moves the end where it says so', async () => {
      const { record_id, end } = await underWay(bench);
      const end_time = inMinutes(FAR, 7);
      expect((await end({ ...aGraded(record_id), end_time })).end_time).toEqual(end_time);
    });

    test('a batch ends each record its own way, and a stranger’s token disturbs nobody', async () => {
      const agent = await bench.agent();
      for (let i = 0; i < 4; i++) await bench.accepted(agent);
      await bench.storage().verification.settleVerification((await bench.draft(agent)).instrument, 'verified');
      const claimed = await bench.storage().evaluations.claimDue(FAR, inMinutes(FAR, 1), 10);
      const results: Result[] = [DEFERRED, UNAVAILABLE, { kind: 'postponed', until: FAR, reason: 'fault', detail: '' }];
      const batch = claimed.map((each, i) => endOf(each, results[i], inMinutes(FAR, 5)));
      const stranger = { ...endOf(claimed[0] as (typeof claimed)[number]), token: crypto.randomUUID() };
      const nobody = { ...stranger, record_id: 'dec_20260101_00000000' };
      const ended = await bench.storage().evaluations.endEvaluations([stranger, nobody, ...batch], FAR);
      expect(ended.toSorted()).toEqual(batch.map(({ record_id }) => record_id).toSorted());
      const states = await Promise.all(
        batch.map(async ({ record_id }) => (await found(bench, record_id)).lifecycle_state),
      );
      expect(states).toEqual(['deferred', 'data_unavailable', 'verified', 'evaluated']);
      expect(await bench.storage().evaluations.endEvaluations([], FAR)).toEqual([]);
    });
  },
};

/** A record that is claimed and ended again and again, and what it is after each end. */
async function underWay(bench: Bench) {
  const agent = await bench.agent();
  const { record_id } = await bench.accepted(agent);
  const { verification, evaluations } = bench.storage();
  await verification.settleVerification((await bench.draft(agent)).instrument, 'verified');
  const end = async (result?: Result, retry_at: Date | null = null): Promise<Decision> => {
    const [claimed] = await evaluations.claimDue(inMinutes(FAR, 60), inMinutes(FAR, 120), 1);
    if (!claimed) throw new Error('Nothing is due');
    expect(await evaluations.endEvaluations([endOf(claimed, result, retry_at)], FAR)).toEqual([record_id]);
    return found(bench, record_id);
  };
  return { record_id, end };
}
