import { beforeAll, expect, test } from '@jest/globals';
import type { CohortFilter } from '../../../domain/cohorts/cohort-filter.ts';
import { COHORT_SORTS } from '../../../domain/cohorts/cohort-reader.ts';
import { auditedModeration } from '../../builders/audited-moderation.ts';
import type { AgentCaller } from '../../builders/decisions.ts';
import { race } from '../adapters.ts';
import type { Bench, DecisionContract } from '../decisions/bench.ts';
import { endOf, FAR } from '../decisions/evaluated.ts';
import { everyPage, idsOf, SAYS } from './paging.ts';
import { readDuringSwaps, SWAP_ROUNDS } from './swaps.ts';
import { graded, submitted } from './universe.ts';

const SWAPPED: CohortFilter = { market: 'crypto', symbol: 'BTC', direction: 'bullish', include_retroactive: true };
const AS_OF: CohortFilter = { market: 'crypto', include_retroactive: true, as_of: new Date('2030-01-01') };
const says = (owner: number) => ({ ...SAYS, direction: 'neutral', owner }) as const;
const GRADED: CohortFilter = { market: 'crypto', symbol: 'BTC', direction: 'bearish', include_retroactive: true };

/** Reads while everything moves. */
export const racingContract: DecisionContract = {
  name: 'cohorts in motion',
  promises(bench) {
    let agents: readonly AgentCaller[];
    beforeAll(async () => {
      agents = await Promise.all([1, 2, 3].map(() => bench.agent()));
    });

    test('every read as of a time counts exactly while counts by periods begin', async () => {
      const pairs = [];
      for (let i = 0; i < 3; i += 1) {
        const [shown, hidden] = [await graded(bench, agents, says(i)), await graded(bench, agents, says(i))];
        await auditedModeration(bench.storage()).quarantine(hidden, 'hidden at first', await bench.now());
        pairs.push({ shown, hidden });
      }
      const neutral: CohortFilter = { ...AS_OF, direction: 'neutral' };
      const read = await readDuringSwaps(bench.storage(), pairs, neutral, {
        rounds: bench.runs(SWAP_ROUNDS),
        readers: 6,
        folders: 3,
      });
      expect([...new Set(read.map(({ result }) => result.samples))]).toEqual([3]);
      expect(await bench.storage().cohortCells.check()).toEqual([]);
    });

    test('every read counts exactly while 20 workers swap, fold and read', async () => {
      const pairs = [];
      for (let i = 0; i < 6; i += 1) {
        const shown = await graded(bench, agents, { ...SAYS, owner: i });
        const hidden = await graded(bench, agents, { ...SAYS, owner: i });
        await auditedModeration(bench.storage()).quarantine(hidden, 'hidden at first', await bench.now());
        pairs.push({ shown, hidden });
        if (i % 2 === 0) await bench.storage().cohortCells.fold(1);
      }
      const extent = { rounds: bench.runs(SWAP_ROUNDS), readers: 8, folders: 6 };
      const read = await readDuringSwaps(bench.storage(), pairs, SWAPPED, extent);
      expect(read.length).toBeGreaterThan(0);
      expect([...new Set(read.map(({ result }) => result.samples))]).toEqual([6]);
      expect([...new Set(read.map(({ whole }) => whole.samples))]).toEqual([6]);
      expect([...new Set(read.map(({ result }) => result.buckets.weak_correct))]).toEqual([6]);
      expect(await bench.storage().cohortCells.check()).toEqual([]);
    });

    test('the next query counts and pages every acknowledged record while 20 workers grade, fold and read', async () => {
      const claimed = await underEvaluation(bench, agents, 80);
      const started = new Set<string>();
      const acknowledged = new Set<string>();
      const { cohorts, cohortCells, evaluations } = bench.storage();
      const now = await bench.now();
      await race(20, async (worker) => {
        for (const each of claimed.slice(worker * 4, worker * 4 + 4)) {
          const atLeast = [...acknowledged];
          const { result, moment } = await cohorts.summarise(GRADED, 1);
          expect(result.samples).toBeGreaterThanOrEqual(atLeast.length);
          expect(result.samples).toBeLessThanOrEqual(started.size);
          if (worker % 5 === 0) await cohortCells.fold(5);
          started.add(each.decision.record_id);
          await evaluations.endEvaluations([endOf(each)], now);
          acknowledged.add(each.decision.record_id);
          const sort = COHORT_SORTS[worker % 2] ?? 'data_cutoff_asc';
          const ids = idsOf(await everyPage(cohorts, GRADED, { sort, limit: 7, moment }));
          expect(new Set(ids).size).toBe(result.samples);
          expect(ids).toHaveLength(result.samples);
          expect(ids).toEqual(expect.arrayContaining(atLeast));
        }
      });
      expect((await cohorts.summarise(GRADED, 1)).result.samples).toBe(80);
      expect(await cohortCells.check()).toEqual([]);
    });
  },
};

async function underEvaluation(bench: Bench, agents: readonly AgentCaller[], count: number) {
  const sayings = Array.from({ length: count }, (_, i) => {
    return { ...SAYS, direction: 'bearish', owner: i, age: (i % 20) * 1_000 } as const;
  });
  for (const saying of sayings) await submitted(bench, agents, saying);
  const { verification, evaluations } = bench.storage();
  for (const instrument of await verification.awaitingVerification(FAR, 10)) {
    await verification.settleVerification(instrument, 'verified');
  }
  return evaluations.claimDue(FAR, FAR, count);
}
