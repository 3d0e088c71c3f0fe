import { expect, test } from '@jest/globals';
import type { CohortFilter } from '../../../domain/cohorts/cohort-filter.ts';
import { COHORT } from '../../../domain/limits.ts';
import { auditedModeration } from '../../builders/audited-moderation.ts';
import { type AgentCaller, aVerifiedAgent } from '../../builders/decisions.ts';
import type { Bench, DecisionContract } from '../decisions/bench.ts';
import { anyFilters, crowdSays, foldAll } from './counting.ts';
import { graded, universe } from './universe.ts';

const CROWD: CohortFilter = { market: 'crypto', symbol: 'CROWD', include_retroactive: true };
const CONFIRMED: CohortFilter = { ...CROWD, symbol: 'CONFIRMED' };
/** Behind every owner of a builder, so that a full cell keeps none of them. */
const LAST = 'ffffffff-ffff-7fff-bfff-';

/** Where only verified owners count, the others add records and nothing else. */
export const verifyingContract: DecisionContract = {
  name: 'counting verified owners',
  promises(bench) {
    const enough = async (producers: number, ownerProof: 'none' | 'verified' = 'verified') => {
      const { result, whole } = await bench.storage().cohorts.summarise(CROWD, producers, ownerProof);
      expect(result.enoughProducers).toBe(whole.enoughProducers);
      return result.enoughProducers;
    };
    const says = (agent: AgentCaller) => graded(bench, [agent], crowdSays('bullish'));

    test('any filters together count exactly, folded or not, and while records leave', async () => {
      const agents = await someVerified(bench, 8);
      const verified = new Set(agents.filter((_, i) => i % 2 === 0).map(({ owner_id }) => owner_id));
      const records = await universe(bench, 120, 5, agents);
      await anyFilters(bench, records, 40, verified);
      await bench.storage().cohortCells.fold(60);
      await anyFilters(bench, records, 40, verified);
      await foldAll(bench);
      await anyFilters(bench, records, 40, verified);
      await anyFilters(bench, records, 10);
      const [gone] = records.filter(({ lifecycle_state }) => lifecycle_state === 'evaluated');
      await auditedModeration(bench.storage()).quarantine(gone?.record_id ?? '', 'a test', await bench.now());
      const left = await bench.storage().decisions.find(
        records.map(({ record_id }) => record_id),
        null,
      );
      await anyFilters(bench, left, 20, verified);
    });

    test('verified owners are found behind as many others as a cell holds', async () => {
      for (let i = 0; i < COHORT.mostMinProducers + 2; i += 1) await says(await bench.agent());
      await foldAll(bench);
      expect([await enough(1), await enough(COHORT.mostMinProducers, 'none')]).toEqual([false, true]);
      for (let n = 1; n <= 6; n += 1) {
        await says(await lastVerified(bench, n));
        expect([await enough(n), await enough(n + 1)]).toEqual([true, false]);
        if (n % 2 === 0) await foldAll(bench);
        expect([await enough(n), await enough(n + 1)]).toEqual([true, false]);
      }
      expect(await bench.storage().cohortCells.check()).toEqual([]);
    });

    test('an owner counts from the moment when the address is confirmed, with the records from before', async () => {
      const [agent, mate] = [await bench.agent(), await bench.agent()];
      const counted = async () => (await bench.storage().cohorts.summarise(CONFIRMED, 1, 'verified')).result;
      const said = crowdSays('bullish');
      const place = { ...said.place, instrument: { ...said.place.instrument, symbol: 'CONFIRMED' } };
      for (const each of [agent, mate]) await graded(bench, [each], { ...said, place });
      await foldAll(bench);
      expect((await counted()).enoughProducers).toBe(false);
      await bench.storage().owners.confirmEmail(agent.owner_id);
      expect((await counted()).enoughProducers).toBe(true);
      const two = async () =>
        (await bench.storage().cohorts.summarise(CONFIRMED, 2, 'verified')).result.enoughProducers;
      expect(await two()).toBe(false);
      await bench.storage().owners.confirmEmail(mate.owner_id);
      expect(await two()).toBe(true);
      expect(await bench.storage().cohortCells.check()).toEqual([]);
    });

    test('the threshold is exact up to its maximum', async () => {
      for (let n = 7; n <= COHORT.mostMinProducers; n += 1) await says(await lastVerified(bench, n));
      expect(await enough(COHORT.mostMinProducers)).toBe(true);
      await foldAll(bench);
      expect(await enough(COHORT.mostMinProducers)).toBe(true);
      await bench.operators().ownerAdministration.remove(ownerAt(7));
      expect([await enough(COHORT.mostMinProducers - 1), await enough(COHORT.mostMinProducers)]).toEqual([true, false]);
    });

    test('an owner that is deleted is verified no longer: its records stay and it does not count', async () => {
      const samples = async () => (await bench.storage().cohorts.summarise(CROWD, 1, 'verified')).result.samples;
      const [before, verified] = [await samples(), COHORT.mostMinProducers - 1];
      for (const n of [1, 2, 3]) {
        await bench.operators().ownerAdministration.remove(ownerAt(n));
        expect([await enough(verified - n), await enough(verified - n + 1)]).toEqual([true, false]);
      }
      expect(await samples()).toBe(before);
      expect(await bench.storage().cohortCells.check()).toEqual([]);
    });
  },
};

/** Every second one of them. */
function someVerified(bench: Bench, count: number): Promise<readonly AgentCaller[]> {
  const one = (i: number) => (i % 2 === 0 ? aVerifiedAgent(bench.storage()) : bench.agent());
  return Promise.all(Array.from({ length: count }, (_, i) => one(i)));
}

export function lastVerified(bench: Bench, place: number): Promise<AgentCaller> {
  return aVerifiedAgent(bench.storage(), { owner_id: ownerAt(place) });
}

function ownerAt(place: number): string {
  return `${LAST}${place.toString(16).padStart(12, '0')}`;
}
