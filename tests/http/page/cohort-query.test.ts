import { expect, test } from '@jest/globals';
import {
  cohortAddress,
  cohortFilters,
  cohortPath,
  pinned,
} from '../../../adapters/http/page/browser/cohorts/cohort-query.ts';

test('an address keeps its filters, and nothing else', () => {
  const query = new URLSearchParams('market=stock&symbol= BRK/B &cursor=x&include_retroactive=true&venue=');
  const filters = cohortFilters(query);
  expect(filters).toEqual({ market: 'stock', symbol: 'BRK/B', include_retroactive: 'true' });
  expect(cohortFilters(new URLSearchParams(cohortAddress(filters).split('?')[1]))).toEqual(filters);
  expect(cohortPath(filters)).toBe('/api/v1/public/cohorts?market=stock&symbol=BRK%2FB&include_retroactive=true');
});

test('a reply is pinned to its time, which replaces another one', () => {
  const date = 'Fri, 30 Jan 2026 14:31:00 GMT';
  expect(pinned({ market: 'stock' }, date)).toEqual({ market: 'stock', as_of: '2026-01-30T14:31:00.000Z' });
  expect(pinned({ as_of: '2025-01-01T00:00:00Z' }, date)).toEqual({ as_of: '2026-01-30T14:31:00.000Z' });
});

test.each(['', 'yesterday'])('without a time of the reply (%j) nothing is pinned', (date) => {
  expect(pinned({ market: 'crypto' }, date)).toEqual({ market: 'crypto' });
});
