import { expect, test } from '@jest/globals';
import { evaluationPlan } from '../../../application/grading/evaluate-group.ts';
import { EVAL_2 } from '../../../domain/grading/eval-2.ts';
import type { EvaluationCall } from '../../../domain/grading/evaluation.ts';
import { endTime } from '../../../domain/grading/windows/window.ts';
import type { BarSize } from '../../../domain/market/bars.ts';
import { type Listing, openCoverage, type SourceCoverage } from '../../../domain/market/market-data.ts';

const BTC = { market: 'crypto', symbol: 'BTC', venue: 'COINBASE', asset_class: 'spot', quote_currency: 'USD' } as const;
const LISTING: Listing = {
  source: 'bar-files',
  sizes: ['1h', '1d'],
  history_from: 0,
  delisted_at: null,
  cadence: 'continuous',
};
const NOW = new Date('2024-06-01T00:00:00Z');

/** Five UTC days, which are graded on hours where there are hours. */
function callAt(anchor: string): EvaluationCall {
  const horizon = { horizon_kind: 'trading_days', horizon_value: 5 } as const;
  const anchor_time = Date.parse(anchor);
  const end_time = endTime({ instrument: BTC, ...horizon }, anchor_time);
  return { instrument: BTC, direction: 'bullish', ...horizon, anchor_time, end_time, data_cutoff: anchor_time };
}

function files(ranges: Partial<Record<BarSize, readonly [string, string]>>): SourceCoverage {
  const spans = Object.entries(ranges).map(([size, [from, to]]) => [
    size,
    { from: Date.parse(from), to: Date.parse(to) },
  ]);
  return { source: 'bar-files', spans: Object.fromEntries(spans), delisted_at: null };
}

const FILES = files({ '1h': ['2024-03-01', '2024-04-01'], '1d': ['2020-01-01', '2024-05-01'] });
const planOf = (anchor: string, ...sources: readonly SourceCoverage[]) =>
  evaluationPlan(EVAL_2, callAt(anchor), { listing: LISTING, sources }, NOW);

test('a size is used where its range contains the window, else the next coarser one', () => {
  expect(planOf('2024-03-05T00:00:00Z', FILES)).toMatchObject({ kind: 'bars', path: { size: '1h' } });
  expect(planOf('2024-04-05T00:00:00Z', FILES)).toMatchObject({ kind: 'bars', path: { size: '1d' } });
});

test('a window that no source can ever cover ends at once, with the ranges', () => {
  const plan = planOf('2024-05-05T00:00:00Z', FILES);
  expect(plan).toMatchObject({ kind: 'data_unavailable', reason: 'not_covered' });
  expect(plan).toMatchObject({
    detail: expect.stringContaining('1d bars from 2020-01-01T00:00:00.000Z to 2024-05-01'),
  });
});

test('another source that may have further bars leaves it to the fetch', () => {
  expect(
    planOf(
      '2024-05-05T00:00:00Z',
      FILES,
      openCoverage('coinbase', () => 0),
    ).kind,
  ).toBe('bars');
});

test('a window that is not settled waits, whatever covers it', () => {
  expect(planOf('2024-05-30T00:00:00Z', FILES)).toMatchObject({ kind: 'postponed', reason: 'not_settled' });
});

test('without any responsible source it is tried again for days, because a folder may be away for a while', () => {
  expect(planOf('2024-03-05T00:00:00Z')).toMatchObject({ kind: 'deferred', reason: 'out_of_reach' });
});

test('files without daily bars have no volatility, and never will by themselves', () => {
  const hours = files({ '1h': ['2024-03-01', '2024-04-01'] });
  expect(planOf('2024-03-05T00:00:00Z', hours)).toMatchObject({
    kind: 'data_unavailable',
    reason: 'insufficient_history',
    detail: 'bar-files has no daily bars.',
  });
});

test('what the bar files lack is no verdict while they replace a source that covers the window', () => {
  const alpaca = openCoverage('alpaca', () => 0);
  const waits = { kind: 'deferred', reason: 'out_of_reach' };
  expect(planOf('2024-03-05T00:00:00Z', files({ '1h': ['2024-03-01', '2024-04-01'] }), alpaca)).toMatchObject({
    ...waits,
    detail: 'bar-files has no daily bars. bar-files serves the instrument now; alpaca may have the bars.',
  });
  const daily: Listing = { ...LISTING, sizes: ['1d'] };
  const hour = { horizon_kind: 'holding_seconds', horizon_value: 3_600 } as const;
  const call = { ...callAt('2024-03-05T00:00:00Z'), ...hour, end_time: Date.parse('2024-03-05T01:00:00Z') };
  const plan = (...sources: readonly SourceCoverage[]) =>
    evaluationPlan(EVAL_2, call, { listing: daily, sources }, NOW);
  expect(plan(FILES, alpaca)).toMatchObject(waits);
  expect(plan(files({ '1d': ['2020-01-01', '2024-05-01'] }))).toMatchObject({ reason: 'below_resolution' });
});
