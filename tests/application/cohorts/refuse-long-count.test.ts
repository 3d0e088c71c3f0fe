import { expect, test } from '@jest/globals';
import { refuseLongCount } from '../../../application/cohorts/cohort-filters.ts';
import type { CohortFilter } from '../../../domain/cohorts/cohort-filter.ts';
import { addUp, type CohortReader } from '../../../domain/cohorts/cohort-reader.ts';
import { COHORT } from '../../../domain/limits.ts';

const AS_OF: CohortFilter = { market: 'crypto', include_retroactive: false, as_of: new Date('2026-03-01') };
const KEY = { cohort_key: 'crypto:btc:spot:usd:bullish:swing:opinion' };

/** Of so many records, whatever the filter; it notes the filters. */
function readerOf(samples: number, filters: CohortFilter[] = []): Pick<CohortReader, 'summarise'> {
  const result = { ...addUp([], true), samples };
  return {
    summarise: async (filter) => {
      filters.push(filter);
      return { result, lastGraded: null, whole: result, moment: 'now' };
    },
  };
}

test.each<[string, Partial<CohortFilter>]>([
  ['times of data', { data_cutoff_since: new Date('2026-01-01') }],
  ['an instrument', { symbol: 'BTC', venue: 'BINANCE' }],
  ['a horizon of a direction', { horizon_kind: 'holding_seconds', horizon_value: 3_600, direction: 'bullish' }],
  ['a cohort key', KEY],
])('as_of with %s is refused above the limit, and says what to send', async (_, narrowed) => {
  const filter = { ...AS_OF, ...narrowed };
  const filters: CohortFilter[] = [];
  await expect(refuseLongCount(readerOf(COHORT.mostAsOf + 1, filters), filter)).rejects.toMatchObject({
    code: 'VALIDATION_ERROR',
    status: 422,
    details: [
      { path: 'as_of', message: expect.stringContaining('all but one of: direction and analysis_class; venue') },
    ],
  });
  expect(filters).toEqual([{ market: 'crypto', include_retroactive: false, ...narrowed }]);
  await expect(refuseLongCount(readerOf(COHORT.mostAsOf), filter)).resolves.toBeUndefined();
});

test.each<[string, CohortFilter]>([
  ['as_of alone', AS_OF],
  [
    'as_of with what every cell has',
    { ...AS_OF, perspective_type: 'technical', result_bucket: 'weak_correct', grid: 'fine' },
  ],
  ['as_of with a direction', { ...AS_OF, direction: 'bullish', analysis_class: 'opinion' }],
  ['as_of with a venue', { ...AS_OF, venue: 'BINANCE', quote_currency: 'USDT' }],
  ['as_of with a symbol', { ...AS_OF, symbol: 'BTC' }],
  ['as_of with a horizon', { ...AS_OF, horizon_value: 3_600 }],
  ['no as_of', { market: 'crypto', include_retroactive: false, ...KEY }],
])('%s is counted in a cohort of any size', async (_, filter) => {
  const filters: CohortFilter[] = [];
  await expect(refuseLongCount(readerOf(10_000_000, filters), filter)).resolves.toBeUndefined();
  expect(filters).toEqual([]);
});
