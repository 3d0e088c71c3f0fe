import { expect, test } from '@jest/globals';
import { cohortKey } from '../../../domain/cohorts/cohort-key.ts';
import type { HorizonKind } from '../../../domain/decisions/call.ts';

const bitcoin = {
  market: 'crypto',
  symbol: 'BTC',
  venue: 'BINANCE',
  asset_class: 'spot',
  quote_currency: 'USDT',
} as const;
const call = {
  instrument: bitcoin,
  direction: 'bullish',
  horizon_kind: 'holding_seconds',
  horizon_value: 3_600,
  analysis_class: 'opinion',
} as const;

test('the parts are in the order of the contract, in lower case, without the venue', () => {
  expect(cohortKey(call, false)).toBe('crypto:btc:spot:usd:bullish:intraday:opinion');
});

test.each(['USD', 'USDT', 'USDC'])('%s folds into usd', (quote_currency) => {
  expect(cohortKey({ ...call, instrument: { ...bitcoin, quote_currency } }, false).split(':')[3]).toBe('usd');
});

test('a coin whose circuit is not normal keeps its own name, any other quote always does', () => {
  expect(cohortKey(call, true).split(':')[3]).toBe('usdt');
  expect(cohortKey({ ...call, instrument: { ...bitcoin, quote_currency: 'EUR' } }, false).split(':')[3]).toBe('eur');
});

test.each<[HorizonKind, number, string]>([
  ['holding_seconds', 86_399, 'intraday'],
  ['holding_seconds', 86_400, 'swing'],
  ['holding_seconds', 11 * 86_400 - 1, 'swing'],
  ['holding_seconds', 11 * 86_400, 'position'],
  ['holding_seconds', 60 * 86_400, 'position'],
  ['holding_seconds', 60 * 86_400 + 1, 'long'],
  ['trading_days', 1, 'swing'],
  ['trading_days', 10, 'swing'],
  ['trading_days', 11, 'position'],
  ['trading_days', 60, 'position'],
  ['trading_days', 61, 'long'],
])('%s %d is %s', (horizon_kind, horizon_value, band) => {
  expect(cohortKey({ ...call, horizon_kind, horizon_value }, false).split(':')[5]).toBe(band);
});
