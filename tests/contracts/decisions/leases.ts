import { beforeEach, expect, test } from '@jest/globals';
import type { Storage } from '../../../application/ports.ts';
import type { ClaimedDecision, EvaluationEnd, Lease } from '../../../domain/decisions/evaluation-store.ts';
import { instrumentKey } from '../../../domain/market/instrument.ts';
import { DAY } from '../../../domain/time.ts';
import { NO_LIMITS, receiptOf } from '../../builders/decisions.ts';
import { race } from '../adapters.ts';
import type { Bench, DecisionContract } from './bench.ts';
import { endOf, evaluateAll, FAR, inMinutes } from './evaluated.ts';
import { found } from './intake-acceptance.ts';

const NO_PRINT: EvaluationEnd['result'] = { kind: 'data_unavailable', reason: 'no_print', detail: 'none' };

export const leaseContract: DecisionContract = {
  name: 'leases',
  promises(bench) {
    beforeEach(() => evaluateAll(bench));

    test('what is due is taken, the earliest first, with all that an evaluation needs', async () => {
      const ids = await tracked(bench, [7_200, 3_600, 10_800]);
      const { evaluations } = bench.storage();
      const [first] = ids;
      const due_at = (await found(bench, ids[1] ?? '')).settles_at;
      expect(await evaluations.nextDue()).toEqual(due_at);
      expect(await evaluations.claimDue(new Date(due_at.getTime() - 1), FAR, 10)).toEqual([]);
      const [claimed, ...others] = await evaluations.claimDue(FAR, inMinutes(FAR, 5), 1);
      expect(others).toEqual([]);
      expect(claimed?.decision).toMatchObject({
        record_id: ids[1],
        symbol: 'BTC',
        lifecycle_state: 'evaluating',
        due_at: inMinutes(FAR, 5),
        horizon_value: 3_600,
        submission: { horizon_value: 3_600, direction: 'bullish' },
      });
      expect(recordsOf(await evaluations.claimDue(FAR, inMinutes(FAR, 5), 1))).toEqual([first]);
    });

    test('at its very due time a record is due', async () => {
      const [record_id = ''] = await tracked(bench, [3_600]);
      const { evaluations } = bench.storage();
      const { settles_at } = await found(bench, record_id);
      expect(recordsOf(await evaluations.claimDue(settles_at, inMinutes(settles_at, 5), 10))).toEqual([record_id]);
    });

    test('a record of a method that this version does not know is not claimed, and delays no other', async () => {
      const agent = await bench.agent();
      const options = { limits: NO_LIMITS, method: 'eval/unknown' };
      const { record_id } = receiptOf(await bench.submit(agent, { horizon_value: 120 }, options));
      const [known = ''] = await tracked(bench, [3_600]);
      const { evaluations } = bench.storage();
      expect(await evaluations.backlog(FAR)).toMatchObject({ due: 1, of_unknown_methods: 1 });
      expect(await evaluations.nextDue()).toEqual((await found(bench, known)).settles_at);
      expect(recordsOf(await evaluations.claimDue(FAR, inMinutes(FAR, 5), 10))).toEqual([known]);
      const left = await found(bench, record_id);
      expect(left).toMatchObject({ lifecycle_state: 'verified', method: 'eval/unknown', attempts: 0, facts: null });
    });

    test('20 workers never take one record twice, and leave none', async () => {
      const ids = await tracked(
        bench,
        Array.from({ length: 40 }, () => 3_600),
      );
      const claims = await race(20, () => bench.storage().evaluations.claimDue(FAR, inMinutes(FAR, 5), 3));
      expect(recordsOf(claims.flat()).toSorted()).toEqual(ids.toSorted());
      expect(new Set(claims.flat().map(({ token }) => token)).size).toBe(40);
    });

    test('a lease holds until its end; then another takes the record over, and the old token is void', async () => {
      const [record_id = ''] = await tracked(bench, [3_600]);
      const { evaluations } = bench.storage();
      const now = inMinutes(await bench.now(), 100);
      const leaseUntil = inMinutes(now, 5);
      const [slow] = await claim(bench, now, leaseUntil);
      expect(await evaluations.nextDue()).toEqual(leaseUntil);
      expect(await claim(bench, new Date(leaseUntil.getTime() - 1), FAR)).toEqual([]);
      const [taker] = await claim(bench, leaseUntil, inMinutes(leaseUntil, 5));
      expect(taker?.decision.record_id).toBe(record_id);
      expect(taker?.token).not.toBe(slow?.token);
      expect(await evaluations.endEvaluations(ends([slow]), leaseUntil)).toEqual([]);
      expect(await found(bench, record_id)).toMatchObject({ lifecycle_state: 'evaluating', facts: null });
      expect(await evaluations.endEvaluations(ends([taker], NO_PRINT), leaseUntil)).toEqual([record_id]);
      expect(await evaluations.endEvaluations(ends([slow]), leaseUntil)).toEqual([]);
      expect(await found(bench, record_id)).toMatchObject({ lifecycle_state: 'data_unavailable', facts: null });
    });

    test('a lease that is renewed holds on, even when it was over; one that was taken over is not given back', async () => {
      const [record_id = ''] = await tracked(bench, [3_600]);
      const { evaluations } = bench.storage();
      const now = inMinutes(await bench.now(), 100);
      const [holder] = await claim(bench, now, inMinutes(now, 1));
      expect(await evaluations.renewLeases(leases([holder]), inMinutes(now, 3))).toEqual([record_id]);
      expect(await claim(bench, inMinutes(now, 2), FAR)).toEqual([]);
      const [taker] = await claim(bench, inMinutes(now, 3), inMinutes(now, 4));
      expect(await evaluations.renewLeases(leases([holder]), FAR)).toEqual([]);
      expect(await evaluations.renewLeases(leases([holder, taker]), FAR)).toEqual([record_id]);
      expect(await claim(bench, inMinutes(now, 10), FAR)).toEqual([]);
      expect(await evaluations.endEvaluations(ends([taker]), now)).toEqual([record_id]);
      expect(await evaluations.renewLeases(leases([taker]), FAR)).toEqual([]);
      expect(await found(bench, record_id)).toMatchObject({ lifecycle_state: 'evaluated', due_at: null });
    });

    test('leases that are ended are due at once, and void once the record is taken again', async () => {
      const [held = '', waiting = ''] = await tracked(bench, [3_600, 7_200]);
      const { evaluations } = bench.storage();
      const { settles_at } = await found(bench, held);
      const [dead] = await claim(bench, settles_at, FAR);
      expect(await evaluations.endLeases(settles_at)).toBe(1);
      expect(await evaluations.endLeases(settles_at)).toBe(0);
      expect((await found(bench, waiting)).due_at).toEqual((await found(bench, waiting)).settles_at);
      const [taker] = await claim(bench, settles_at, FAR);
      expect(taker?.decision.record_id).toBe(held);
      expect(await evaluations.endEvaluations(ends([dead]), settles_at)).toEqual([]);
      expect(await evaluations.endEvaluations(ends([taker]), settles_at)).toEqual([held]);
    });

    test('an overdue lease that nobody took over still ends the evaluation', async () => {
      const [record_id = ''] = await tracked(bench, [3_600]);
      const now = inMinutes(await bench.now(), 100);
      const claimed = await claim(bench, now, inMinutes(now, 5));
      const late = inMinutes(now, 60);
      expect(await bench.storage().evaluations.endEvaluations(ends(claimed), late)).toEqual([record_id]);
      expect(await found(bench, record_id)).toMatchObject({ lifecycle_state: 'evaluated', evaluated_at: late });
    });

    test('of 20 who end one evaluation at once, one does', async () => {
      const [record_id = ''] = await tracked(bench, [3_600]);
      const claimed = await claim(bench);
      const { evaluations } = bench.storage();
      const ended = await race(20, async () => evaluations.endEvaluations(ends(claimed), await bench.now()));
      expect(ended.flat()).toEqual([record_id]);
    });

    test('a void token next to the valid one, in one call, is ignored', async () => {
      const [record_id = ''] = await tracked(bench, [3_600]);
      const now = inMinutes(await bench.now(), 100);
      const [slow] = await claim(bench, now, inMinutes(now, 5));
      const [taker] = await claim(bench, inMinutes(now, 5), FAR);
      const { evaluations } = bench.storage();
      const mixed = [...ends([slow]), ...ends([taker]), ...ends([slow], NO_PRINT)];
      expect(await evaluations.endEvaluations(mixed, now)).toEqual([record_id]);
      expect(await found(bench, record_id)).toMatchObject({ lifecycle_state: 'evaluated' });
    });

    test('the first submission is one of the first day, and stays it when others come', async () => {
      const { evaluations } = bench.storage();
      const agent = await bench.agent();
      const { submission_time } = await found(bench, (await bench.accepted(agent)).record_id);
      const first = await evaluations.firstSubmitted();
      expect(first?.getTime()).toBeLessThanOrEqual(submission_time.getTime());
      await bench.arrange().advance(2 * DAY);
      await bench.accepted(agent);
      expect(await evaluations.firstSubmitted()).toEqual(first);
      await evaluateAll(bench);
    });

    test('the backlog is what is due and not taken', async () => {
      const { evaluations, verification } = bench.storage();
      await evaluateAll(bench);
      const { of_unknown_methods } = await evaluations.backlog(FAR);
      expect(await evaluations.backlog(FAR)).toEqual({ due: 0, since: null, of_unknown_methods });
      const agent = await bench.agent();
      for (let i = 0; i < 3; i++) await bench.accepted(agent);
      const [instrument] = await verification.awaitingVerification(FAR, 1);
      if (instrument) await verification.settleVerification(instrument, 'verified');
      const due = await evaluations.nextDue();
      if (!due) throw new Error('Nothing is due.');
      expect(await evaluations.backlog(new Date(due.getTime() - 1))).toEqual({
        due: 0,
        since: null,
        of_unknown_methods,
      });
      expect(await evaluations.backlog(FAR)).toEqual({ due: 3, since: due, of_unknown_methods });
      await evaluations.claimDue(due, inMinutes(due, 5), 2);
      expect(await evaluations.backlog(due)).toEqual({ due: 1, since: due, of_unknown_methods });
      await evaluateAll(bench);
    });

    test('failures are counted by state, and separately those submitted since a time', async () => {
      const { evaluations, verification } = bench.storage();
      const before = await evaluations.failures(FAR);
      const agent = await bench.agent();
      const { record_id } = await bench.accepted(agent);
      const { submission_time } = await found(bench, record_id);
      const [instrument] = await verification.awaitingVerification(FAR, 1);
      if (instrument) await verification.settleVerification(instrument, 'rejected');
      const { rejected, data_unavailable } = await evaluations.failures(submission_time);
      expect([rejected.total, data_unavailable.total]).toEqual([
        before.rejected.total + 1,
        before.data_unavailable.total,
      ]);
      expect(rejected.recent).toBeGreaterThanOrEqual(1);
      const later = await evaluations.failures(new Date(submission_time.getTime() + 1));
      expect(later.rejected).toEqual({ total: rejected.total, recent: 0 });
    });

    test('what keeps decisions waiting for an explanation is listed once, with its instrument', async () => {
      await tracked(bench, [7_200, 3_600, 10_800]);
      const { evaluations } = bench.storage();
      const claimed = await evaluations.claimDue(FAR, FAR, 10);
      const reasons = ['suspected_split', 'suspected_split', 'coverage'] as const;
      const ends = claimed.map((each, i) => {
        const result = { kind: 'deferred', reason: reasons[i % 3] ?? 'halted', detail: 'From 10 to 20.' } as const;
        return endOf(each, result, FAR);
      });
      await evaluations.endEvaluations(ends, await bench.now());
      const waiting = new Set(claimed.map(({ decision }) => instrumentKey(decision)));
      const found = await evaluations.unexplained(10);
      expect(found.every(({ last_error }) => last_error === 'suspected_split: From 10 to 20.')).toBe(true);
      expect(new Set(found.map(({ instrument }) => instrument))).toEqual(waiting);
      expect(found.length).toBe(waiting.size);
      expect(await evaluations.unexplained(0)).toEqual([]);
      await evaluateAll(bench);
      expect(await evaluations.unexplained(10)).toEqual([]);
    });

    test('records that wait for nothing are never taken', async () => {
      const agent = await bench.agent();
      const { record_id } = await bench.accepted(agent);
      const { evaluations } = bench.storage();
      expect(await evaluations.claimDue(FAR, FAR, 10)).toEqual([]);
      await tracked(bench, [3_600]);
      await bench.arrange().mark(record_id, { quarantine_reason: 'made up' });
      await evaluateAll(bench);
      expect(await found(bench, record_id)).toMatchObject({ lifecycle_state: 'quarantined', facts: null });
      expect(await evaluations.claimDue(FAR, FAR, 10)).toEqual([]);
      expect(await evaluations.nextDue()).toBeNull();
    });

    test('claims and ends of a transaction that is undone have not happened', async () => {
      const [record_id = ''] = await tracked(bench, [3_600]);
      const before = await found(bench, record_id);
      await endAndThrow(bench.storage());
      expect(await found(bench, record_id)).toEqual(before);
    });
  },
};

/** Ends everything there is, and then throws. */
export async function endAndThrow({ transaction }: Pick<Storage, 'transaction'>): Promise<void> {
  const fault = new Error('the work failed');
  const work = transaction(async ({ evaluations }) => {
    const claimed = await evaluations.claimDue(FAR, FAR, 1_000);
    expect(await evaluations.endEvaluations(ends(claimed), FAR)).toHaveLength(claimed.length);
    throw fault;
  });
  await expect(work).rejects.toBe(fault);
}

/** Records of one agent whose instrument is verified, one for each horizon. */
export async function tracked(bench: Bench, horizons: readonly number[]): Promise<string[]> {
  const agent = await bench.agent();
  const ids: string[] = [];
  for (const horizon_value of horizons) ids.push((await bench.accepted(agent, { horizon_value })).record_id);
  const draft = await bench.draft(agent);
  await bench.storage().verification.settleVerification(draft.instrument, 'verified');
  return ids;
}

function claim(bench: Bench, now = FAR, leaseUntil = FAR): Promise<readonly ClaimedDecision[]> {
  return bench.storage().evaluations.claimDue(now, leaseUntil, 10);
}

function leases(claimed: readonly (ClaimedDecision | undefined)[]): Lease[] {
  return ends(claimed).map(({ record_id, token }) => ({ record_id, token }));
}

function ends(claimed: readonly (ClaimedDecision | undefined)[], result?: EvaluationEnd['result']): EvaluationEnd[] {
  return claimed.flatMap((each) => (each ? [endOf(each, result)] : []));
}

function recordsOf(claimed: readonly ClaimedDecision[]): string[] {
  return claimed.map(({ decision }) => decision.record_id);
}
