import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, test } from '@jest/globals';
import type { Storage } from '../../application/ports.ts';
import type { Moderation } from '../../domain/decisions/moderation/moderation.ts';
import type { DecisionIntake } from '../../domain/decisions/submission/decision-intake.ts';
import { NO_LIMITS, randomName, receiptOf } from '../builders/decisions.ts';
import { decisionAdapters } from './decisions/adapters.ts';
import { type Bench, benchOn } from './decisions/bench.ts';
import { found } from './decisions/intake-acceptance.ts';
import { equalDecisionsAtOnce, hoursBegunAtOnce, inTurn, largeOnesAtOnce } from './decisions/intake-limits.ts';
import { twins } from './decisions/intake-replay.ts';
import { endAndThrow, tracked } from './decisions/leases.ts';
import { evaluationsAgainstQuarantine } from './decisions/moderation.ts';

describe.each(decisionAdapters)('planted faults are caught on $name', (adapter) => {
  const bench = benchOn(adapter);

  test('a cooldown that is read and then written lets several through', async () => {
    const draft = await bench.draft(await bench.agent());
    const { accepted } = await equalDecisionsAtOnce(naiveCooldown(bench.storage().intake), draft);
    expect(accepted).toBeGreaterThan(1);
  });

  test('an idempotency key that is looked up and then recorded gives several records', async () => {
    const options = { idempotencyKey: randomName(), limits: NO_LIMITS };
    const draft = await bench.draft(await bench.agent(), {}, options);
    const { receipts } = await twins(naiveReplay(bench.storage().intake), draft);
    expect(receipts.length).toBeGreaterThan(1);
  });

  test('limits that are read and then written accept too many bytes of an hour', async () => {
    const limits = { ...NO_LIMITS, submitsPerHour: 100, submitMeanBytes: 1 };
    const draft = await bench.draft(await bench.agent(), { summary: 'x'.repeat(10_000) }, { limits });
    expect((await largeOnesAtOnce(naiveLimits(bench.storage().intake), draft)).accepted).toBeGreaterThan(6);
  });

  test('limits that are read and then written begin too many hours of a network', async () => {
    const options = { network: randomName(), limits: { ...NO_LIMITS, agentHoursPerNetwork: 7 } };
    const drafts = await inTurn(Array.from({ length: 20 }), async () => bench.draft(await bench.agent(), {}, options));
    expect((await hoursBegunAtOnce(naiveLimits(bench.storage().intake), drafts)).accepted).toBeGreaterThan(7);
  });

  test('a quarantine that does not mind the lease takes records from their evaluations', async () => {
    const { lost } = await evaluationsAgainstQuarantine(bench, heedlessQuarantine(bench));
    expect(lost).toBeGreaterThan(0);
  });

  test('a transaction that does not undo leaves what it did', async () => {
    const [record_id = ''] = await tracked(bench, [3_600]);
    const before = await found(bench, record_id);
    await endAndThrow(withoutRollback(bench.storage()));
    expect(await found(bench, record_id)).not.toEqual(before);
  });
});

function naiveCooldown(intake: DecisionIntake): Pick<DecisionIntake, 'submit'> {
  const holders = new Map<string, string>();
  return {
    async submit(draft) {
      const record_id = holders.get(draft.agent_id);
      if (record_id) return { verdict: 'cooldown', record_id, retry_after_seconds: 1 };
      const verdict = await intake.submit({ ...draft, limits: { ...draft.limits, cooldownSeconds: 0 } });
      holders.set(draft.agent_id, receiptOf(verdict).record_id);
      return verdict;
    },
  };
}

/** All have read before the first one writes. */
function naiveLimits(intake: DecisionIntake): Pick<DecisionIntake, 'submit'> {
  return {
    async submit(draft) {
      const [refused] = (await intake.preview(draft)).would_wait;
      await sleep(50);
      const limits = { ...draft.limits, submitMeanBytes: 1e6, agentHoursPerNetwork: 1e6 };
      return refused ?? intake.submit({ ...draft, limits });
    },
  };
}

function naiveReplay(intake: DecisionIntake): Pick<DecisionIntake, 'submit'> {
  const recorded = new Map<string, Awaited<ReturnType<DecisionIntake['submit']>>>();
  return {
    async submit(draft) {
      const key = draft.idempotency?.key ?? '';
      const earlier = recorded.get(key);
      if (earlier) return { verdict: 'replayed', receipt: receiptOf(earlier) };
      const verdict = await intake.submit({ ...draft, idempotency: null });
      recorded.set(key, verdict);
      return verdict;
    },
  };
}

/** It comes when the record has been taken up. */
function heedlessQuarantine(bench: Bench): Pick<Moderation, 'quarantine'> {
  let marked = Promise.resolve();
  return {
    async quarantine(record_id, quarantine_reason) {
      while ((await found(bench, record_id)).lifecycle_state === 'verified') await sleep(1);
      marked = marked.then(() => bench.arrange().mark(record_id, { quarantine_reason }));
      await marked;
      return 'quarantined';
    },
  };
}

function withoutRollback(storage: Storage): Pick<Storage, 'transaction'> {
  return { transaction: (work) => work(storage) };
}
