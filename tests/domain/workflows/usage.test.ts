import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { type RecordsOfWorkflow, usageOf } from '../../../domain/workflows/workflow-reader.ts';

const TEN_BY_FIVE = { minProducers: 5, minSamples: 10 };

const records = (evaluated: number, at: string | null = null): RecordsOfWorkflow => ({
  total: evaluated + 1,
  evaluated,
  buckets: { strong_correct: evaluated, weak_correct: 0, weak_incorrect: 0, strong_incorrect: 0 },
  last_used_at: at === null ? null : new Date(at),
});
const usage = (own: RecordsOfWorkflow, others: RecordsOfWorkflow, enoughProducers: boolean) =>
  usageOf({ own, others: { ...others, enoughProducers }, forks: 2, snapshots: 3 }, TEN_BY_FIVE);

test('own records and those of others are counted together', () => {
  expect(usage(records(4), records(10), true)).toEqual({
    decisions: { total: 16, evaluated: 14, result_distribution: records(14).buckets },
    forks: 2,
    snapshots: 3,
    last_used_at: null,
  });
});

test.each([
  [1, false, false],
  [9, true, false],
  [10, false, false],
  [10, true, true],
  [0, false, true],
])('with %i records of others, by enough producers: %s, their outcomes are shown: %s', (evaluated, enough, isShown) => {
  const { result_distribution } = usage(records(1_000), records(evaluated), enough).decisions;
  expect(result_distribution === null).toBe(!isShown);
});

test('the last use is the later one, to the minute', () => {
  const [early, late] = ['2026-03-02T12:00:59.999Z', '2026-03-02T12:07:31.123Z'];
  const minute = new Date('2026-03-02T12:07:00.000Z');
  expect(usage(records(1, early), records(1, late), true).last_used_at).toEqual(minute);
  expect(usage(records(1, late), records(1, null), true).last_used_at).toEqual(minute);
  expect(usage(records(1, early), records(0), true).last_used_at).toEqual(new Date('2026-03-02T12:00:00.000Z'));
});

test('while it is withheld, no reply depends on the outcomes of the records of others', () => {
  const buckets = fc.record({
    strong_correct: fc.nat(3),
    weak_correct: fc.nat(3),
    weak_incorrect: fc.nat(3),
    strong_incorrect: fc.nat(3),
  });
  const property = fc.property(buckets, buckets, fc.integer({ min: 1, max: 9 }), (one, other, evaluated) => {
    const replies = [one, other].map((each) => usage(records(3), { ...records(evaluated), buckets: each }, true));
    expect(replies[0]).toEqual(replies[1]);
  });
  fc.assert(property, { seed: 3 });
});
