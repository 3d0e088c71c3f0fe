import { expect, test } from '@jest/globals';
import { withoutImplied } from '../../../domain/cohorts/cohort-filter.ts';

const KEY = {
  market: 'crypto',
  cohort_key: 'crypto:btc:spot:usd:bullish:swing:opinion',
  include_retroactive: false,
} as const;

test('filters that a cohort key implies are dropped', () => {
  const said = { symbol: 'BTC', asset_class: 'spot', direction: 'bullish', analysis_class: 'opinion' } as const;
  const unsaid = { venue: 'KRAKEN', quote_currency: 'USDT', horizon_kind: 'trading_days', horizon_value: 1 } as const;
  expect(withoutImplied({ ...KEY, ...said, ...unsaid })).toEqual({ ...KEY, ...unsaid });
});

test('a filter without a cohort key stays as it is', () => {
  const filter = { market: 'stock', symbol: 'AAPL', include_retroactive: true } as const;
  expect(withoutImplied(filter)).toEqual(filter);
});

test.each([
  { market: 'stock' },
  { symbol: 'ETH' },
  { symbol: 'btc' },
  { asset_class: 'perp' },
  { direction: 'bearish' },
  { analysis_class: 'trade_plan' },
  { cohort_key: 'bullish', direction: 'bullish' },
] as const)('what contradicts it selects nothing: %j', (other) => {
  expect(withoutImplied({ ...KEY, ...other })).toBeNull();
});
