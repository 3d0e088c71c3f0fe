import { describe, expect, test } from '@jest/globals';
import {
  inPeriod,
  mayBeJudged,
  needsSurePart,
  partThresholds,
  reasonToWithhold,
  SUPPRESSION_REASONS,
  suppressionMessage,
} from '../../../domain/cohorts/suppression.ts';

const THRESHOLDS = { minProducers: 5, minSamples: 10 };
const RULES = { ...THRESHOLDS, ownerProof: 'none' } as const;
const countsOf = (samples: number, enoughProducers: boolean) => ({ samples, enoughProducers });

describe('by the letter', () => {
  test.each([
    [countsOf(10, true), countsOf(10, true), null],
    [countsOf(9, true), countsOf(20, true), 'too_few_samples'],
    [countsOf(9, false), countsOf(9, false), 'too_few_samples'],
    [countsOf(0, false), countsOf(20, true), 'too_few_samples'],
    [countsOf(10, false), countsOf(10, false), 'too_few_producers'],
    [countsOf(10, false), countsOf(20, true), 'narrowed_too_far'],
    [countsOf(10, true), countsOf(20, false), 'too_few_producers'],
  ])('%j of %j: %s', (result, whole, reason) => {
    expect(reasonToWithhold({ result, whole }, THRESHOLDS)).toBe(reason);
  });

  test('a cohort without records is withheld, even with thresholds of 0', () => {
    const nothing = { result: countsOf(0, false), whole: countsOf(0, false) };
    expect(reasonToWithhold(nothing, { minProducers: 1, minSamples: 1 })).toBe('too_few_samples');
  });
});

describe('in words', () => {
  test('a reason that is a threshold names it', () => {
    expect(suppressionMessage('too_few_samples', RULES)).toBe('Fewer than 10 records match the query.');
    expect(suppressionMessage('too_few_producers', RULES)).toMatch(/fewer than 5 owners\.$/);
  });

  test('where only verified owners count, the words say so of each number of owners', () => {
    const verified = { ...THRESHOLDS, ownerProof: 'verified' } as const;
    const words = suppressionMessage('too_few_producers', verified);
    expect(words).toMatch(/fewer than 5 owners with a verified identity\.$/);
    expect(suppressionMessage('narrowed_too_far', verified).match(/owners(?! with a verified identity)/)).toBeNull();
  });

  test('a part that is narrowed too far misses no threshold; the words name its rule and what to change', () => {
    const words = suppressionMessage('narrowed_too_far', { minProducers: 7, minSamples: 3, ownerProof: 'none' });
    expect(words).toMatch(/^The cohort has enough records and owners, and enough records match\. /);
    expect(words).not.toMatch(/few/);
    expect(words).toContain('at least 14 records and 7 owners');
    expect(words).toContain('Widen the times to whole months or years');
  });

  test('the words follow from the reason and the thresholds alone', () => {
    expect(suppressionMessage).toHaveLength(2);
    for (const reason of SUPPRESSION_REASONS) {
      expect(suppressionMessage(reason, RULES)).toBe(suppressionMessage(reason, { ...RULES }));
    }
  });
});

test('a result smaller than its cohort needs a sure part, unless one producer is enough', () => {
  const [less, equal] = [countsOf(10, true), countsOf(20, true)];
  expect(needsSurePart({ result: less, whole: equal }, THRESHOLDS)).toBe(true);
  expect(needsSurePart({ result: equal, whole: equal }, THRESHOLDS)).toBe(false);
  expect(needsSurePart({ result: less, whole: equal }, { minProducers: 1, minSamples: 1 })).toBe(false);
});

test('the thresholds of a part are those of its cohort, at least the contract’s, with two records per producer', () => {
  expect(partThresholds(THRESHOLDS)).toEqual(THRESHOLDS);
  expect(partThresholds({ minProducers: 2, minSamples: 2 })).toEqual(THRESHOLDS);
  expect(partThresholds({ minProducers: 7, minSamples: 3 })).toEqual({ minProducers: 7, minSamples: 14 });
  expect(partThresholds({ minProducers: 5, minSamples: 40 })).toEqual({ minProducers: 5, minSamples: 40 });
});

test('a part may be judged when it leaves out nothing, or at least as many records as it needs', () => {
  const judged = [9, 10, 11, 12].map((leftOut) => mayBeJudged(10, 10 + leftOut, THRESHOLDS));
  expect(judged).toEqual([false, true, true, true]);
  expect([mayBeJudged(10, 10, THRESHOLDS), mayBeJudged(9, 9, THRESHOLDS), mayBeJudged(9, 40, THRESHOLDS)]).toEqual([
    true,
    false,
    false,
  ]);
});

test('a filter within a period has the narrower bounds, and its other members', () => {
  const [early, late] = [new Date('2026-01-01'), new Date('2026-02-01')];
  const filter = { market: 'crypto', include_retroactive: true } as const;
  expect(inPeriod(filter, {})).toEqual(filter);
  expect(inPeriod(filter, { since: early, until: late })).toEqual({
    ...filter,
    data_cutoff_since: early,
    data_cutoff_until: late,
  });
  const bounded = { ...filter, data_cutoff_since: late, data_cutoff_until: early };
  expect(inPeriod(bounded, { since: early, until: late })).toEqual(bounded);
  expect(inPeriod(bounded, {})).toEqual(bounded);
});
