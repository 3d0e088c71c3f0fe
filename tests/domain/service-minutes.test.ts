import { expect, test } from '@jest/globals';
import { DURATION_BOUNDS, durationAt, durationClass, joinedMinute } from '../../domain/service-minutes.ts';

const NONE = new Array(DURATION_BOUNDS.length + 1).fill(0);
const classes = (counts: Readonly<Record<number, number>>) => NONE.map((_, n) => counts[n] ?? 0);

test('each duration has one class: a bound belongs to the class below it', () => {
  expect([0, 1, 1.1, 5_000, 5_001].map(durationClass)).toEqual([0, 0, 1, 11, 12]);
});

test('a share is found within its class, and none without replies', () => {
  expect(durationAt(NONE, 0.99)).toBeNull();
  expect(durationAt(classes({ 0: 100 }), 0.99)).toBeCloseTo(0.99);
  expect(durationAt(classes({ 3: 99, 6: 1 }), 0.99)).toBe(10);
  expect(durationAt(classes({ 3: 98, 6: 2 }), 0.99)).toBeCloseTo(75);
  expect(durationAt(classes({ 0: 1, 12: 99 }), 0.99)).toBe(5_000);
});

test('two processes are joined to what the same replies of one would be', () => {
  const part = { disk_free: 9, due: 3, log_size: 5, log_waits: 1 };
  const first = { ...part, at: new Date(0), processes: 1, durations: classes({ 0: 2, 4: 1 }) };
  const joined = joinedMinute(first, {
    durations: classes({ 4: 2 }),
    disk_free: null,
    due: 4,
    log_size: 6,
    log_waits: 0,
  });
  expect(joined).toEqual({
    ...first,
    processes: 2,
    durations: classes({ 0: 2, 4: 3 }),
    due: 4,
    log_size: 6,
    log_waits: 0,
  });
  expect(joinedMinute(joined, { ...part, durations: NONE, disk_free: 7 }).disk_free).toBe(7);
});
