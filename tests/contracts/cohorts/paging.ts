import { beforeAll, expect, test } from '@jest/globals';
import fc from 'fast-check';
import type { CohortFilter } from '../../../domain/cohorts/cohort-filter.ts';
import { COHORT_SORTS, type CohortReader, type CohortSort } from '../../../domain/cohorts/cohort-reader.ts';
import type { Decision } from '../../../domain/decisions/decision.ts';
import type { PublicRow } from '../../../domain/decisions/views/public-views.ts';
import { DAY } from '../../../domain/time.ts';
import { auditedModeration } from '../../builders/audited-moderation.ts';
import type { AgentCaller } from '../../builders/decisions.ts';
import type { DecisionContract } from '../decisions/bench.ts';
import { filtersOver } from './filters.ts';
import { membersOf } from './naive.ts';
import { grade, graded, type Saying, submitted, universe } from './universe.ts';

const ALL: CohortFilter = { market: 'crypto', include_retroactive: true };

/** One whose data end when it is said; graded now. */
export const SAYS: Saying = {
  place: {
    instrument: { market: 'crypto', symbol: 'BTC', venue: 'COINBASE', asset_class: 'spot', quote_currency: 'USD' },
    days: 1,
    seconds: 3_600,
    inDays: false,
  },
  direction: 'bullish',
  analysis_class: 'opinion',
  perspective_type: undefined,
  age: 0,
  owner: 0,
  bucket: 'weak_correct',
};

export const pagingContract: DecisionContract = {
  name: 'pages of cohorts',
  promises(bench) {
    let records: readonly Decision[];
    let agents: readonly AgentCaller[];
    beforeAll(async () => {
      records = await universe(bench, 90, 3);
      agents = [await bench.agent()];
    });
    const cohorts = () => bench.storage().cohorts;
    const momentOf = async (filter: CohortFilter) => (await cohorts().summarise(filter, 1)).moment;

    test('pages of any length hold every member once, in either order', async () => {
      const walks = fc.asyncProperty(
        filtersOver(records),
        fc.constantFrom(...COHORT_SORTS),
        fc.constantFrom(1, 3, 10, 100),
        async (filter, sort, limit) => {
          const ids = membersOf(records, filter).map(({ record_id }) => record_id);
          const rows = await everyPage(cohorts(), filter, { sort, limit, moment: await momentOf(filter) });
          expect(idsOf(rows)).toEqual(sort === 'data_cutoff_asc' ? ids : ids.reverse());
        },
      );
      await fc.assert(walks, { numRuns: bench.runs(60), seed: 5 });
    });

    test('records of one data_cutoff are in the order of their ids', async () => {
      await bench.arrange().advance(1_000);
      const twins = await Promise.all([1, 2, 3, 4, 5].map(() => graded(bench, agents, SAYS)));
      const [twin] = await bench.storage().decisions.find(twins, null);
      if (!twin) throw new Error('There are twins');
      const since = { ...ALL, data_cutoff_since: twin.data_cutoff };
      const moment = await momentOf(since);
      const rows = await everyPage(cohorts(), since, { sort: 'data_cutoff_asc', limit: 2, moment });
      expect(idsOf(rows)).toEqual(twins.toSorted());
    });

    test('a row shows the record and its outcome, and not who made it', async () => {
      const [record] = membersOf(records, ALL);
      if (!record) throw new Error('There are records');
      const { record_id, market, symbol, venue, asset_class, quote_currency, cohort_key, direction } = record;
      const { analysis_class, perspective_type, horizon_kind, horizon_value, data_cutoff, submission_origin } = record;
      const { result_bucket, evaluated_at, facts } = record;
      const request = { sort: 'data_cutoff_asc', limit: 1, after: null, moment: await momentOf(ALL) } as const;
      expect(await cohorts().page(ALL, request)).toEqual([
        {
          ...{ record_id, market, symbol, venue, asset_class, quote_currency, cohort_key, direction, analysis_class },
          ...{ perspective_type, horizon_kind, horizon_value, data_cutoff, submission_origin, result_bucket },
          ...{ name: null, group_place: null, evaluated_at, created_regime: 'up_low' },
          ...{ received_symbol: null, received_cohort_key: null, counted_since: null },
          ...{ raw_return: facts?.raw_return, directional_return: 0.01, mfe: 0.02, mae: -0.005 },
        },
      ]);
    });

    test('what is graded after the moment is on no later page, wherever it would stand', async () => {
      for (const sort of COHORT_SORTS) {
        const moment = await momentOf(ALL);
        const before = await everyPage(cohorts(), ALL, { sort, limit: 100, moment });
        const page = { sort, limit: 7, moment };
        const rows = await everyPage(cohorts(), ALL, page, () =>
          graded(bench, agents, { ...SAYS, age: Math.floor(Math.random() * 60 * DAY) }),
        );
        expect(idsOf(rows)).toEqual(idsOf(before));
        expect(await momentOf(ALL)).not.toBe(moment);
      }
    });

    test('a record that leaves the public is on no later page, nor is it when it comes back', async () => {
      const moment = await momentOf(ALL);
      const before = idsOf(await everyPage(cohorts(), ALL, { sort: 'data_cutoff_asc', limit: 100, moment }));
      const gone = before.at(-1) ?? '';
      const page = { sort: 'data_cutoff_asc', limit: 100, moment } as const;
      await auditedModeration(bench.storage()).quarantine(gone, 'a test', await bench.now());
      expect(idsOf(await everyPage(cohorts(), ALL, page))).toEqual(before.slice(0, -1));
      await auditedModeration(bench.storage()).release(gone);
      expect(idsOf(await everyPage(cohorts(), ALL, page))).toEqual(before.slice(0, -1));
      const now = { ...page, moment: await momentOf(ALL) };
      expect(idsOf(await everyPage(cohorts(), ALL, now))).toEqual(before);
    });

    test('folding and a day that passes change no page', async () => {
      const page = { sort: 'data_cutoff_desc', limit: 10, moment: await momentOf(ALL) } as const;
      const before = idsOf(await everyPage(cohorts(), ALL, page));
      await bench.storage().cohortCells.fold(1_000);
      await bench.arrange().advance(DAY);
      await graded(bench, agents, { ...SAYS, age: 40 * DAY });
      expect(idsOf(await everyPage(cohorts(), ALL, page))).toEqual(before);
      const newer = { ...page, moment: await momentOf(ALL) };
      expect(await everyPage(cohorts(), ALL, newer)).toHaveLength(before.length + 1);
    });

    test('records that wait for their evaluation are on no page', async () => {
      const record_id = await submitted(bench, agents, SAYS);
      const request = { sort: 'data_cutoff_desc', limit: 100, moment: await momentOf(ALL) } as const;
      expect(idsOf(await everyPage(cohorts(), ALL, request))).not.toContain(record_id);
      await grade(bench.storage(), [], await bench.now());
    });

    test.each([
      '',
      'yesterday',
      '1',
      '1 1:2',
      '0 2:1:',
      'listing',
      'listing -1',
      '1 1:9:5,3',
      '1 0:0:',
      `1 1:${'9'.repeat(19)}:`,
    ])('a moment that no summary returned is refused: %j', async (moment) => {
      const request = { sort: 'data_cutoff_desc', limit: 1, after: null, moment } as const;
      await expect(cohorts().page(ALL, request)).rejects.toThrow(TypeError);
    });
  },
};

export interface Walk {
  readonly sort: CohortSort;
  readonly limit: number;
  readonly moment: string;
}

/** Page after page to the end; `between` happens after each. */
export async function everyPage(
  cohorts: Pick<CohortReader, 'page'>,
  filter: CohortFilter,
  walk: Walk,
  between: () => Promise<unknown> = async () => undefined,
): Promise<PublicRow[]> {
  const rows: PublicRow[] = [];
  for (;;) {
    const page = await cohorts.page(filter, { ...walk, after: rows.at(-1) ?? null });
    rows.push(...page);
    if (page.length < walk.limit) return rows;
    await between();
  }
}

export function idsOf(rows: readonly { readonly record_id: string }[]): string[] {
  return rows.map(({ record_id }) => record_id);
}
