import { beforeAll, expect, test } from '@jest/globals';
import fc from 'fast-check';
import type { Decision } from '../../../domain/decisions/decision.ts';
import type { OwnerRecords, RecordFilter, RecordPlace } from '../../../domain/decisions/own/owner-records.ts';
import { anOutcome } from '../../builders/outcomes.ts';
import type { DecisionContract } from '../decisions/bench.ts';
import { found } from '../decisions/intake-acceptance.ts';
import { anyFilter, EVERYTHING, isListed } from './filters.ts';
import { aPopulation, type Population } from './population.ts';

export const listingContract: DecisionContract = {
  name: 'lists of own records',
  promises(bench) {
    let population: Population;
    let own: readonly Decision[];
    beforeAll(async () => {
      population = await aPopulation(bench);
      own = (await population.records()).filter(({ owner_id }) => owner_id === population.owner_id);
    });
    const list: OwnerRecords['list'] = (...query) => bench.storage().ownerRecords.list(...query);

    test('pages of any size hold each record once, the newest first', async () => {
      const expected = own.toSorted(newestFirst).map(({ record_id }) => record_id);
      expect(expected.length).toBeGreaterThan(30);
      for (const size of [1, 2, 7, expected.length, 100]) {
        expect(await inPages(list, population.owner_id, EVERYTHING, size)).toEqual(expected);
      }
    });

    test('every filter, alone and with others, selects what it says', async () => {
      let selected = 0;
      const property = fc.asyncProperty(anyFilter(own, population), async (filter) => {
        const expected = own.filter((record) => isListed(record, filter)).toSorted(newestFirst);
        selected += expected.length;
        const listed = await list(population.owner_id, filter, null, 100);
        expect(listed.map(({ record_id }) => record_id)).toEqual(expected.map(({ record_id }) => record_id));
      });
      await fc.assert(property, { numRuns: 300, seed: 7 });
      expect(selected).toBeGreaterThan(1_000);
    });

    test('nobody is shown the records of somebody else, also by the id of the agent', async () => {
      const { stranger, owner_id } = population;
      const theirs = await list(stranger.owner_id, EVERYTHING, null, 100);
      expect(theirs).toHaveLength(4);
      expect(theirs.every((record) => record.owner_id === stranger.owner_id)).toBe(true);
      expect(await list(owner_id, { ...EVERYTHING, agent_id: stranger.agent_id }, null, 100)).toEqual([]);
    });

    test('lists that are asked for together are each as if asked for alone', async () => {
      const { owner_id, agents, stranger } = population;
      const [first, second] = (await list(owner_id, EVERYTHING, null, 100)).filter((_, n) => n % 5 === 2);
      const ids = [...agents, stranger].map(({ agent_id }) => agent_id);
      const queries = [owner_id, stranger.owner_id].flatMap((owner) =>
        ids.flatMap((agent_id) =>
          [first, second, null].flatMap((after) =>
            [true, false].flatMap((include_archived) =>
              [1, 3, 100].map((size) => {
                const filter = { ...EVERYTHING, agent_id, include_archived };
                return [owner, filter, after ?? null, size] as const;
              }),
            ),
          ),
        ),
      );
      const all = (await population.records()).toSorted(newestFirst);
      const expected = queries.map(([owner, filter, after, size]) =>
        all
          .filter((record) => record.owner_id === owner && isListed(record, filter))
          .filter((record) => after === null || newestFirst(record, after) > 0)
          .slice(0, size)
          .map(({ record_id }) => record_id),
      );
      const together = await Promise.all(queries.map((query) => list(...query)));
      expect(together.map((listed) => listed.map(({ record_id }) => record_id))).toEqual(expected);
      expect(new Set(expected.map((ids) => ids.length)).size).toBeGreaterThan(4);
    });

    test('what is submitted while pages are read is on none of them', async () => {
      const { owner_id, agents } = population;
      const [first, ...rest] = await list(owner_id, EVERYTHING, null, 100);
      await bench.arrange().advance(1);
      await bench.accepted(agents[0]);
      const behind = await list(owner_id, EVERYTHING, first ?? null, 100);
      expect(behind.map(({ record_id }) => record_id)).toEqual(rest.map(({ record_id }) => record_id));
      expect(await list(owner_id, EVERYTHING, null, 100)).toHaveLength(rest.length + 2);
    });

    test('a listed record is as it is found by its id, with the figures of its path', async () => {
      const { raw_return, directional_return, mfe, mae } = anOutcome().facts;
      for (const listed of await list(population.owner_id, EVERYTHING, null, 100)) {
        const {
          facts,
          owner_facts,
          bars,
          notes,
          related,
          workflow_public,
          statement,
          salt,
          commitment,
          submission,
          log,
          ...row
        } = await found(bench, listed.record_id);
        const path = { raw_return, directional_return, mfe: mfe?.value, mae: mae.value };
        const none = { raw_return: null, directional_return: null, mfe: null, mae: null };
        expect(listed).toMatchObject({ ...row, ...(facts ? path : none) });
      }
    });
  },
};

/** The ids of all pages, each asked for behind the last record of the one before. */
export async function inPages(
  list: OwnerRecords['list'],
  owner_id: string,
  filter: RecordFilter,
  size: number,
): Promise<string[]> {
  const ids: string[] = [];
  for (let after: RecordPlace | null = null; ; ) {
    const page: Awaited<ReturnType<OwnerRecords['list']>> = await list(owner_id, filter, after, size);
    ids.push(...page.map(({ record_id }) => record_id));
    after = page.at(-1) ?? null;
    if (after === null || ids.length > 1_000) return ids;
  }
}

function newestFirst(a: RecordPlace, b: RecordPlace): number {
  const [one, other] = [a, b].map(({ submission_time, record_id }) => `${submission_time.toISOString()} ${record_id}`);
  return (one ?? '') < (other ?? '') ? 1 : -1;
}
