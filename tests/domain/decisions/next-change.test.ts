import { expect, test } from '@jest/globals';
import { LIFECYCLE_STATES, UNAVAILABLE_STATES } from '../../../domain/decisions/lifecycle.ts';
import { type ChangeFacts, nextChange, secondsUntil } from '../../../domain/decisions/next-change.ts';

const now = new Date('2026-03-02T12:00:00.000Z');
const [before, soon, later] = [at(-60), at(60), at(3_600)];

test.each<[string, ChangeFacts, Date]>([
  ['the first verification', { lifecycle_state: 'pending_verify', end_time: later, due_at: null }, now],
  ['the next verification', { lifecycle_state: 'pending_verify', end_time: later, due_at: soon }, soon],
  ['an overdue verification', { lifecycle_state: 'pending_verify', end_time: later, due_at: before }, now],
  ['the end of the window', { lifecycle_state: 'verified', end_time: soon, due_at: later }, soon],
  ['the first attempt to grade', { lifecycle_state: 'verified', end_time: now, due_at: later }, later],
  ['an overdue attempt to grade', { lifecycle_state: 'verified', end_time: before, due_at: before }, now],
  ['the end of an attempt', { lifecycle_state: 'evaluating', end_time: before, due_at: later }, now],
  ['the next attempt to grade', { lifecycle_state: 'deferred', end_time: before, due_at: later }, later],
])('the next change is %s', (_, record, next) => {
  expect(nextChange(record, now)).toEqual(next);
});

test('no change is to come at the end', () => {
  const none = LIFECYCLE_STATES.filter(
    (lifecycle_state) => nextChange({ lifecycle_state, end_time: later, due_at: null }, now) === null,
  );
  expect(none.toSorted()).toEqual(['evaluated', ...UNAVAILABLE_STATES].toSorted());
});

test('a poll is at least 2 s away, and never later than the change', () => {
  expect([now, at(1.999), at(2.999), at(60), at(60.001)].map((each) => secondsUntil(each, now))).toEqual([
    2, 2, 2, 60, 60,
  ]);
});

function at(seconds: number): Date {
  return new Date(now.getTime() + seconds * 1_000);
}
