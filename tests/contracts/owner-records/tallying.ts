import { beforeAll, expect, test } from '@jest/globals';
import fc from 'fast-check';
import type { Decision } from '../../../domain/decisions/decision.ts';
import {
  OUTCOME_PERIODS,
  type OutcomePeriod,
  outcomesByPeriod,
  type PeriodTally,
} from '../../../domain/decisions/own/outcome-periods.ts';
import { moveRangeOf, type RecordCounts, recordGroupOf } from '../../../domain/decisions/own/record-counts.ts';
import {
  type AgentTallies,
  type CountedFacets,
  type KnowledgeTally,
  type RecordTally,
  trackRecord,
} from '../../../domain/decisions/own/track-record.ts';
import { countedWindow, windowCounts } from '../../../domain/decisions/own/window-counts.ts';
import { knowledgeOf } from '../../../domain/decisions/submission/submission.ts';
import { uncountedReason } from '../../../domain/decisions/ungraded.ts';
import type { DecisionContract } from '../decisions/bench.ts';
import { FAR } from '../decisions/evaluated.ts';
import { ALL_COUNTED, anyTrackRecordFilter, isCounted, isSuspect } from './filters.ts';
import { aPopulation, type Population } from './population.ts';

export const tallyingContract: DecisionContract = {
  name: 'tallies of an agent',
  promises(bench) {
    let population: Population;
    let records: readonly Decision[];
    beforeAll(async () => {
      population = await aPopulation(bench);
      records = await population.records();
    });
    const own = () => records.filter(({ owner_id }) => owner_id === population.owner_id);
    const tally = (agent_id: string, filter = ALL_COUNTED, owner_id = population.owner_id) =>
      bench.storage().ownerRecords.tally(owner_id, agent_id, filter);

    test('each record counts once in every facet, archived ones too, under any filter', async () => {
      let counted = 0;
      let several = 0;
      const known = new Set<string>();
      const property = fc.asyncProperty(
        anyTrackRecordFilter(records),
        fc.constantFrom(...population.agents),
        async (filter, { agent_id }) => {
          const ofOwner = own().filter((record) => isCounted(record, filter));
          const selected = ofOwner.filter((record) => record.agent_id === agent_id);
          counted += selected.length;
          const actual = trackRecord(agent_id, (await tally(agent_id, filter)) ?? NOTHING);
          const expected = naiveTallies(ofOwner, agent_id);
          const windows = {
            realtime: windowsOf(selected, 'realtime'),
            retroactive: windowsOf(selected, 'retroactive'),
          };
          const further = {
            realtime: furtherOf(selected, 'realtime'),
            retroactive: furtherOf(selected, 'retroactive'),
          };
          const agent_count = population.agents.length;
          const knowledge = {
            realtime: knowledgeTallies(selected, 'realtime'),
            retroactive: knowledgeTallies(selected, 'retroactive'),
          };
          expect(actual).toEqual(
            trackRecord(agent_id, { agent_count, tallies: expected, windows, knowledge, further }),
          );
          if (windows.realtime.disjoint > 1) several += 1;
          for (const { key } of [...knowledge.realtime, ...knowledge.retroactive]) known.add(key);
        },
      );
      await fc.assert(property, { numRuns: 200, seed: 11 });
      expect(counted).toBeGreaterThan(500);
      expect(several).toBeGreaterThan(10);
      expect([...known].toSorted()).toEqual(['after', 'before', 'without']);
    });

    test('the counts add up, and the record_group of the store agrees with the lifecycle', async () => {
      const [{ agent_id }] = population.agents;
      const { retroactive, ...realtime } = trackRecord(agent_id, (await tally(agent_id)) ?? NOTHING);
      const ofAgent = records.filter((record) => record.agent_id === agent_id);
      expect(realtime.submission_count + retroactive.submission_count).toBe(ofAgent.length);
      const inStates = (...states: readonly string[]) =>
        ofAgent.filter(({ lifecycle_state }) => states.includes(lifecycle_state)).length;
      const suspected = ofAgent.filter((each) => each.lifecycle_state === 'evaluated' && isSuspect(each)).length;
      expect(suspected).toBeGreaterThan(2);
      expect(realtime.ungraded.suspected + retroactive.ungraded.suspected).toBe(suspected);
      expect(realtime.evaluated_count + retroactive.evaluated_count).toBe(inStates('evaluated') - suspected);
      expect(realtime.unavailable_count + retroactive.unavailable_count).toBe(
        inStates('rejected', 'data_unavailable', 'quarantined') + suspected,
      );
      for (const { pending_count, evaluated_count, unavailable_count, submission_count } of [realtime, retroactive]) {
        expect(pending_count + evaluated_count + unavailable_count).toBe(submission_count);
      }
      for (const counts of [realtime, retroactive]) expect(allCountsOf(counts).every(isSummedUp)).toBe(true);
      const { ungraded } = realtime;
      expect([ungraded.rejected, ungraded.data_unavailable]).toEqual([
        1,
        [
          { reason: 'no_entry', total: 1 },
          { reason: 'no_print', total: 1 },
        ],
      ]);
      expect(realtime.calibration?.length).toBeGreaterThan(2);
    });

    test('graded records count in the period in which their window ended, archived ones too', async () => {
      const ownerRecords = () => bench.storage().ownerRecords;
      const graded = own().filter(({ lifecycle_state }) => lifecycle_state === 'evaluated');
      const [early, late] = [...graded.map(({ end_time }) => end_time.getTime())].toSorted((a, b) => a - b).slice(1, 3);
      let uncounted = 0;
      for (const by of OUTCOME_PERIODS)
        for (const since of [null, new Date(early ?? 0), new Date(late ?? 0), FAR]) {
          const filter = { agent_id: null, since };
          const tallies = await ownerRecords().countOutcomes(population.owner_id, filter, by, graded.length);
          const counted = graded.filter(({ end_time }) => since === null || end_time >= since);
          expect(outcomesByPeriod(tallies ?? [])).toEqual(
            outcomesByPeriod(counted.map((each) => periodTally(each, by))),
          );
          expect((tallies ?? []).reduce((sum, { records }) => sum + records, 0)).toBe(counted.length);
          uncounted += counted.filter(isSuspect).length;
        }
      expect([
        graded.length > 20,
        uncounted > 0,
        new Set(graded.map(({ archived_at }) => archived_at === null)).size,
      ]).toEqual([...[true, true, 2]]);
    });

    test('the outcomes of one agent are counted alone, and those of the agents are those of the owner', async () => {
      const { agents, stranger, owner_id } = population;
      const graded = own().filter(({ lifecycle_state }) => lifecycle_state === 'evaluated');
      const since = graded.map(({ end_time }) => end_time).toSorted((a, b) => a.getTime() - b.getTime())[2] ?? FAR;
      const count = async (agent_id: string, from: Date | null, owner = owner_id) =>
        outcomesByPeriod(
          (await bench
            .storage()
            .ownerRecords.countOutcomes(owner, { agent_id, since: from }, 'month', graded.length)) ?? [],
        );
      const counts: number[] = [];
      for (const { agent_id } of agents)
        for (const from of [null, since]) {
          const counted = graded.filter(
            (each) => each.agent_id === agent_id && (from === null || each.end_time >= from),
          );
          expect(await count(agent_id, from)).toEqual(
            outcomesByPeriod(counted.map((each) => periodTally(each, 'month'))),
          );
          counts.push(counted.length);
        }
      expect(counts.filter((each) => each > 0).length).toBeGreaterThan(2);
      expect(await count(stranger.agent_id, null)).toEqual([]);
      expect(await count(agents[0].agent_id, null, stranger.owner_id)).toEqual([]);
      const most = graded.filter(({ agent_id }) => agent_id === agents[0].agent_id).length;
      const atMost = (limit: number) =>
        bench
          .storage()
          .ownerRecords.countOutcomes(owner_id, { agent_id: agents[0].agent_id, since: null }, 'week', limit);
      expect(await atMost(most - 1)).toBeNull();
      expect(await atMost(most)).not.toBeNull();
    });

    test('more graded records than were asked for are not counted, and others have none', async () => {
      const graded = own().filter(({ lifecycle_state }) => lifecycle_state === 'evaluated').length;
      const count = (owner_id: string, atMost: number) =>
        bench.storage().ownerRecords.countOutcomes(owner_id, { agent_id: null, since: null }, 'week', atMost);
      expect(await count(population.owner_id, graded - 1)).toBeNull();
      expect(await count(population.owner_id, graded)).not.toBeNull();
      const others = await count(population.stranger.owner_id, graded);
      expect((others ?? []).reduce((sum, { records }) => sum + records, 0)).toBe(
        records.filter((each) => each.owner_id !== population.owner_id && each.lifecycle_state === 'evaluated').length,
      );
    });

    test('an owner gets no counts for the agent of another owner or for an unknown agent', async () => {
      const { stranger, agents } = population;
      expect(await tally(stranger.agent_id)).toBeNull();
      expect(await tally(agents[0].agent_id, ALL_COUNTED, stranger.owner_id)).toBeNull();
      expect(await tally('agt_000000000000')).toBeNull();
    });

    test('an agent without records shows the counts of the other agents of its owner', async () => {
      const { agent_id } = await bench.agent(population.agents[0]);
      const empty = trackRecord(agent_id, (await tally(agent_id)) ?? NOTHING);
      expect([empty.submission_count, empty.retroactive.submission_count]).toEqual([0, 0]);
      const { agent_count, submission_count, retroactive } = empty.all_agents;
      expect(agent_count).toBe(population.agents.length + 1);
      expect(submission_count + retroactive.submission_count).toBe(own().length);
    });
  },
};

/** Said another way than by the storages: the start of the period from the parts of the date. */
function periodTally(record: Decision, by: OutcomePeriod): PeriodTally {
  const { submission_origin, direction, result_bucket, end_time } = record;
  const start = new Date(end_time);
  start.setUTCHours(0, 0, 0, 0);
  if (by === 'month') start.setUTCDate(1);
  else while (start.getUTCDay() !== 1) start.setUTCDate(start.getUTCDate() - 1);
  const counted = isSuspect(record)
    ? { result_bucket: null, move: null }
    : { result_bucket, move: moveRangeOf(record) };
  return { period: start.toISOString().slice(0, 10), submission_origin, direction, ...counted, records: 1 };
}

const NOTHING: AgentTallies = {
  ...{ agent_count: 0, tallies: [], windows: { realtime: null, retroactive: null } },
  knowledge: { realtime: [], retroactive: [] },
  further: { realtime: 0, retroactive: 0 },
};

function knowledgeTallies(records: readonly Decision[], origin: Decision['submission_origin']): KnowledgeTally[] {
  return records
    .filter((record) => record.submission_origin === origin)
    .map((record) => ({
      ...{
        record_group: recordGroupOf(record),
        ungraded: uncountedReason(record),
        move: moveRangeOf(record),
        records: 1,
      },
      key: knowledgeOf({ ...record.submission, data_cutoff: record.data_cutoff.toISOString() }),
    }));
}

function furtherOf(records: readonly Decision[], origin: Decision['submission_origin']): number {
  return records.filter((record) => (record.group_place ?? 1) > 1 && record.submission_origin === origin).length;
}

function windowsOf(records: readonly Decision[], origin: Decision['submission_origin']) {
  const graded = records.filter(
    (record) => record.lifecycle_state === 'evaluated' && !isSuspect(record) && record.submission_origin === origin,
  );
  return windowCounts(graded.filter(({ group_place }) => (group_place ?? 1) === 1).map(countedWindow));
}

/** @param ofOwner the records of all agents of the owner that are counted */
export function naiveTallies(ofOwner: readonly Decision[], agent: string): readonly RecordTally[] {
  return [...ofOwner.filter(({ agent_id }) => agent_id === agent).flatMap(tallies), ...ofOwner.map(ownerTally)];
}

function ownerTally(record: Decision): RecordTally {
  const [all] = tallies(record);
  if (!all) throw new Error('Each record is counted once among all.');
  return { ...all, facet: 'owner' };
}

/** The counts of a track record, and those of its directions, symbols and months. */
function allCountsOf(counts: CountedFacets): readonly RecordCounts[] {
  return [counts, ...Object.values(counts.by_direction), ...counts.by_symbol, ...counts.by_month];
}

/** Whether the ungraded records are among the unavailable ones. The one quarantined record of the population is too. */
function isSummedUp({ unavailable_count, ungraded }: RecordCounts): boolean {
  const { rejected, data_unavailable, suspected } = ungraded;
  const others = unavailable_count - data_unavailable.reduce((sum, { total }) => sum + total, rejected + suspected);
  return others === 0 || others === 1;
}

/** What one record adds to each facet. */
function tallies(record: Decision): RecordTally[] {
  const { submission_origin, submission_time: first, lifecycle_state, result_bucket, last_error, submission } = record;
  const closed = { rejected: 'unavailable', data_unavailable: 'unavailable', quarantined: 'unavailable' } as const;
  const open = lifecycle_state in closed ? 'unavailable' : 'pending';
  const isUncounted = lifecycle_state === 'evaluated' && isSuspect(record);
  const bucket = isUncounted ? 'unavailable' : result_bucket;
  const record_group = lifecycle_state === 'evaluated' && bucket ? bucket : open;
  const reasons: Partial<Record<typeof lifecycle_state, string | undefined>> = {
    rejected: 'rejected',
    data_unavailable: last_error?.split(':')[0],
  };
  const ungraded = isUncounted ? 'suspected' : (reasons[lifecycle_state] ?? null);
  const group = { submission_origin, record_group, ungraded, move: moveRangeOf(record) } as const;
  const one = { ...group, records: 1, first, last: first } as const;
  const { confidence } = submission;
  return [
    { ...one, facet: 'all', key: '' },
    { ...one, facet: 'direction', key: record.direction },
    { ...one, facet: 'symbol', key: `${record.market}:${record.symbol}` },
    { ...one, facet: 'month', key: first.toISOString().slice(0, 7) },
    ...(confidence === undefined
      ? []
      : [{ ...one, facet: 'confidence' as const, key: `${confidence === 1 ? 9 : Math.floor(confidence * 10)}` }]),
  ];
}
