import { expect, test } from '@jest/globals';
import { retryDelay } from '../../../../domain/grading/windows/settling.ts';
import { DAY, HOUR, MINUTE } from '../../../../domain/time.ts';

test('failed evaluations are tried again eight times, at growing intervals, then no more', () => {
  const delays = Array.from({ length: 9 }, (_, i) => retryDelay(i + 1));
  expect(delays).toEqual([5 * MINUTE, 15 * MINUTE, HOUR, 6 * HOUR, DAY, DAY, DAY, DAY, null]);
});
