import { describe, expect, test } from '@jest/globals';
import type { Schemas } from '../../clients/typescript/client/wire.ts';
import { cautionsOf, readShare, wilsonInterval } from '../../clients/typescript/stats.ts';

type Overview = Schemas['CohortOverview'];

const counts = (a: number, b: number, c: number, d: number) => ({
  strong_correct: a,
  weak_correct: b,
  weak_incorrect: c,
  strong_incorrect: d,
});

/** The invented cohort of docs/cohorts.md. */
const ONE_DIRECTION = {
  result_distribution: counts(45, 28, 10, 17),
  had_said: {
    bullish: counts(45, 28, 10, 17),
    bearish: counts(17, 10, 28, 45),
    neutral: counts(26, 24, 22, 28),
  },
};

const OVERVIEW: Overview = {
  sample_count: 100,
  retroactive_count: 0,
  ...ONE_DIRECTION,
  result_distribution: counts(50, 30, 10, 10),
  time_range: null,
  windows: { instruments: 4, instrument_days: 100, max_concurrent: 1, disjoint: 100 },
  largest_owner_share: 'up_to_a_third',
  ungraded: { rejected: 0, data_unavailable: [], suspected: 0 },
  suppression: {} as Overview['suppression'],
};

describe('Wilson intervals', () => {
  test.each([
    [8, 10, 0.4902, 0.9433],
    [0, 10, 0, 0.2775],
    [10, 10, 0.7225, 1],
    [50, 100, 0.4038, 0.5962],
  ])('%i of %i is between the known shares', (count, of, low, high) => {
    const interval = wilsonInterval(count, of);
    expect([interval.low, interval.high].map((share) => Math.round(share * 10_000) / 10_000)).toEqual([low, high]);
  });

  test('end where a share differs from the counted one by so many of its own sigmas', () => {
    const sigmas = { 0.5: 0.674_489_75, 0.9: 1.644_853_63, 0.95: 1.959_963_98, 0.99: 2.575_829_3 };
    for (const [confidence, z] of Object.entries(sigmas)) {
      for (const [count, of] of [
        [3, 7],
        [1.5, 4],
        [99, 100],
        [1, 1_000],
      ] as const) {
        const { low, high } = wilsonInterval(count, of, Number(confidence));
        for (const end of [low, high]) {
          expect(Math.abs(count / of - end) / Math.sqrt((end * (1 - end)) / of)).toBeCloseTo(z, 6);
        }
      }
    }
  });

  test.each([
    [1, 0],
    [-1, 10],
    [11, 10],
    [Number.NaN, 10],
  ])('%d of %d are no counts', (count, of) => {
    expect(() => wilsonInterval(count, of)).toThrow(RangeError);
  });

  test.each([0, 1, -1, Number.NaN])('no confidence is %d', (confidence) => {
    expect(() => wilsonInterval(1, 2, confidence)).toThrow(RangeError);
  });
});

describe('a share of a cohort', () => {
  test('has its counts, its interval and what one direction would have got', () => {
    const share = readShare(OVERVIEW);
    expect(share).toMatchObject({ count: 80, of: 100, share: 0.8, separate: 100 });
    expect(share?.interval).toEqual(wilsonInterval(80, 100));
    expect(share?.hadSaid).toEqual({ bullish: 0.73, bearish: 0.27, neutral: 0.5 });
    expect(share?.aboveOneDirection).toBeCloseTo(0.07, 12);
  });

  test('is never above one direction where all decisions have it', () => {
    expect(readShare({ ...OVERVIEW, ...ONE_DIRECTION })?.aboveOneDirection).toBe(0);
  });

  test('counts overlapping windows as the separate ones, so that its interval is wider', () => {
    const windows = { ...OVERVIEW.windows, disjoint: 5 };
    expect(readShare({ ...OVERVIEW, windows })).toMatchObject({ separate: 5, interval: wilsonInterval(4, 5) });
  });

  test('has a wider interval the more cohorts were looked at', () => {
    expect(readShare(OVERVIEW, { looks: 20 })?.interval).toEqual(wilsonInterval(80, 100, 0.9975));
    expect(() => readShare(OVERVIEW, { looks: 0 })).toThrow(RangeError);
  });

  test('can be of other buckets', () => {
    expect(readShare(OVERVIEW, { buckets: ['strong_incorrect'], confidence: 0.5 })).toMatchObject({
      count: 10,
      hadSaid: { bullish: 0.17, bearish: 0.45, neutral: 0.28 },
      interval: wilsonInterval(10, 100, 0.5),
    });
  });

  test('says nothing of what is not shown', () => {
    const share = readShare({ ...OVERVIEW, had_said: null, windows: null });
    expect(share).toMatchObject({ share: 0.8, separate: null, interval: null, hadSaid: null, aboveOneDirection: null });
    expect(readShare({ ...OVERVIEW, result_distribution: null })).toBeNull();
    expect(readShare({ ...OVERVIEW, result_distribution: counts(0, 0, 0, 0) })).toBeNull();
  });
});

describe('cautions', () => {
  const unavailable = { rejected: 0, data_unavailable: [{ reason: 'coverage', total: 1 }], suspected: 0 };

  test.each<[string, Partial<Overview>, readonly string[]]>([
    ['a cohort that is shown in full', {}, []],
    ['a withheld one', { sample_count: null, result_distribution: null, had_said: null }, ['withheld']],
    ['retroactive decisions', { retroactive_count: 1 }, ['retroactive']],
    [
      'windows that overlap',
      { windows: { ...OVERVIEW.windows, disjoint: 99 } as Overview['windows'] },
      ['overlapping'],
    ],
    ['windows that are not shown', { windows: null }, ['overlap_unknown']],
    ['one owner', { largest_owner_share: 'more' }, ['one_owner']],
    ['owners that are not shown', { largest_owner_share: null }, ['owners_unknown']],
    ['one direction', ONE_DIRECTION, ['one_direction']],
    ['no comparison', { had_said: null }, ['no_comparison']],
    ['rejected decisions', { ungraded: { rejected: 1, data_unavailable: [], suspected: 0 } }, ['ungraded']],
    ['suspected outcomes', { ungraded: { rejected: 0, data_unavailable: [], suspected: 1 } }, ['ungraded']],
    ['decisions without prices', { ungraded: unavailable }, ['ungraded']],
    ['ungraded ones that are not shown', { ungraded: null }, ['ungraded_unknown']],
  ])('of %s', (_, change, cautions) => {
    expect(cautionsOf({ ...OVERVIEW, ...change })).toEqual(cautions);
  });
});
