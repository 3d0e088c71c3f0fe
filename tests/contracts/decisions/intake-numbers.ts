import { expect, test } from '@jest/globals';
import type { DecisionIntake, Verdict } from '../../../domain/decisions/submission/decision-intake.ts';
import { HOUR } from '../../../domain/time.ts';
import { type AgentCaller, NO_LIMITS, randomName, receiptOf } from '../../builders/decisions.ts';
import { race } from '../adapters.ts';
import type { Bench, DecisionContract } from './bench.ts';
import { found } from './intake-acceptance.ts';

export const intakeNumbersContract: DecisionContract = {
  name: 'numbers',
  promises(bench) {
    test('the decisions of each agent are numbered from 1, also over hours', async () => {
      const agent = await bench.agent();
      const mate = await bench.agent(agent);
      const records = [];
      for (const each of [agent, agent, mate, agent]) {
        records.push((await bench.accepted(each)).record_id);
        await bench.arrange().advance(HOUR);
      }
      expect(await numbers(bench, records)).toEqual([1, 2, 1, 3]);
    });

    test('what is refused takes no number', async () => {
      const agent = await bench.agent();
      const first = receiptOf(await bench.submit(agent)).record_id;
      expect(await bench.submit(agent)).toMatchObject({ verdict: 'cooldown' });
      const none = { limits: { ...NO_LIMITS, retroactivePerDay: 0 } };
      const { intake } = bench.storage();
      expect(await intake.submit(await bench.hindsight(agent, {}, none))).toMatchObject({
        verdict: 'retroactive_quota',
      });
      const full = { limits: { ...NO_LIMITS, submitsPerHour: 1 } };
      expect(await bench.submit(agent, { symbol: 'ETH' }, full)).toMatchObject({ verdict: 'frequency' });
      const second = (await bench.accepted(agent)).record_id;
      expect(await numbers(bench, [first, second])).toEqual([1, 2]);
    });

    test('a replay takes no number', async () => {
      const agent = await bench.agent();
      const draft = await bench.draft(agent, {}, { idempotencyKey: randomName(), limits: NO_LIMITS });
      const { intake } = bench.storage();
      const record = receiptOf(await intake.submit(draft)).record_id;
      expect(await intake.submit(draft)).toMatchObject({ verdict: 'replayed' });
      const next = (await bench.accepted(agent)).record_id;
      expect(await numbers(bench, [record, next])).toEqual([1, 2]);
    });

    test('pruning leaves the numbers as they are', async () => {
      const agent = await bench.agent();
      await bench.accepted(agent);
      const { intake } = bench.storage();
      await intake.prune(new Date((await bench.now()).getTime() + 1_000 * HOUR));
      expect(await numbers(bench, [(await bench.accepted(agent)).record_id])).toEqual([2]);
    });

    test('a race of submissions, repeats and refusals leaves no gap and gives none twice', async () => {
      const agent = await bench.agent();
      expect(await mixedAtOnce(bench, [bench.storage().intake], agent)).toEqual(ofEach(TWENTY));
    });
  },
};

const TWENTY = 20;

/** 1, 2, ... */
export function ofEach(count: number): number[] {
  return Array.from({ length: count }, (_, n) => n + 1);
}

/**
 * Twenty accepted submissions of one agent at once, among as many repeats under their keys and as many that a limit refuses, sent to these intakes in
 * turn; the numbers, in their order.
 */
export async function mixedAtOnce(
  bench: Bench,
  intakes: readonly Pick<DecisionIntake, 'submit'>[],
  agent: AgentCaller,
): Promise<number[]> {
  const sent = await Promise.all(
    ofEach(TWENTY).map(async () => {
      const accepted = await bench.draft(agent, {}, { idempotencyKey: randomName(), limits: NO_LIMITS });
      const none = { ...NO_LIMITS, retroactivePerDay: 0 };
      return [accepted, accepted, await bench.hindsight(agent, {}, { limits: none })];
    }),
  );
  const drafts = sent.flat();
  const verdicts = await race(drafts.length, async (n): Promise<Verdict> => {
    const [intake, draft] = [intakes[n % intakes.length], drafts[n]];
    if (!intake || !draft) throw new Error('There is an intake for each draft.');
    return intake.submit(draft);
  });
  const accepted = verdicts.filter(({ verdict }) => verdict === 'accepted').map((each) => receiptOf(each).record_id);
  return (await numbers(bench, accepted)).toSorted((a, b) => a - b);
}

async function numbers(bench: Bench, record_ids: readonly string[]): Promise<number[]> {
  const records = await Promise.all(record_ids.map((record_id) => found(bench, record_id)));
  return records.map(({ number }) => number ?? 0);
}
