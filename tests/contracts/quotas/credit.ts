import { expect, test } from '@jest/globals';
import type { EvaluationEnd, EvaluationStore } from '../../../domain/decisions/evaluation-store.ts';
import type { PoolState } from '../../../domain/quotas/pools.ts';
import { DAY } from '../../../domain/time.ts';
import { aSessionOf } from '../../builders/accounts.ts';
import { type AgentCaller, receiptOf } from '../../builders/decisions.ts';
import { anOutcome } from '../../builders/outcomes.ts';
import { race } from '../adapters.ts';
import { factsOf } from '../cohorts/outcome-parts.ts';
import { NOON } from '../decisions/adapters.ts';
import type { Bench, DecisionContract } from '../decisions/bench.ts';
import { endOf, evaluateAll, FAR } from '../decisions/evaluated.ts';
import { admittedAtOnce, aRequest, taking } from './requests.ts';

const POOLS = { queryPerDay: 20, readPerDay: 200, checkPerDecision: 20 };

/** What an evaluated submission earns (interface.md section 8). */
export const creditContract: DecisionContract = {
  name: 'query credit',
  promises(bench) {
    test('an evaluated realtime submission earns 10, on the day of the evaluation', async () => {
      const agent = await bench.agent();
      await bench.accepted(agent);
      await bench.accepted(agent, { symbol: 'ETH' });
      await bench.arrange().freeze(new Date(NOON.getTime() + DAY));
      expect(await queryPool(bench, agent)).toMatchObject({ limit: 20, credit: 0 });
      await evaluateAll(bench);
      expect(await queryPool(bench, agent)).toMatchObject({ limit: 40, credit: 20, used: 0, remaining: 40 });
      await bench.arrange().freeze(NOON);
      expect(await queryPool(bench, agent)).toMatchObject({ limit: 20, credit: 0 });
    });

    test('it is spent like the base, and no further', async () => {
      const agent = await bench.agent();
      await bench.accepted(agent);
      await evaluateAll(bench);
      const session_hash = crypto.getRandomValues(new Uint8Array(32));
      await bench.storage().sessions.add(aSessionOf(agent, { session_hash, created_at: NOON }));
      const request = aRequest({ proof: { credential: 'legacy_session', session_hash }, ...taking('query', 20) });
      expect(await admittedAtOnce(bench.storage().admission, 40, () => request)).toBe(30);
      expect(await queryPool(bench, agent)).toMatchObject({ limit: 30, credit: 10, used: 30, remaining: 0 });
    });

    test('a retroactive one earns nothing, nor does one without an outcome', async () => {
      const agent = await bench.agent();
      receiptOf(await bench.storage().intake.submit(await bench.hindsight(agent)));
      await evaluateAll(bench);
      await bench.accepted(agent, { symbol: 'ETH' });
      await endAll(bench, { kind: 'data_unavailable', reason: 'no_print', detail: 'none' });
      expect(await queryPool(bench, agent)).toMatchObject({ credit: 0 });
    });

    test('one with a carried open earns nothing', async () => {
      const agent = await bench.agent();
      for (const [symbol, part] of Object.entries({ ETH: 'carried_open', SOL: 'fine' } as const)) {
        await bench.accepted(agent, { symbol });
        await evaluateAll(bench, anOutcome({ facts: factsOf(part, anOutcome().facts) }));
      }
      expect(await queryPool(bench, agent)).toMatchObject({ credit: 10 });
    });

    test('a decision group earns 10 once, by the first of its decisions that is graded', async () => {
      const agent = await bench.agent();
      await bench.group(agent, {}, [3_600, 7_200, 86_400]);
      await bench.group(agent, { symbol: 'ETH' }, [3_600, 7_200]);
      const all = await claimed(bench);
      const of = (symbol: string, seconds: number) =>
        all.filter(({ decision }) => decision.symbol === symbol && decision.horizon_value === seconds);
      const { evaluations } = bench.storage();
      const credits: number[] = [];
      const unavailable = { kind: 'data_unavailable', reason: 'no_print', detail: 'none' } as const;
      for (const each of [
        of('BTC', 3_600),
        of('BTC', 7_200),
        of('BTC', 86_400),
        all.filter(({ decision }) => decision.symbol === 'ETH'),
      ]) {
        const ends = each.map((claim) => (claim === of('BTC', 3_600)[0] ? endOf(claim, unavailable) : endOf(claim)));
        await evaluations.endEvaluations(ends, NOON);
        credits.push((await queryPool(bench, agent)).credit);
      }
      // The first horizon has no outcome, the second earns, the third does not; both of the other group end together.
      expect(credits).toEqual([0, 10, 10, 20]);
    });

    test('of 20 decisions of five groups that end at once, each group is credited once', async () => {
      const agent = await bench.agent();
      const symbols = [0, 1, 2, 3, 4].map((n) => `COIN${n}`);
      for (const symbol of symbols) await bench.group(agent, { symbol }, [3_600, 7_200, 10_800, 14_400]);
      const hours = [3_600, 7_200, 10_800, 14_400];
      const all = await claimed(bench);
      await race(4, (worker) => {
        const own = all.filter(({ decision }) => decision.horizon_value === hours[worker]);
        const turned = [...own.slice(worker), ...own.slice(0, worker)];
        return bench.storage().evaluations.endEvaluations(
          turned.map((each) => endOf(each)),
          NOON,
        );
      });
      expect(await queryPool(bench, agent)).toMatchObject({ credit: 50 });
    });

    test('of 20 who end one evaluation at once, and again, it is earned once', async () => {
      const agent = await bench.agent();
      await bench.accepted(agent);
      const ends = (await claimed(bench)).map((each) => endOf(each));
      const earned = async () => (await queryPool(bench, agent)).credit;
      expect(await creditAfterManyEnds(bench.storage().evaluations, ends, earned)).toBe(10);
    });

    test('what is undone earns nothing', async () => {
      const agent = await bench.agent();
      await bench.accepted(agent);
      const ends = (await claimed(bench)).map((each) => endOf(each));
      const fault = new Error('the work failed');
      const work = bench.storage().transaction(async ({ evaluations }) => {
        await evaluations.endEvaluations(ends, NOON);
        throw fault;
      });
      await expect(work).rejects.toBe(fault);
      expect(await queryPool(bench, agent)).toMatchObject({ credit: 0 });
      await bench.storage().evaluations.endEvaluations(ends, NOON);
      expect(await queryPool(bench, agent)).toMatchObject({ credit: 10 });
    });

    test('20 batches that end at once, of the same owners in any order, credit each of them', async () => {
      const agents = await Promise.all(Array.from({ length: 4 }, () => bench.agent()));
      for (let round = 0; round < 20; round += 1) {
        for (const agent of agents) await bench.accepted(agent, { symbol: `COIN${round}` });
      }
      const all = (await claimed(bench)).map((each) => ({ symbol: each.decision.symbol, end: endOf(each) }));
      await race(20, (worker) => {
        const own = all.filter(({ symbol }) => symbol === `COIN${worker}`).map(({ end }) => end);
        return bench
          .storage()
          .evaluations.endEvaluations([...own.slice(worker % 4), ...own.slice(0, worker % 4)], NOON);
      });
      for (const agent of agents) expect(await queryPool(bench, agent)).toMatchObject({ credit: 200 });
    });
  },
};

/** 20 end the same evaluations at once, and then once more; what their owner has earned. */
export async function creditAfterManyEnds(
  evaluations: Pick<EvaluationStore, 'endEvaluations'>,
  ends: readonly EvaluationEnd[],
  earned: () => Promise<number>,
): Promise<number> {
  await race(20, () => evaluations.endEvaluations(ends, NOON));
  await evaluations.endEvaluations(ends, NOON);
  return earned();
}

async function claimed(bench: Bench) {
  const { verification, evaluations } = bench.storage();
  for (const instrument of await verification.awaitingVerification(FAR, 1_000)) {
    await verification.settleVerification(instrument, 'verified');
  }
  return evaluations.claimDue(FAR, FAR, 1_000);
}

async function endAll(bench: Bench, result: EvaluationEnd['result']): Promise<void> {
  const ends = (await claimed(bench)).map((each) => endOf(each, result));
  await bench.storage().evaluations.endEvaluations(ends, NOON);
}

async function queryPool(bench: Bench, { owner_id }: AgentCaller): Promise<PoolState> {
  return (await bench.storage().quotas.usage(owner_id, POOLS)).query;
}
