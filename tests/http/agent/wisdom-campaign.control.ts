import { beforeAll, describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import type { CohortFilter } from '../../../domain/cohorts/cohort-filter.ts';
import type { CohortRules } from '../../../domain/cohorts/suppression.ts';
import type { Decision } from '../../../domain/decisions/decision.ts';
import { filtersOver } from '../../contracts/cohorts/filters.ts';
import { membersOf, naiveSummary } from '../../contracts/cohorts/naive.ts';
import { universe } from '../../contracts/cohorts/universe.ts';
import { NOON } from '../../contracts/decisions/adapters.ts';
import { benchOn } from '../../contracts/decisions/bench.ts';
import { anAgentAt, type TestAgent } from '../../harness/callers.ts';
import { wisdom } from '../../harness/cohorts.ts';
import { openService, type TestService } from '../../harness/service.ts';

let service: TestService;
let rules: CohortRules = { minProducers: 5, minSamples: 10, ownerProof: 'none' };
let reader: TestAgent;
let records: readonly Decision[];

const bench = benchOn({
  name: 'the service on postgres',
  async open() {
    service = await openService('postgres', {
      at: NOON,
      ports: ({ settings }) => ({
        settings: {
          ...settings,
          get wisdom() {
            return rules;
          },
        },
      }),
    });
    return { storage: service.ports, operators: service.operators, arrange: service.arrange, close: service.close };
  },
});

beforeAll(async () => {
  records = await universe(bench, 300, 1);
  reader = await anAgentAt(service);
});

const parametersOf = ({
  data_cutoff_since,
  data_cutoff_until,
  as_of,
  include_retroactive,
  ...equal
}: CohortFilter) => ({
  ...equal,
  include_retroactive: String(include_retroactive),
  data_cutoff_since: data_cutoff_since?.toISOString(),
  data_cutoff_until: data_cutoff_until?.toISOString(),
  as_of: as_of?.toISOString(),
});

const isEmptyRange = ({ data_cutoff_since: since, data_cutoff_until: until }: CohortFilter) =>
  since !== undefined && until !== undefined && since >= until;

describe('the replies to 500 random queries over HTTP are equal to counts over the records', () => {
  const queries = () =>
    fc.sample(
      filtersOver(records).filter((filter) => !isEmptyRange(filter)),
      { numRuns: 500, seed: 7 },
    );

  /** The members in both orders, the counts, the facets; null when it is withheld. */
  const summaryOverHttp = async (filter: CohortFilter, sort: string) => {
    const { body, status, text } = await wisdom(reader, { ...parametersOf(filter), sort, limit: 100 });
    if (status !== 200) throw new Error(text);
    const { sample_count, retroactive_count, result_distribution, had_said, time_range } = body.overview;
    if (sample_count === null) return null;
    const facets = body.facets.map((each: { dimension: string; total: number }) => `${each.dimension} ${each.total}`);
    const ids = body.items.map(({ record_id }: { record_id: string }) => record_id);
    const counts = { sample_count, retroactive_count, result_distribution, had_said, time_range };
    return { ...counts, facets: facets.toSorted(), ids };
  };

  const counted = (filter: CohortFilter, sort: string) => {
    const members = membersOf(records, filter);
    const { result } = naiveSummary(records, filter, 1);
    const ids = members.map(({ record_id }) => record_id);
    return {
      sample_count: result.samples,
      retroactive_count: result.retroactive,
      result_distribution: result.buckets,
      had_said: filter.result_bucket ? null : result.had_said,
      time_range: { earliest: result.earliest?.toISOString(), latest: result.latest?.toISOString() },
      facets: result.perspectives.map((each) => `${each.perspective_type} ${each.total}`).toSorted(),
      ids: (sort === 'data_cutoff_asc' ? ids : ids.toReversed()).slice(0, 100),
    };
  };

  test('with thresholds of 1 and 1, every reply is exact', async () => {
    rules = { minProducers: 1, minSamples: 1, ownerProof: 'none' };
    let shown = 0;
    for (const [n, filter] of queries().entries()) {
      const sort = n % 2 === 0 ? 'data_cutoff_asc' : 'data_cutoff_desc';
      const expected = counted(filter, sort);
      expect([filter, await summaryOverHttp(filter, sort)]).toEqual([
        filter,
        expected.sample_count === 0 ? null : expected,
      ]);
      if (expected.sample_count > 0) shown++;
    }
    expect(shown).toBeGreaterThan(200);
  });

  test('with those of the contract, replies about whole cohorts are exact, and narrowed ones are exact or withheld', async () => {
    rules = { minProducers: 5, minSamples: 10, ownerProof: 'none' };
    const seen = { whole: 0, narrowed: 0, withheld: 0 };
    for (const filter of queries()) {
      const { result, whole } = naiveSummary(records, filter, 5);
      const isAllowed = result.samples >= 10 && result.enoughProducers && whole.enoughProducers;
      const reply = await summaryOverHttp(filter, 'data_cutoff_desc');
      if (reply !== null) expect([filter, reply]).toEqual([filter, counted(filter, 'data_cutoff_desc')]);
      if (reply !== null) expect([filter, isAllowed]).toEqual([filter, true]);
      if (result.samples === whole.samples) expect([filter, reply !== null]).toEqual([filter, isAllowed]);
      seen[reply === null ? 'withheld' : result.samples === whole.samples ? 'whole' : 'narrowed']++;
    }
    for (const count of Object.values(seen)) expect(count).toBeGreaterThan(20);
  });
});
