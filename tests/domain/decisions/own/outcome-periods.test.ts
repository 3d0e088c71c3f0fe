import { expect, test } from '@jest/globals';
import { outcomesByPeriod, type PeriodTally, periodOf } from '../../../../domain/decisions/own/outcome-periods.ts';

test('a week begins on Monday at 00:00 UTC, a month on its first day', () => {
  const weeks = {
    '2026-11-29T23:59:59.999Z': '2026-11-23',
    '2026-11-30T00:00:00.000Z': '2026-11-30',
    '2027-01-01T12:00:00.000Z': '2026-12-28',
    '1970-01-01T00:00:00.000Z': '1969-12-29',
    '1969-12-28T12:00:00.000Z': '1969-12-22',
  };
  for (const [at, week] of Object.entries(weeks)) expect([at, periodOf(new Date(at), 'week')]).toEqual([at, week]);
  expect(periodOf(new Date('2026-11-30T23:59:59Z'), 'month')).toBe('2026-11-01');
});

const tally = (change: Partial<PeriodTally>): PeriodTally => ({
  period: '2026-11-23',
  submission_origin: 'realtime',
  direction: 'bullish',
  result_bucket: 'strong_correct',
  move: 9,
  records: 1,
  ...change,
});

test('origins are apart, the first period first, and what is in no count by bucket is said', () => {
  const tallies = [
    tally({ submission_origin: 'retroactive', records: 4 }),
    tally({ period: '2026-11-16', direction: 'bearish', result_bucket: 'strong_incorrect', records: 2 }),
    tally({ records: 3 }),
    tally({ result_bucket: null, move: null, records: 5 }),
  ];
  const [first, second, third] = outcomesByPeriod(tallies);
  expect([first, second, third].map((each) => [each?.period, each?.submission_origin, each?.uncounted_count])).toEqual([
    ['2026-11-16', 'realtime', 0],
    ['2026-11-23', 'realtime', 5],
    ['2026-11-23', 'retroactive', 0],
  ]);
  expect(first?.by_direction.bearish.strong_incorrect).toBe(2);
  expect(first?.had_said?.bullish.strong_correct).toBe(2);
  expect(first?.had_said?.bearish.strong_incorrect).toBe(2);
  expect(second?.result_distribution).toEqual({ ...NONE, strong_correct: 3 });
});

test('what each direction would have got is null where the move of one is not known', () => {
  expect(outcomesByPeriod([tally({}), tally({ move: null })])[0]?.had_said).toBeNull();
  expect(outcomesByPeriod([tally({ result_bucket: null, move: null })])[0]).toMatchObject({
    result_distribution: NONE,
    uncounted_count: 1,
  });
});

const NONE = { strong_correct: 0, weak_correct: 0, weak_incorrect: 0, strong_incorrect: 0 };
