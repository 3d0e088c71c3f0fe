import { beforeAll, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { type CohortFilter, wholeCohort } from '../../../domain/cohorts/cohort-filter.ts';
import type { OwnerProof } from '../../../domain/cohorts/cohort-reader.ts';
import type { UngradedCohort } from '../../../domain/cohorts/ungraded-cohort.ts';
import type { Decision } from '../../../domain/decisions/decision.ts';
import type { EvaluationEnd } from '../../../domain/decisions/evaluation-store.ts';
import { COHORT } from '../../../domain/limits.ts';
import { identityOf, instrumentKey } from '../../../domain/market/instrument.ts';
import { DAY, HOUR } from '../../../domain/time.ts';
import { auditedModeration } from '../../builders/audited-moderation.ts';
import { type AgentCaller, aVerifiedAgent } from '../../builders/decisions.ts';
import { aGraded, aSuspectedOutcome } from '../../builders/outcomes.ts';
import { NOON } from '../decisions/adapters.ts';
import type { Bench, DecisionContract } from '../decisions/bench.ts';
import { endOf, FAR } from '../decisions/evaluated.ts';
import { filtersOver, singleFilters } from './filters.ts';
import { SAYS } from './paging.ts';
import { SAYING, submitted, submittedGroup } from './universe.ts';

const STOCKS: CohortFilter = { market: 'stock', include_retroactive: true };
const CRYPTO: CohortFilter = { market: 'crypto', include_retroactive: true };

/** Ungraded records next to graded ones: always as many as a count of the records gives. */
export const ungradedContract: DecisionContract = {
  name: 'counting ungraded records of cohorts',
  promises(bench) {
    let agents: readonly AgentCaller[];
    let ids: readonly string[];
    const records = () => bench.storage().decisions.find(ids, null);
    const counts = async (filter: CohortFilter) => (await bench.storage().cohorts.ungraded(filter, 1))?.counts;
    /** Every second owner is verified. */
    const exact = async (numRuns: number) => {
      const all = await records();
      const verified = new Set(agents.filter((_, i) => i % 2 === 0).map(({ owner_id }) => owner_id));
      const expectExact = async (filter: CohortFilter, producers: number, ownerProof: OwnerProof) => {
        const isCounted = (owner_id: string) => ownerProof === 'none' || verified.has(owner_id);
        const ungraded = await bench.storage().cohorts.ungraded(filter, producers, ownerProof);
        expect({ filter, ungraded }).toEqual({ filter, ungraded: naiveUngraded(all, filter, producers, isCounted) });
      };
      for (const filter of singleFilters(all.slice(0, bench.runs(20))))
        await expectExact(wholeCohort(filter), 3, 'none');
      const any = fc.asyncProperty(
        filtersOver(all).map(wholeCohort),
        fc.integer({ min: 1, max: 9 }),
        fc.constantFrom('none', 'verified'),
        expectExact,
      );
      await fc.assert(any, { numRuns: bench.runs(numRuns), seed: numRuns });
    };
    beforeAll(async () => {
      const one = (i: number) => (i % 2 === 0 ? aVerifiedAgent(bench.storage()) : bench.agent());
      agents = await Promise.all(Array.from({ length: 8 }, (_, i) => one(i)));
      ids = await endedInAllWays(bench, agents, 150, 3);
    });

    test('there are ungraded records of each kind, and they are counted exactly', async () => {
      const all = [await counts(STOCKS), await counts(CRYPTO)].flatMap((each) => each ?? []);
      expect(all.map(({ rejected, suspected }) => rejected > 3 && suspected > 3)).toEqual([true, true]);
      const reasons = all.flatMap(({ data_unavailable }) => data_unavailable.map(({ reason }) => reason));
      expect(new Set(reasons)).toEqual(new Set(['no_print', 'coverage', 'below_resolution']));
      await exact(80);
    });

    test('nothing is counted where there is nothing, or where filters contradict each other', async () => {
      const none = { counts: { rejected: 0, data_unavailable: [], suspected: 0 }, enoughProducers: false };
      expect(await bench.storage().cohorts.ungraded({ ...CRYPTO, symbol: 'NONE' }, 1)).toEqual(none);
      const [some] = (await records()).filter(({ market }) => market === 'crypto');
      const contradictory: CohortFilter = { ...CRYPTO, symbol: 'NONE', cohort_key: some?.cohort_key ?? '' };
      expect(await bench.storage().cohorts.ungraded(contradictory, 1)).toEqual(none);
    });

    test('quarantined ones are counted nowhere from the next query on', async () => {
      for (const { record_id } of ended(await records()).filter((_, i) => i % 3 === 0)) {
        await auditedModeration(bench.storage()).quarantine(record_id, 'a test', await bench.now());
      }
      await exact(30);
    });

    test('those that are tried again leave the counts, and return when they end again', async () => {
      const instruments = new Map(ended(await records()).map((each) => [instrumentKey(each), identityOf(each)]));
      for (const instrument of instruments.values()) {
        await bench.storage().verification.revive(instrument, await bench.now());
      }
      expect(ended(await records())).toEqual([]);
      const none = { rejected: 0, data_unavailable: [] };
      expect([await counts(STOCKS), await counts(CRYPTO)]).toMatchObject([none, none]);
      await endAll(bench);
      expect(ended(await records()).length).toBeGreaterThan(20);
      await exact(30);
    });

    if (bench.isSampled) return;
    test('the threshold of owners is exact up to its maximum', async () => {
      const most = COHORT.mostMinProducers;
      const place = { ...SAYS.place, instrument: { ...SAYS.place.instrument, symbol: 'CROWD' } };
      const answers: (boolean | undefined)[] = [];
      for (let owners = 1; owners <= most + 1; owners++) {
        const agent = await bench.agent();
        for (const direction of ['bullish', 'bearish'] as const) {
          await submitted(bench, [agent], { ...SAYS, place, direction });
        }
        await rejectAll(bench);
        answers.push((await bench.storage().cohorts.ungraded({ ...CRYPTO, symbol: 'CROWD' }, most))?.enoughProducers);
      }
      expect(answers).toEqual(answers.map((_, i) => i + 1 >= most));
    });

    test('up to the limit of a symbol or market they are counted exactly, above it not at all', async () => {
      const { cohorts } = bench.storage();
      const place = { ...SAYS.place, instrument: { ...SAYS.place.instrument, symbol: 'FLOOD' } };
      const flood: CohortFilter = { ...CRYPTO, symbol: 'FLOOD' };
      const submit = async (count: number) => {
        const ids: string[] = [];
        // Not all of them at once: each waits for a connection, and none may wait too long on a busy machine.
        while (ids.length < count) {
          const some = Array.from({ length: Math.min(126, count - ids.length) }, () =>
            submitted(bench, agents, { ...SAYS, place }),
          );
          ids.push(...(await Promise.all(some)));
        }
        return ids;
      };
      const [first] = await bench.storage().decisions.find(await submit(COHORT.mostUngraded), null);
      await rejectAll(bench);
      expect((await cohorts.ungraded(flood, 1))?.counts.rejected).toBe(COHORT.mostUngraded);
      expect(await cohorts.ungraded(CRYPTO, 1)).toBeNull();
      await submit(1);
      await rejectAll(bench);
      const narrower = [flood, { ...flood, direction: 'neutral' }, { ...CRYPTO, cohort_key: first?.cohort_key ?? '' }];
      for (const filter of narrower as CohortFilter[]) expect(await cohorts.ungraded(filter, 1)).toBeNull();
      const others = [STOCKS, { ...CRYPTO, symbol: 'CROWD' }, { ...CRYPTO, symbol: 'NONE' }];
      for (const filter of others) expect(await cohorts.ungraded(filter, 1)).not.toBeNull();
    });
  },
};

/** What `CohortReader.ungraded` has to return. */
function naiveUngraded(
  records: readonly Decision[],
  { include_retroactive, ...equal }: CohortFilter,
  producers: number,
  counts: (owner_id: string) => boolean,
): UngradedCohort {
  const members = [...ended(records), ...suspectedOf(records)].filter((record) => {
    if (!include_retroactive && record.submission_origin === 'retroactive') return false;
    const isOneHorizon = equal.horizon_kind !== undefined && equal.horizon_value !== undefined;
    if ((record.group_place ?? 1) > 1 && !isOneHorizon) return false;
    return Object.entries(equal).every(([name, value]) => record[name as keyof Decision] === value);
  });
  const unavailable = members.filter(({ lifecycle_state }) => lifecycle_state === 'data_unavailable');
  const reasons = [...Map.groupBy(unavailable, ({ last_error }) => last_error?.split(':')[0] ?? '')];
  return {
    counts: {
      rejected: members.filter(({ lifecycle_state }) => lifecycle_state === 'rejected').length,
      suspected: suspectedOf(members).length,
      data_unavailable: reasons
        .map(([reason, all]) => ({ reason, total: all.length }))
        .toSorted((a, b) => b.total - a.total || (a.reason < b.reason ? -1 : 1)),
    },
    enoughProducers: new Set(members.map(({ owner_id }) => owner_id).filter(counts)).size >= producers,
  };
}

function ended(records: readonly Decision[]): readonly Decision[] {
  return records.filter(({ lifecycle_state: state }) => state === 'rejected' || state === 'data_unavailable');
}

/** Outcomes that no cohort counts, because nothing explains a price or a leap of theirs. */
function suspectedOf(records: readonly Decision[]): readonly Decision[] {
  return records.filter(({ lifecycle_state, facts }) => {
    const isSuspected = facts?.method === 'eval/3' && (facts.suspected_split || facts.suspected_price);
    return lifecycle_state === 'evaluated' && isSuspected;
  });
}

/** Records over some months, of which some are graded and most are not. */
async function endedInAllWays(
  bench: Bench,
  agents: readonly AgentCaller[],
  count: number,
  seed: number,
): Promise<readonly string[]> {
  const sayings = fc.sample(SAYING, { numRuns: count, seed });
  const ids: string[] = [];
  for (let batch = 0; batch * 15 < count; batch += 1) {
    await bench.arrange().freeze(new Date(NOON.getTime() + batch * 9 * DAY + batch * 7 * HOUR));
    const said = sayings.slice(batch * 15, batch * 15 + 15);
    const records = said.map(async (saying, i) =>
      i % 4 === 3 ? submittedGroup(bench, agents, saying) : [await submitted(bench, agents, saying)],
    );
    ids.push(...(await Promise.all(records)).flat());
    await endAll(bench);
  }
  return ids;
}

/** Every second instrument that waits is rejected; the evaluations of the others end with and without an outcome. */
async function endAll(bench: Bench): Promise<void> {
  const { verification, evaluations } = bench.storage();
  for (const [i, instrument] of (await verification.awaitingVerification(FAR, 1_000)).entries()) {
    await verification.settleVerification(instrument, i % 2 === 0 ? 'rejected' : 'verified');
  }
  const claimed = await evaluations.claimDue(FAR, FAR, 10_000);
  const ends = claimed.map((each, i) => {
    const result = ENDS[i % ENDS.length];
    return endOf(each, result?.(each.decision.record_id));
  });
  await evaluations.endEvaluations(ends, await bench.now());
}

async function rejectAll(bench: Bench): Promise<void> {
  const { verification } = bench.storage();
  for (const instrument of await verification.awaitingVerification(FAR, 1_000)) {
    await verification.settleVerification(instrument, 'rejected');
  }
}

const ENDS: readonly (((record_id: string) => EvaluationEnd['result']) | undefined)[] = [
  undefined,
  () => ({ kind: 'data_unavailable', reason: 'no_print', detail: 'No trade.' }),
  (record_id) => aGraded(record_id, aSuspectedOutcome({ suspected_split: true })),
  () => ({ kind: 'deferred', reason: 'coverage', detail: 'Too few bars: 3.' }),
  () => ({ kind: 'data_unavailable', reason: 'below_resolution', detail: '' }),
  (record_id) => aGraded(record_id, aSuspectedOutcome({ suspected_price: true })),
];
