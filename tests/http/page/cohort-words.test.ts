import { expect, test } from '@jest/globals';
import { overviewFacts, queryWords } from '../../../adapters/http/page/browser/cohorts/cohort-query.ts';

const WITHHELD = {
  sample_count: null,
  retroactive_count: null,
  result_distribution: null,
  had_said: null,
  time_range: null,
  windows: null,
  largest_owner_share: null,
  ungraded: null,
  suppression: { applied: true, reason: 'too_few_samples', message: 'Few.', min_producers: 5, min_samples: 10 },
} as const;

test('a query is named by all of its filters', () => {
  expect(queryWords({ market: 'crypto', include_retroactive: false })).toBe(
    'every crypto, all directions, stated before the outcome',
  );
  const identity = {
    market: 'stock',
    symbol: 'MSFT',
    venue: 'NASDAQ',
    asset_class: 'spot',
    quote_currency: 'USD',
  } as const;
  const more = { direction: 'bullish', horizon_kind: 'trading_days', horizon_value: 5, period: '2003-02' } as const;
  expect(queryWords({ ...identity, ...more, include_retroactive: true })).toBe(
    'MSFT on NASDAQ, spot, in USD, bullish, over 5 trading days, data up to a time in 2003-02, retroactive decisions included',
  );
});

test('what is withheld is no fact', () => {
  expect(overviewFacts(WITHHELD)).toEqual([]);
});

test('every fact of an overview is in words', () => {
  const facts = overviewFacts({
    ...WITHHELD,
    retroactive_count: 12,
    time_range: { earliest: '2003-01-06T14:00:00Z', latest: '2003-02-13T14:00:00Z' },
    windows: { instruments: 1, instrument_days: 11, max_concurrent: 4, disjoint: 5 },
    largest_owner_share: 'more',
    ungraded: { rejected: 0, data_unavailable: [{ reason: 'coverage', total: 10 }], suspected: 2 },
  });
  const words = Object.fromEntries(facts);
  expect(Object.keys(words)).toEqual(['Data up to', 'Retroactive', 'Overlap', 'Largest owner', 'Not counted']);
  expect(words['Data up to']).toBe('6 Jan 2003 to 13 Feb 2003');
  expect(words.Overlap).toContain('at most 4 windows of one instrument at once; 5 can be chosen without any overlap');
  expect(words['Largest owner']).toContain('more than about a third');
  expect(words['Not counted']).toBe(
    '0 rejected, 10 for lack of data (coverage), 2 graded by a price or a leap that nothing explains. They are in no other count.',
  );
});
