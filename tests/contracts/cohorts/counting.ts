import { beforeAll, expect, test } from '@jest/globals';
import fc from 'fast-check';
import type { CohortFilter } from '../../../domain/cohorts/cohort-filter.ts';
import type { Decision } from '../../../domain/decisions/decision.ts';
import { countedWindow, windowCounts } from '../../../domain/decisions/own/window-counts.ts';
import { COHORT } from '../../../domain/limits.ts';
import { auditedModeration } from '../../builders/audited-moderation.ts';
import type { AgentCaller } from '../../builders/decisions.ts';
import type { Bench, DecisionContract } from '../decisions/bench.ts';
import { filtersOver, singleFilters } from './filters.ts';
import { membersOf, naiveLargest, naiveSummary } from './naive.ts';
import { grade, type Saying, submitted, universe } from './universe.ts';

/** Counts by cells, by the tail and by both are what a count of the records gives. */
export const countingContract: DecisionContract = {
  name: 'counting cohorts',
  promises(bench) {
    let records: readonly Decision[];
    beforeAll(async () => {
      records = await universe(bench, 210, 1);
    });

    test('nothing is counted where there is nothing', async () => {
      const filter = { market: 'crypto', symbol: 'NONE', include_retroactive: true } as const;
      await expectExact(bench, records, filter, 1);
      const { result } = await bench.storage().cohorts.summarise(filter, 1);
      expect([result.samples, result.earliest, result.latest, result.perspectives]).toEqual([0, null, null, []]);
    });

    test('each filter alone counts exactly, while nothing is folded', async () => {
      for (const filter of singleFilters(records.slice(0, bench.runs(20))))
        await expectMembers(bench, records, filter, await expectExact(bench, records, filter, 3));
    });

    test('any filters together count exactly, while nothing is folded', () => anyFilters(bench, records, 40));

    test('folding half of it changes no count', async () => {
      await bench.storage().cohortCells.fold(105);
      await anyFilters(bench, records, 60);
    });

    test('beginning counts by periods changes no count, while records wait to be folded', async () => {
      await extendAll(bench);
      await anyFilters(bench, records, 40);
      expect(await bench.storage().cohortCells.check()).toEqual([]);
    });

    test('folding the rest changes no count', async () => {
      await foldAll(bench);
      for (const filter of singleFilters(records.slice(20, 20 + bench.runs(20))))
        await expectExact(bench, records, filter, 3);
      await anyFilters(bench, records, 80);
    });

    test('the sample of the largest owner is named by its records', async () => {
      const { cohorts } = bench.storage();
      const all: CohortFilter = { market: 'crypto', include_retroactive: true };
      const { moment, result } = await cohorts.summarise(all, 1);
      const size = result.samples;
      const samples = await Promise.all([
        cohorts.largestOwner(all, moment, size),
        cohorts.largestOwner(all, moment, size),
        cohorts.largestOwner(all, moment, size - 1),
        cohorts.largestOwner({ market: 'stock', include_retroactive: true }, moment, 10),
      ]);
      const names = samples.map((each) => each?.sample);
      expect(names).not.toContain(undefined);
      expect(new Set(names).size).toBe(3);
      expect(names[0]).toBe(names[1]);
    });

    test('what is quarantined is counted nowhere from the next query on, folded or not', async () => {
      const late = await universe(bench, 30, 2);
      records = [...records, ...late];
      // A third of the kinds of filters for each record: each kind for folded records, and for some that are not.
      for (const [i, record] of [...records.slice(0, 6), ...late.slice(0, 6)].entries()) {
        await auditedModeration(bench.storage()).quarantine(record.record_id, 'a test', await bench.now());
        records = withState(records, record.record_id, 'quarantined');
        const filters = singleFilters([record]).filter((_, kind) => kind % 3 === i % 3);
        for (const filter of filters.slice(0, bench.runs(filters.length)))
          await expectMembers(bench, records, filter, await expectExact(bench, records, filter, 2));
      }
      await anyFilters(bench, records, 40);
      expect(await bench.storage().cohortCells.check()).toEqual([]);
    });

    test('released records are counted again, folded or not', async () => {
      const gone = records.filter(({ lifecycle_state }) => lifecycle_state === 'quarantined');
      for (const { record_id } of gone.slice(0, 8)) {
        await auditedModeration(bench.storage()).release(record_id);
        records = withState(records, record_id, 'evaluated');
      }
      await anyFilters(bench, records, 20);
      await foldAll(bench);
      await anyFilters(bench, records, 40);
    });

    test('cells match the records, and rebuilding them changes nothing', async () => {
      expect(await bench.storage().cohortCells.check()).toEqual([]);
      await bench.storage().cohortCells.rebuild();
      expect(await bench.storage().cohortCells.check()).toEqual([]);
      await anyFilters(bench, records, 40);
    });

    test('quarantining every record of a cohort leaves it empty', async () => {
      const [first] = records.filter(({ lifecycle_state }) => lifecycle_state === 'evaluated');
      if (!first) throw new Error('There are records');
      const same = records.filter(({ cohort_key }) => cohort_key === first.cohort_key);
      for (const { record_id } of same) {
        await auditedModeration(bench.storage()).quarantine(record_id, 'a test', await bench.now());
        records = withState(records, record_id, 'quarantined');
      }
      const { market, cohort_key } = first;
      const { result } = await bench.storage().cohorts.summarise({ market, cohort_key, include_retroactive: true }, 1);
      expect([result.samples, result.enoughProducers]).toEqual([0, false]);
      await anyFilters(bench, records, 20);
      expect(await bench.storage().cohortCells.check()).toEqual([]);
    });

    if (bench.isSampled) return;
    test('the threshold of producers is exact up to its maximum, folded or not', async () => {
      const most = COHORT.mostMinProducers;
      const agents = await Promise.all(Array.from({ length: most + 2 }, () => bench.agent()));
      const crowd: CohortFilter = { market: 'crypto', symbol: 'CROWD', include_retroactive: true };
      const enough = async () => (await bench.storage().cohorts.summarise(crowd, most)).result.enoughProducers;
      const ids: string[] = [];
      const expected: boolean[] = [];
      const answers: boolean[] = [];
      for (const agent of agents) {
        ids.push(...(await gradedTwice(bench, agent)));
        if (ids.length % 3 === 0) await bench.storage().cohortCells.fold(5);
        expected.push(ids.length / 2 >= most);
        answers.push(await enough());
      }
      await foldAll(bench);
      for (const [i, id] of ids.slice(0, 8).entries()) {
        await auditedModeration(bench.storage()).quarantine(id, 'a test', await bench.now());
        expected.push(agents.length - Math.floor((i + 1) / 2) >= most);
        answers.push(await enough());
      }
      expect(answers).toEqual(expected);
      expect(await bench.storage().cohortCells.check()).toEqual([]);
    });
  },
};

export function crowdSays(direction: 'bullish' | 'bearish'): Saying {
  return {
    place: {
      instrument: { market: 'crypto', symbol: 'CROWD', venue: 'BINANCE', asset_class: 'spot', quote_currency: 'USDT' },
      ...{ days: 1, seconds: 3_600, inDays: false },
    },
    ...{ direction, analysis_class: 'opinion', perspective_type: undefined, age: 0, owner: 0, bucket: 'weak_correct' },
  };
}

/** Two records of the agent in the crowd, of which no cohort key is the other's, graded at once. */
async function gradedTwice(bench: Bench, agent: AgentCaller): Promise<readonly string[]> {
  const sayings = [crowdSays('bullish'), crowdSays('bearish')];
  const ends = [];
  for (const saying of sayings) ends.push({ ...saying, record_id: await submitted(bench, [agent], saying) });
  await grade(bench.storage(), ends, await bench.now());
  return ends.map(({ record_id }) => record_id);
}

export async function foldAll(bench: Bench): Promise<void> {
  while ((await bench.storage().cohortCells.fold(1_000)) > 0);
}

/** Begins all counts by periods, whatever the size of their market. */
async function extendAll(bench: Bench): Promise<void> {
  while ((await bench.storage().cohortCells.extend(0)) > 0);
}

function withState(records: readonly Decision[], id: string, lifecycle_state: Decision['lifecycle_state']) {
  return records.map((record) => (record.record_id === id ? { ...record, lifecycle_state } : record));
}

/**
 * @param verified the owners that count as producers; all of them where it is absent
 * @returns the moment of the counts
 */
export async function expectExact(
  bench: Bench,
  records: readonly Decision[],
  filter: CohortFilter,
  producers: number,
  verified?: ReadonlySet<string>,
): Promise<string> {
  const ownerProof = verified ? 'verified' : 'none';
  const { moment, edition: _, ...summary } = await bench.storage().cohorts.summarise(filter, producers, ownerProof);
  const isCounted = (owner_id: string) => !verified || verified.has(owner_id);
  expect({ filter, ...summary }).toEqual({ filter, ...naiveSummary(records, filter, producers, isCounted) });
  return moment;
}

/** The windows of the members, and the largest owner of all and of half of them; with one more than there are, none. */
async function expectMembers(
  bench: Bench,
  records: readonly Decision[],
  filter: CohortFilter,
  moment: string,
): Promise<void> {
  const { cohorts } = bench.storage();
  const members = membersOf(records, filter);
  const windows = windowCounts(members.map(countedWindow));
  expect({ filter, windows: await cohorts.windows(filter, moment) }).toEqual({ filter, windows });
  const count = members.length;
  const half = Math.ceil(count / 2);
  const sizes = count === 0 ? [1] : [half, count, count + 1];
  const found = await Promise.all(sizes.map((size) => cohorts.largestOwner(filter, moment, size)));
  const largest = sizes.map((size) => naiveLargest(members, size));
  expect({ filter, largest: found.map((each) => each?.records ?? null) }).toEqual({ filter, largest });
  const [first, all] = found;
  if (first && all) expect(first.sample === all.sample).toBe(half === count);
}

/** The counts of so many cohorts, and the members of a fifth of them, which are read from records and not from cells. */
export async function anyFilters(
  bench: Bench,
  records: readonly Decision[],
  numRuns: number,
  verified?: ReadonlySet<string>,
): Promise<void> {
  const [someProducers, turns] = [fc.integer({ min: 1, max: 9 }), fc.nat({ max: 4 })];
  const query = fc.asyncProperty(filtersOver(records), someProducers, turns, async (filter, producers, turn) => {
    const moment = await expectExact(bench, records, filter, producers, verified);
    if (turn === 0) await expectMembers(bench, records, filter, moment);
  });
  await fc.assert(query, { numRuns: bench.runs(numRuns), seed: 2.5 * numRuns });
}
