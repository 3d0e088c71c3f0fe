import { expect, test } from '@jest/globals';
import {
  claim,
  horizon,
  instant,
  instrument,
  localSpan,
  percent,
  price,
} from '../../../adapters/http/page/browser/kit/value-texts.ts';

const RECORD = {
  record_id: 'dec_20260130_5c0ffee5',
  market: 'crypto',
  symbol: 'BTC-USDT',
  venue: 'BINANCE',
  asset_class: 'perp',
  quote_currency: 'USDT',
  direction: 'bearish',
  horizon_kind: 'holding_seconds',
  horizon_value: 5_400,
  data_cutoff: '2003-02-13T14:00:00Z',
  submission_origin: 'retroactive',
} as const;

test.each([
  [0.043377, '+4.34\u00a0%'],
  [-0.006033, '\u22120.60\u00a0%'],
  [0.00001, '0.00\u00a0%'],
  [-0.00001, '0.00\u00a0%'],
])('%d is %s', (fraction, words) => {
  expect(percent(fraction)).toBe(words);
});

test.each([
  [46.41, '46.41'],
  [1250.920044, '1,250.92'],
  [0.0000123456, '0.0000123456'],
])('a price of %d is %s', (value, words) => {
  expect(price(value)).toBe(words);
});

test.each([
  [{ horizon_kind: 'trading_days', horizon_value: 1 }, '1\u00a0trading day'],
  [{ horizon_kind: 'holding_seconds', horizon_value: 5_400 }, '90\u00a0minutes'],
  [{ horizon_kind: 'holding_seconds', horizon_value: 1_209_600 }, '14\u00a0days'],
  [{ horizon_kind: 'holding_seconds', horizon_value: 61 }, '61\u00a0seconds'],
] as const)('a horizon of %j is %s', (record, words) => {
  expect(horizon(record)).toBe(words);
});

test('an instrument is written as people write it', () => {
  expect(instrument(RECORD)).toBe('BTC/USDT perp');
  expect(instrument({ ...RECORD, market: 'stock', symbol: 'BRK.B', asset_class: 'spot' })).toBe('BRK.B');
});

test('times are shown in UTC, independent of the time zone of the reader', () => {
  expect(instant('2003-02-13T23:30:00Z')).toBe('13 Feb 2003, 23:30 UTC');
});

test('a decision is shown as a sentence, which says whether it is retroactive', () => {
  expect(claim(RECORD)).toBe(
    'An agent stated retroactively, on data up to 13 Feb 2003, 14:00 UTC: after 90\u00a0minutes BTC/USDT perp on BINANCE will be lower.',
  );
  expect(claim({ ...RECORD, submission_origin: 'realtime' })).not.toContain('retroactively');
});

test.each([
  ['Asia/Hong_Kong', '6 May 2024, 09:30 to 10 May 2024, 16:00'],
  ['Australia/Sydney', '6 May 2024, 11:30 to 10 May 2024, 18:00'],
  ['America/New_York', '5 May 2024, 21:30 to 10 May 2024, 04:00'],
])('a window on the clocks of %s', (zone, words) => {
  expect(localSpan('2024-05-06T01:30:00.000Z', '2024-05-10T08:00:00.000Z', zone)).toBe(words);
});
