import { expect, test } from '@jest/globals';
import {
  type Minute,
  minuteWords,
  nearestMinute,
  rangeOf,
  SERIES,
  type Series,
  spanOf,
  stretchesOf,
} from '../../../adapters/http/page/browser/operators/minute-series.ts';
import { problemGroups } from '../../../adapters/http/page/browser/operators/problem-groups.ts';

const NOW = Date.parse('2026-03-02T12:00:30.000Z');
const MINUTE = 60_000;

function minute(ago: number, more: Partial<Minute> = {}): Minute {
  const at = new Date(Date.parse('2026-03-02T12:00:00.000Z') - ago * MINUTE).toISOString();
  const figures = { processes: 1, requests: 120, p99_ms: 18.4, disk_free_bytes: 412e9, due: 3 };
  return { at, ...figures, log_size: 1_200, log_waits_seconds: 4, ...more };
}

const seriesOf = (title: string): Series => {
  const found = SERIES.find((each) => each.title === title);
  if (!found) throw new Error(title);
  return found;
};

test.each([
  ['Requests', '12:00 UTC: 2\u00a0/s'],
  ['Duration, p99', '12:00 UTC: 18.4\u00a0ms'],
  ['Due for evaluation', '12:00 UTC: 3\u00a0decisions'],
  ['Log, oldest event waits', '12:00 UTC: 4\u00a0s'],
  ['Log, size', '12:00 UTC: 1,200\u00a0leaves'],
  ['Disk, free', '12:00 UTC: 412\u00a0GB'],
])('%s has its unit', (title, words) => {
  expect(minuteWords(minute(0), seriesOf(title))).toBe(words);
});

test('what is not known is said, and is no point; so is a log that is off', () => {
  const off = minute(0, { p99_ms: null, log_size: null });
  expect(minuteWords(off, seriesOf('Duration, p99'))).toBe('12:00 UTC: not known');
  expect(stretchesOf([off], seriesOf('Log, oldest event waits').value)).toEqual([]);
});

test('a line ends where minutes are missing', () => {
  const minutes = [minute(9), minute(8), minute(3), minute(2, { p99_ms: null }), minute(1)];
  const sizes = (title: string) => stretchesOf(minutes, seriesOf(title).value).map(({ length }) => length);
  expect(sizes('Requests')).toEqual([2, 3]);
  expect(sizes('Duration, p99')).toEqual([2, 1, 1]);
});

test('the axis has the last day at most and an hour at least', () => {
  const hours = (from: number, to: number) => (to - from) / (60 * MINUTE);
  expect(hours(...spanOf([minute(5)], NOW))).toBe(1);
  expect(hours(...spanOf([minute(3 * 24 * 60)], NOW))).toBe(24);
});

test('values begin at 0, those of a log at the least; a flat line has a range, too', () => {
  const points = (title: string, minutes: readonly Minute[]) => stretchesOf(minutes, seriesOf(title).value).flat();
  const both = [minute(1, { log_size: 1_100 }), minute(0)];
  expect(rangeOf(points('Log, size', both), seriesOf('Log, size'))).toEqual([1_100, 1_200]);
  expect(rangeOf(points('Due for evaluation', both), seriesOf('Due for evaluation'))).toEqual([0, 3]);
  expect(rangeOf([], seriesOf('Requests'))).toEqual([0, 1]);
  expect(rangeOf(points('Log, size', [minute(0)]), seriesOf('Log, size'))).toEqual([1_199, 1_201]);
});

test('the pointer finds the nearest minute', () => {
  const minutes = [minute(9), minute(3), minute(1)];
  expect(nearestMinute(minutes, Date.parse('2026-03-02T11:56:20.000Z'))).toBe(1);
  expect(nearestMinute([], NOW)).toBe(-1);
});

test('equal problems are one line, urgent ones first', () => {
  const of = (part: 'sources' | 'log' | 'evaluations', problem: string) => ({
    part,
    problem,
    action: `Look at ${part}.`,
  });
  const waiting = { ...of('evaluations', 'd'), instrument: 'stock:MSFT:NASDAQ:spot:USD' };
  expect(problemGroups([of('sources', 'a'), waiting, of('sources', 'b'), of('log', 'c')])).toEqual([
    { part: 'log', isUrgent: true, texts: ['c'], action: 'Look at log.', instruments: [] },
    { part: 'sources', isUrgent: false, texts: ['a', 'b'], action: 'Look at sources.', instruments: [] },
    {
      part: 'evaluations',
      isUrgent: false,
      texts: ['d'],
      action: 'Look at evaluations.',
      instruments: [waiting.instrument],
    },
  ]);
});
