import { expect, test } from '@jest/globals';
import type { DecisionStatus } from '../../../domain/decisions/decision.ts';
import { HOUR, MINUTE, rfc3339 } from '../../../domain/time.ts';
import { anOutcome } from '../../builders/outcomes.ts';
import type { DecisionContract } from './bench.ts';
import { evaluateAll } from './evaluated.ts';
import { found } from './intake-acceptance.ts';

export const decisionReadingContract: DecisionContract = {
  name: 'reading decisions',
  promises(bench) {
    test('existing records are found, each once, and unknown ids are left out', async () => {
      const agent = await bench.agent();
      const ids = [await bench.accepted(agent), await bench.accepted(agent)].map(({ record_id }) => record_id);
      const requested = [...ids, 'dec_20260101_00000000', ...ids];
      const decisions = await bench.storage().decisions.find(requested, null);
      expect(decisions.map(({ record_id }) => record_id).toSorted()).toEqual(ids.toSorted());
      expect(await bench.storage().decisions.find([], null)).toEqual([]);
    });

    test('records that are read at once by several viewers are each returned to their own viewer', async () => {
      const agents = [await bench.agent(), await bench.agent(), await bench.agent()];
      const ids = await Promise.all(agents.map(async (agent) => (await bench.accepted(agent)).record_id));
      await evaluateAll(bench);
      const reads = agents.flatMap((viewer) => ids.map((record_id) => ({ record_id, viewer: viewer.owner_id })));
      const decisions = await Promise.all(reads.map(({ record_id, viewer }) => found(bench, record_id, viewer)));
      expect(decisions.map(({ record_id }) => record_id)).toEqual(reads.map(({ record_id }) => record_id));
      const withBars = decisions.map(({ owner_id, bars }, i) => (bars !== null) === (owner_id === reads[i]?.viewer));
      expect(withBars).toEqual(reads.map(() => true));
    });

    test('an outcome is read as it was written; only the owner reads its bars', async () => {
      const agent = await bench.agent();
      const stranger = await bench.agent();
      const { record_id } = await bench.accepted(agent);
      const outcome = anOutcome({ result_bucket: 'weak_incorrect' });
      await evaluateAll(bench, outcome);
      const mine = await found(bench, record_id, agent.owner_id);
      expect(mine).toMatchObject({ lifecycle_state: 'evaluated', evaluated_at: await bench.now(), due_at: null });
      const { result_bucket, created_regime, facts, owner_facts, bars } = mine;
      expect({ result_bucket, created_regime, facts, owner_facts, bars }).toEqual(outcome);
      expect((await found(bench, record_id, stranger.owner_id)).bars).toBeNull();
      expect((await found(bench, record_id, null)).bars).toBeNull();
    });

    test('the status of records is the same as in the whole records, for every viewer', async () => {
      const [agent, stranger] = [await bench.agent(), await bench.agent()];
      const graded = await bench.accepted(agent);
      await evaluateAll(bench);
      const open = await bench.accepted(agent);
      const ids = [graded.record_id, open.record_id, 'dec_20260101_00000000', graded.record_id];
      for (const viewer of [agent.owner_id, stranger.owner_id, null]) {
        const { decisions } = bench.storage();
        const [whole, statuses] = await Promise.all([decisions.find(ids, viewer), decisions.findStatus(ids, viewer)]);
        expect(statuses).toHaveLength(2);
        expect(inOrder(whole)).toMatchObject(inOrder(statuses));
        const shown = ({ lifecycle_state, facts, owner_facts, bars }: DecisionStatus) => {
          return { lifecycle_state, facts, owner_facts, bars };
        };
        expect(inOrder(statuses).map(shown)).toEqual(inOrder(whole).map(shown));
      }
      await evaluateAll(bench);
    });

    test('for a table an owner has the same records without bars, notes and relations, and those of nobody else', async () => {
      const [agent, stranger] = [await bench.agent(), await bench.agent()];
      const graded = await bench.accepted(agent);
      await evaluateAll(bench);
      const open = await bench.accepted(agent);
      const ids = [open.record_id, graded.record_id, 'dec_20260101_00000000', graded.record_id];
      const { decisions } = bench.storage();
      const whole = inOrder(await decisions.find(ids, agent.owner_id));
      expect(whole.map(({ lifecycle_state }) => lifecycle_state).toSorted()).toEqual(['evaluated', 'pending_verify']);
      const tabled = whole.map(({ salt: _, related: __, bars: ___, notes: ____, log, ...others }) => {
        return { ...others, log: log && { index: log.index, outcome_index: log.outcome_index } };
      });
      expect(inOrder(await decisions.findTabled(ids, agent.owner_id))).toEqual(tabled);
      expect(await decisions.findTabled(ids, stranger.owner_id)).toEqual([]);
      await evaluateAll(bench);
    });

    test('a path that is kept in several stretches is read in the order of time', async () => {
      const agent = await bench.agent();
      const { record_id } = await bench.accepted(agent);
      const { facts, bars } = anOutcome();
      const begin = Date.parse(facts.entry.time) - 4 * HOUR;
      const path = Array.from({ length: 300 }, (_, i) => {
        const [start, end] = [rfc3339(begin + i * MINUTE), rfc3339(begin + (i + 1) * MINUTE)];
        return bars.map((bar) => ({ ...bar, start, end, volume: i }));
      }).flat();
      const entry = { ...facts.entry, time: rfc3339(begin) };
      await evaluateAll(bench, anOutcome({ facts: { ...facts, entry }, bars: path }));
      expect((await found(bench, record_id, agent.owner_id)).bars).toEqual(path);
    });

    test('marks are read', async () => {
      const agent = await bench.agent();
      const { record_id } = await bench.accepted(agent);
      const archived_at = await bench.now();
      await bench.arrange().mark(record_id, { archived_at, quarantine_reason: 'made up' });
      const marks = { archived_at, quarantine_reason: 'made up', lifecycle_state: 'quarantined', due_at: null };
      expect(await found(bench, record_id)).toMatchObject(marks);
    });
  },
};

function inOrder<Found extends Pick<DecisionStatus, 'record_id'>>(found: readonly Found[]): Found[] {
  return found.toSorted((a, b) => (a.record_id < b.record_id ? -1 : 1));
}
