import { expect, test } from '@jest/globals';
import { tickWords, timeTicks } from '../../../adapters/http/page/browser/kit/time-ticks.ts';

const at = (time: string) => Date.parse(time);
const DAY = 86_400_000;

test.each([
  ['year', 400, '2003'],
  ['month', 400, 'Feb 2003'],
  ['day', 400, '13 Feb'],
  ['day', 5, '13 Feb 2003'],
  ['time', 1, '14:30'],
] as const)('the text of a %s in a span of %d days is %s', (unit, days, words) => {
  expect(tickWords(at('2003-02-13T14:30:00Z'), unit, days * DAY)).toBe(words);
});

test.each([
  [
    '2003-02-13T14:30:00Z',
    '2003-02-20T21:00:00Z',
    8,
    ['14 Feb 2003', '15 Feb 2003', '16 Feb 2003', '17 Feb 2003', '18 Feb 2003', '19 Feb 2003', '20 Feb 2003'],
  ],
  ['2016-10-22T00:00:00Z', '2017-06-06T00:00:00Z', 4, ['Nov 2016', 'Jan 2017', 'Mar 2017', 'May 2017']],
  ['2010-05-01T00:00:00Z', '2024-06-01T00:00:00Z', 5, ['2015', '2020']],
  ['2026-01-01T00:00:00Z', '2026-01-01T00:10:00Z', 5, ['1 Jan 2026']],
])('ticks from %s to %s, at most %d', (from, to, most, words) => {
  const ticks = timeTicks(at(from), at(to), most);
  expect(ticks.map((tick) => tick.words)).toEqual(words);
});

test('there are never more ticks than there is room for', () => {
  for (const days of [0.5, 3, 20, 90, 700, 9_000, 40_000]) {
    for (const most of [1, 2, 5, 9]) {
      const ticks = timeTicks(at('1990-03-05T00:00:00Z'), at('1990-03-05T00:00:00Z') + days * DAY, most);
      expect(ticks.length).toBeLessThanOrEqual(most);
    }
  }
});
