import { expect, test } from '@jest/globals';
import { addressCeiling } from '../../../application/quotas/admit-request.ts';

test('each network has its own requests in a minute, and a clock that is set back opens no minute again', () => {
  let now = Date.parse('2026-03-02T12:00:59.999Z');
  const ceiling = addressCeiling(2, () => now);
  const end = new Date('2026-03-02T12:01:00.000Z');
  expect(['a', 'a', 'a', 'b', 'a'].map(ceiling)).toEqual([null, null, end, null, end]);
  now += 1;
  expect(['a', 'a', 'a'].map(ceiling)).toEqual([null, null, new Date('2026-03-02T12:02:00.000Z')]);
  now -= 60_000;
  expect(ceiling('a')).toEqual(new Date('2026-03-02T12:02:00.000Z'));
});
