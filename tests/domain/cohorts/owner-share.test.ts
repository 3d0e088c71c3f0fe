import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import type { CohortFilter } from '../../../domain/cohorts/cohort-filter.ts';
import { ownerShare, shareMargin, shareSize } from '../../../domain/cohorts/owner-share.ts';
import { COHORT } from '../../../domain/limits.ts';

const WHOLE: CohortFilter = { market: 'crypto', include_retroactive: true };
const lean = fc.double({ min: -1, max: 1, maxExcluded: true, noNaN: true });

test('a share that is clearly above or below a third is shown as what it is, whatever the lean', () => {
  fc.assert(
    fc.property(fc.integer({ min: 5, max: 10_000 }), fc.integer({ min: 1, max: 10_000 }), lean, (size, most, by) => {
      const excess = Math.min(most, size) - size / 3;
      fc.pre(Math.abs(excess) > shareMargin(size));
      expect(ownerShare(Math.min(most, size), size, by)).toBe(excess > 0 ? 'more' : 'up_to_a_third');
    }),
  );
});

test('near a third the lean decides', () => {
  const shares = (largest: number) => [-0.9, 0, 0.9].map((by) => ownerShare(largest, 30, by));
  expect(shares(11)).toEqual(['more', 'more', 'up_to_a_third']);
  expect(shares(10)).toEqual(['more', 'up_to_a_third', 'up_to_a_third']);
  expect([7, 8, 12, 13].map((largest) => new Set(shares(largest)).size)).toEqual([1, 2, 2, 1]);
});

test('the share is of 30 records, and of a quarter more each time that the cohort has grown by that', () => {
  const sizes = [29, 30, 36, 37, 45, 46, 57, 71, 88, 10_000, 10_001].map((samples) => shareSize(WHOLE, samples, 10));
  expect(sizes).toEqual([null, 30, 30, 37, 37, 46, 57, 71, 88, 9_390, null]);
});

test('with a lower minimum each size is at least seven records larger than the one before', () => {
  expect([2, 3, 9, 10, 16, 17].map((samples) => shareSize(WHOLE, samples, 1))).toEqual([null, 3, 3, 10, 10, 17]);
});

test('one record more changes the sample only at the next size', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 40 }), fc.integer({ min: 0, max: 9_000 }), (minSamples, further) => {
      const samples = Math.min(3 * minSamples + further, COHORT.mostWindows - 1);
      const [size = 0, next = 0] = [shareSize(WHOLE, samples, minSamples), shareSize(WHOLE, samples + 1, minSamples)];
      expect(size).toBeLessThanOrEqual(samples);
      expect(next === size || (next === samples + 1 && Number(next) >= Number(size) + 7)).toBe(true);
      expect(shareSize(WHOLE, size ?? 0, minSamples)).toBe(size);
    }),
  );
});

test('what decisions are about narrows no cohort; everything else does', () => {
  const at = new Date('2026-03-01T00:00:00Z');
  const about: Partial<CohortFilter> = {
    ...{ symbol: 'BTC', venue: 'COINBASE', asset_class: 'spot', quote_currency: 'USD' },
    ...{ cohort_key: 'crypto:btc:spot:usd:bullish:swing:opinion', direction: 'bullish', analysis_class: 'opinion' },
    ...{ horizon_kind: 'holding_seconds', horizon_value: 3_600 },
  };
  const narrowings: readonly Partial<CohortFilter>[] = [
    { perspective_type: 'technical' },
    { result_bucket: 'weak_correct' },
    { data_cutoff_since: at },
    { data_cutoff_until: at },
    { as_of: at },
    { method: 'eval/2' },
    { grid: 'fine' },
  ];
  const share = (filter: Partial<CohortFilter>) => shareSize({ ...WHOLE, ...filter }, 30, 10);
  expect([share(about), share({ include_retroactive: false })]).toEqual([30, 30]);
  expect(narrowings.map((filter) => share({ ...about, ...filter }))).toEqual(narrowings.map(() => null));
});
