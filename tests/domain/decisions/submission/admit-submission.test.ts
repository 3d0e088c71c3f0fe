import { expect, test } from '@jest/globals';
import { symbolDirectory } from '../../../../adapters/market/symbols/current-symbols.ts';
import {
  type AdmittedSubmission,
  admitSubmission,
  type SubmissionFaults,
} from '../../../../domain/decisions/submission/admit-submission.ts';
import type { Submission } from '../../../../domain/decisions/submission/submission.ts';
import { nameBook } from '../../../../domain/market/name-book.ts';
import type { NameStatement } from '../../../../domain/market/name-statement.ts';
import { TABLE_VENUES } from '../../../../domain/market/venues.ts';

import { aStatement, learned } from '../../../builders/names.ts';

const at = new Date('2026-03-02T15:00:00.000Z');
const symbols = symbolDirectory(['MSFT', 'AAPL', 'BRK.B']);

const stock: Submission = {
  market: 'stock',
  symbol: 'MSFT',
  venue: 'NASDAQ',
  asset_class: 'spot',
  quote_currency: 'USD',
  direction: 'bullish',
  horizon_kind: 'trading_days',
  horizon_value: 5,
  data_cutoff: '2026-03-02T14:59:00.000Z',
};

function judge(
  changes: Partial<Submission>,
  shapeFaults: Parameters<typeof admitSubmission>[3] = [],
): AdmittedSubmission | SubmissionFaults {
  return admitSubmission({ ...stock, ...changes }, { symbols, venues: TABLE_VENUES }, at, shapeFaults);
}

function faultsOf(changes: Partial<Submission>): string[] {
  const judged = judge(changes);
  return 'faults' in judged ? judged.faults.map(({ path }) => path) : [];
}

test('a sound submission is admitted with its instrument, window and attribution', () => {
  const hash = 'a'.repeat(64);
  expect(judge({ symbol: ' brk/b ', workflow_ref: `wf:${hash}` })).toMatchObject({
    instrument: { market: 'stock', symbol: 'BRK.B', venue: 'NASDAQ' },
    plan: { origin: 'realtime', anchor: null },
    workflow_hash: hash,
    warnings: [],
  });
});

test('a malformed workflow reference is a warning, not a fault', () => {
  expect(judge({ workflow_ref: 'wf:xyz' })).toMatchObject({ workflow_hash: null, warnings: ['WORKFLOW_REF_INVALID'] });
});

test('a symbol that may have meant another coin is accepted with a warning', () => {
  const coin = {
    market: 'crypto',
    venue: 'BINANCE',
    quote_currency: 'USDT',
    horizon_kind: 'holding_seconds',
    horizon_value: 3_600,
  } as const;
  const read = (symbol: string) => judge({ ...coin, symbol });
  expect(read('BTCUSDT')).toMatchObject({
    instrument: { symbol: 'BTC' },
    warnings: ['SYMBOL_READ_AS The symbol was read as BTC.'],
  });
  expect(read('LSETH-USDT')).toMatchObject({ instrument: { symbol: 'LSETH' }, warnings: [] });
  expect(read('NOSUCHUSDT')).toMatchObject({
    instrument: { symbol: 'NOSUCHUSDT' },
    warnings: ['SYMBOL_READ_AS The symbol was read as NOSUCHUSDT.'],
  });
  expect(read('BTCUSDC')).toMatchObject({ faults: [{ path: 'symbol' }] });
});

test('a bare ticker of a venue with several suffixes is read as the first with a warning, unless the venue names its market', () => {
  const read = (venue: string, symbol: string) => judge({ venue, symbol, quote_currency: 'EUR' });
  expect(read('EURONEXT', 'ASML')).toMatchObject({
    instrument: { venue: 'EURONEXT', symbol: 'ASML.PA' },
    warnings: ['SYMBOL_READ_AS The symbol was read as ASML.PA.'],
  });
  expect(read('xams', 'ASML')).toMatchObject({ instrument: { venue: 'EURONEXT', symbol: 'ASML.AS' }, warnings: [] });
  expect(read('EURONEXT', 'ASML.AS')).toMatchObject({ instrument: { symbol: 'ASML.AS' }, warnings: [] });
});

test('a ticker of the wrong form is advised where the venue has a form and nothing else is wrong', () => {
  const hongKong = { venue: 'HKEX', symbol: 'TENCENT', quote_currency: 'HKD' };
  const advice = 'symbol is not supported: on HKEX send the ticker with .HK, or without, such as 2800.HK';
  expect(judge(hongKong)).toMatchObject({ faults: [{ path: 'symbol' }], symbol_advice: advice });
  expect(judge({ ...hongKong, quote_currency: 'EUR' })).toMatchObject({ symbol_advice: null });
  expect(judge({ ...hongKong, horizon_value: 0 })).toMatchObject({ symbol_advice: null });
  expect(judge({ symbol: '0700.HK' })).toMatchObject({ faults: [{ path: 'symbol' }], symbol_advice: null });
});

test('a window over a session without known hours, or past the announced days, is flagged', () => {
  const bombay = { venue: 'NSE', symbol: 'RELIANCE', quote_currency: 'INR' };
  const flags = (received: string, horizon_value: number) => {
    const sent = { ...stock, ...bombay, horizon_value, data_cutoff: received };
    const judged = admitSubmission(sent, { symbols, venues: TABLE_VENUES }, new Date(received));
    return 'faults' in judged ? judged.faults : judged.warnings;
  };
  expect(flags('2026-11-05T12:00:00.000Z', 1)).toEqual([]);
  expect(flags('2026-11-05T12:00:00.000Z', 3)).toEqual(['CALENDAR_GENERIC']);
  expect(flags('2026-11-09T02:00:00.000Z', 3)).toEqual([]);
  expect(flags('2026-12-28T02:00:00.000Z', 10)).toEqual(['CALENDAR_GENERIC']);
});

test('a window in seconds that is closed for most of its time is accepted with a warning that says how much is open', () => {
  const held = (horizon_value: number, data_cutoff = '2026-02-20T20:00:00Z') => {
    const judged = judge({ horizon_kind: 'holding_seconds', horizon_value, data_cutoff });
    return 'faults' in judged ? judged.faults : judged.warnings;
  };
  expect(held(86_400)).toEqual(['MOSTLY_CLOSED The venue is open for 1 h of these 24 h.']);
  expect(held(7_200, '2026-02-20T19:00:00Z')).toEqual([]);
  expect(
    judge({ market: 'crypto', symbol: 'BTC', venue: 'KRAKEN', horizon_kind: 'holding_seconds', horizon_value: 86_400 }),
  ).toMatchObject({ warnings: [] });
  expect(judge({ horizon_value: 1 })).toMatchObject({ warnings: [] });
});

test('sources dated after data_cutoff are counted in a warning', () => {
  const source = (published_at?: string) => ({
    factor: 'News',
    source: { name: 'Wire', ...(published_at && { published_at }) },
  });
  const dated = (...dates: (string | undefined)[]) => judge({ key_factors: dates.map(source) });
  expect(dated('2026-03-02T14:59:00Z', undefined)).toMatchObject({ warnings: [] });
  expect(dated('2026-03-02T14:59:01Z', '2026-03-01T00:00:00Z')).toMatchObject({
    warnings: ['SOURCES_AFTER_CUTOFF 1 source of key_factors is dated after data_cutoff.'],
  });
});

test('data at most 30 seconds ahead of the clock are accepted', () => {
  expect(faultsOf({ data_cutoff: '2026-03-02T15:00:30.000Z' })).toEqual([]);
  expect(faultsOf({ data_cutoff: '2026-03-02T15:00:30.001Z' })).toEqual(['data_cutoff']);
});

test('an unknown ticker that is the only fault comes with suggestions', () => {
  expect(judge({ symbol: 'MSTF' })).toMatchObject({ symbol_advice: 'Did you mean MSFT?' });
  expect(judge({ symbol: 'MSTF', horizon_value: 0 })).toMatchObject({ symbol_advice: null });
});

test('an unknown crypto pair is admitted, to be verified by a job', () => {
  const pair = { market: 'crypto', symbol: 'NEVERHEARDOF', venue: 'BINANCE', quote_currency: 'USDT' };
  expect(faultsOf(pair)).toEqual([]);
});

test('price targets need a direction, and a trade plan needs price targets', () => {
  const price_targets = { targets: [{ price: 500 }] };
  expect(faultsOf({ price_targets })).toEqual([]);
  expect(faultsOf({ price_targets, direction: 'neutral' })).toEqual(['price_targets']);
  expect(faultsOf({ analysis_class: 'trade_plan' })).toEqual(['price_targets']);
  expect(faultsOf({ analysis_class: 'trade_plan', price_targets })).toEqual([]);
});

test('each kind of invalidation once', () => {
  const drop = { kind: 'drops_below', threshold: 1 } as const;
  expect(faultsOf({ invalidation: [drop, { kind: 'rises_above', threshold: 2 }] })).toEqual([]);
  expect(faultsOf({ invalidation: [drop, drop] })).toEqual(['invalidation.1.kind']);
});

test('each tag, each relation to a record and each id of depends_on once, exactly as written', () => {
  const link = { record_id: 'dec_20260130_5c0ffee5', relation: 'extends' } as const;
  const factor = (depends_on: readonly string[]) => ({
    key_factors: [
      { factor: 'a', id: 'a' },
      { factor: 'b', depends_on },
    ],
  });
  expect(faultsOf({ tags: ['a', 'A', 'b'], related_records: [link, { ...link, relation: 'refines' }] })).toEqual([]);
  expect(faultsOf(factor(['a']))).toEqual([]);
  expect(faultsOf({ tags: ['a', 'b', 'a', 'a'] })).toEqual(['tags.2', 'tags.3']);
  expect(faultsOf({ related_records: [link, link] })).toEqual(['related_records.1']);
  expect(faultsOf(factor(['a', 'a']))).toEqual(['key_factors.1.depends_on.1']);
});

test('all faults are returned at once, those of the request parser first and each path once', () => {
  const judged = judge(
    {
      market: 'stok',
      venue: 'NASDQ',
      horizon_value: 500,
      data_cutoff: '2033-01-01T00:00:00Z',
      key_factors: [{ factor: 'a', id: 'a', depends_on: ['b'] }],
      analysis_class: 'trade_plan',
    },
    [
      { path: 'confidence', message: 'must be at most 1', received: 7 },
      { path: 'market', message: 'must be short', received: 'stok' },
    ],
  );
  if (!('faults' in judged)) throw new Error('It was admitted');
  expect(judged.faults.map(({ path }) => path)).toEqual([
    'confidence',
    'market',
    'venue',
    'horizon_value',
    'data_cutoff',
    'key_factors.0.depends_on.0',
    'price_targets',
  ]);
  expect(judged.faults[1]?.message).toBe('must be short');
});

test('a realtime plan holds no longer than the name does, until midnight of the venue', () => {
  const night = new Date('2026-03-02T23:30:00.000Z');
  const pair = { market: 'crypto', venue: 'OKX', quote_currency: 'USDT', symbol: 'ZZZ' } as const;
  const hour = { horizon_kind: 'holding_seconds', horizon_value: 3_600, data_cutoff: night.toISOString() } as const;
  const planned = (...said: readonly NameStatement[]) => {
    const listings = { symbols, venues: TABLE_VENUES, names: nameBook(learned(...said)) };
    const judged = admitSubmission({ ...stock, ...pair, ...hour }, listings, night);
    if ('faults' in judged) throw new Error(JSON.stringify(judged));
    return [judged.instrument.symbol, judged.names, new Date(judged.plan.until).toISOString()];
  };
  const renamed = aStatement({ market: 'crypto', name: 'ZZZ', from: '2020-03-13', until: '2026-03-03', key: 'YYY' });
  expect(planned()).toEqual(['ZZZ', 0, '2026-03-03T01:30:00.001Z']);
  expect(planned(renamed)).toEqual(['YYY', 1, '2026-03-03T00:00:00.000Z']);
  expect(planned({ ...renamed, until: '2027-03-03' })).toEqual(['YYY', 1, '2026-03-03T01:30:00.001Z']);
});
