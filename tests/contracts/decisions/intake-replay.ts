import { expect, test } from '@jest/globals';
import canonicalize from 'canonicalize';
import type { DecisionDraft, DecisionIntake } from '../../../domain/decisions/submission/decision-intake.ts';
import { IDEMPOTENCY } from '../../../domain/limits.ts';
import { DAY } from '../../../domain/time.ts';
import { NO_LIMITS, randomName, receiptOf, tally } from '../../builders/decisions.ts';
import { race } from '../adapters.ts';
import type { DecisionContract } from './bench.ts';
import { found } from './intake-acceptance.ts';

export const intakeReplayContract: DecisionContract = {
  name: 'idempotency keys',
  promises(bench) {
    test('the same key and body replay the recorded receipt, a millisecond later and as the plan ends', async () => {
      const agent = await bench.agent();
      const { intake } = bench.storage();
      const draft = await bench.draft(agent, {}, { idempotencyKey: 'k' });
      const first = await intake.submit(draft);
      expect(first.verdict).toBe('accepted');
      await bench.arrange().advance(1);
      expect(await intake.submit(draft)).toEqual({ ...first, verdict: 'replayed' });
      await bench.arrange().freeze(new Date(draft.plan.until));
      expect(await intake.submit(draft)).toEqual({ ...first, verdict: 'replayed' });
      expect(await intake.recorded(agent.agent_id, 'k')).toEqual({
        fingerprint: draft.idempotency?.fingerprint,
        receipt: receiptOf(first),
      });
    });

    test('a replay returns the first reply, whatever has happened to the record since', async () => {
      const agent = await bench.agent();
      const { intake, verification } = bench.storage();
      const draft = await bench.draft(agent, { symbol: 'ETH' }, { idempotencyKey: 'k' });
      const first = receiptOf(await intake.submit(draft));
      const [instrument] = (await verification.awaitingVerification(await bench.now(), 100)).filter(
        ({ symbol }) => symbol === 'ETH',
      );
      await verification.settleVerification(instrument ?? draft.instrument, 'rejected');
      expect(receiptOf(await intake.submit(draft))).toEqual(first);
      expect(first.lifecycle_state).toBe('pending_verify');
      expect(await found(bench, first.record_id)).toMatchObject({ lifecycle_state: 'rejected' });
    });

    test('another body under a recorded key is refused', async () => {
      const agent = await bench.agent();
      expect(await bench.submit(agent, {}, { idempotencyKey: 'k' })).toMatchObject({ verdict: 'accepted' });
      const other = await bench.submit(agent, { symbol: 'ETH' }, { idempotencyKey: 'k' });
      expect(other).toEqual({ verdict: 'key_reused' });
    });

    test('keys of two agents are strangers, of one owner too', async () => {
      const agent = await bench.agent();
      const mate = await bench.agent(agent);
      const first = await bench.submit(agent, {}, { idempotencyKey: 'k' });
      const second = await bench.submit(mate, { symbol: 'ETH' }, { idempotencyKey: 'k' });
      expect([first.verdict, second.verdict]).toEqual(['accepted', 'accepted']);
      expect((await bench.storage().intake.recorded(mate.agent_id, 'k'))?.receipt).toEqual(receiptOf(second));
    });

    test('a key is kept for 48 hours to the millisecond, and is then as new', async () => {
      const agent = await bench.agent();
      const { intake } = bench.storage();
      const submit = (changes = {}) => bench.submit(agent, changes, { idempotencyKey: 'k', limits: NO_LIMITS });
      const first = receiptOf(await submit());
      await bench.arrange().advance(IDEMPOTENCY.keep - 1);
      expect(await submit()).toEqual({ verdict: 'key_reused' });
      expect((await intake.recorded(agent.agent_id, 'k'))?.receipt).toEqual(first);
      await bench.arrange().advance(1);
      expect(await intake.recorded(agent.agent_id, 'k')).toBeNull();
      const second = receiptOf(await submit());
      expect(second.record_id).not.toBe(first.record_id);
      expect((await intake.recorded(agent.agent_id, 'k'))?.receipt).toEqual(second);
    });

    test('nothing is recorded under a key that was never sent, nor by a preview', async () => {
      const agent = await bench.agent();
      const { intake } = bench.storage();
      await intake.preview(await bench.draft(agent, {}, { idempotencyKey: 'k' }));
      expect(await intake.recorded(agent.agent_id, 'k')).toBeNull();
      expect(await bench.submit(agent, { symbol: 'ETH' }, { idempotencyKey: 'k' })).toMatchObject({
        verdict: 'accepted',
      });
    });

    test('a refused submission records nothing under its key', async () => {
      const agent = await bench.agent();
      await bench.submit(agent);
      expect(await bench.submit(agent, {}, { idempotencyKey: 'k' })).toMatchObject({ verdict: 'cooldown' });
      expect(await bench.storage().intake.recorded(agent.agent_id, 'k')).toBeNull();
      expect(await bench.submit(agent, { symbol: 'ETH' }, { idempotencyKey: 'k' })).toMatchObject({
        verdict: 'accepted',
      });
    });

    test('20 twins at once are one record, and all are given its receipt', async () => {
      const agent = await bench.agent();
      const draft = await bench.draft(agent, {}, { idempotencyKey: randomName() });
      const { verdicts, receipts } = await twins(bench.storage().intake, draft);
      expect(verdicts).toEqual({ accepted: 1, replayed: 19 });
      expect(receipts).toHaveLength(1);
    });

    test('20 at once under one key with two bodies are one record, and the other body is refused', async () => {
      const agent = await bench.agent();
      const options = { idempotencyKey: randomName(), limits: NO_LIMITS };
      const drafts = [await bench.draft(agent, {}, options), await bench.draft(agent, { symbol: 'ETH' }, options)];
      const verdicts = await race(20, (worker) => bench.storage().intake.submit(drafts[worker % 2] as DecisionDraft));
      expect(tally(verdicts)).toEqual({ accepted: 1, replayed: 9, key_reused: 10 });
    });

    test('20 at once under an expired key are one new record', async () => {
      const agent = await bench.agent();
      const options = { idempotencyKey: randomName() };
      const first = receiptOf(await bench.submit(agent, {}, options));
      await bench.arrange().advance(3 * DAY);
      const { verdicts, receipts } = await twins(bench.storage().intake, await bench.draft(agent, {}, options));
      expect(verdicts).toEqual({ accepted: 1, replayed: 19 });
      expect(receipts).toHaveLength(1);
      expect(receipts).not.toContainEqual(first);
    });
  },
};

/** One record and one receipt, if the storage keeps its promise. */
export async function twins({ submit }: Pick<DecisionIntake, 'submit'>, draft: DecisionDraft) {
  const all = await race(20, () => submit(draft));
  const receipts = new Map(all.map((verdict) => [canonicalize(receiptOf(verdict)), receiptOf(verdict)]));
  return { verdicts: tally(all), receipts: [...receipts.values()] };
}
