import { expect, test } from '@jest/globals';
import { bodyOf, curlOf, EXAMPLES } from '../../../adapters/http/page/browser/account/overview/first-decision.ts';
import {
  countTicks,
  firstDay,
  outcomeColumns,
  RANGES,
  rangeOf,
  sumOf,
  totalOf,
} from '../../../adapters/http/page/browser/agents/outcome-columns.ts';
import { submission } from '../../../adapters/http/shapes/decisions/submission.ts';
import { outcomesByPeriod, type PeriodTally } from '../../../domain/decisions/own/outcome-periods.ts';

const NOW = Date.parse('2026-11-30T12:00:00Z');

const tally = (period: string, change: Partial<PeriodTally> = {}): PeriodTally => ({
  ...{
    period,
    submission_origin: 'realtime',
    direction: 'bullish',
    result_bucket: 'strong_correct',
    move: 9,
    records: 1,
  },
  ...change,
});

test('a range begins on a Monday, at least its days ago; without days it has no beginning', () => {
  expect(RANGES.map((range) => firstDay(range, NOW))).toEqual(['2026-10-26', '2026-08-31', '2025-11-24', null]);
  expect([rangeOf('30').days, rangeOf('31').days, rangeOf(null).days]).toEqual([30, 90, 90]);
});

test('every week of the range is a column, also those without a decision', () => {
  const outcomes = outcomesByPeriod([tally('2026-11-09', { records: 3 }), tally('2026-11-30')]);
  const columns = outcomeColumns(outcomes, 'week', '2026-10-26', NOW);
  expect(columns.map(({ from, until }) => `${from}/${until}`)).toEqual([
    ...['2026-10-26/2026-11-01', '2026-11-02/2026-11-08', '2026-11-09/2026-11-15', '2026-11-16/2026-11-22'],
    ...['2026-11-23/2026-11-29', '2026-11-30/2026-12-06'],
  ]);
  expect(columns.map(({ distribution }) => totalOf(distribution))).toEqual([0, 0, 3, 0, 0, 1]);
  expect([columns[2]?.words, columns[2]?.had_said?.bearish.strong_incorrect]).toEqual(['Week of 9 Nov 2026', 3]);
});

test('all of it is in months, or in years where months are too many; no decision is lost', () => {
  const months = outcomeColumns(outcomesByPeriod([tally('2026-01-01'), tally('2026-02-01')]), 'month', null, NOW);
  expect([months.length, months[0]?.words, months.at(-1)?.until]).toEqual([11, 'January 2026', '2026-11-30']);
  const outcomes = outcomesByPeriod([tally('2003-02-01', { records: 2 }), tally('2003-12-01'), tally('2026-11-01')]);
  const years = outcomeColumns(outcomes, 'month', null, NOW);
  expect([years.length, years[0]?.words, years[0]?.until]).toEqual([24, '2003', '2003-12-31']);
  expect(years.map(({ distribution }) => totalOf(distribution)).filter((n) => n > 0)).toEqual([3, 1]);
  expect(outcomeColumns([], 'month', null, NOW)).toEqual([]);
});

test('columns that are drawn next to others reach over all of them', () => {
  const [own, others] = [[tally('2026-03-01')], [tally('2025-11-01'), tally('2026-12-01', { records: 2 })]];
  const all = [own, others].map(outcomesByPeriod);
  const drawn = all.map((outcomes) => outcomeColumns(outcomes, 'month', null, NOW, all.flat()));
  for (const columns of drawn)
    expect([columns.length, columns[0]?.from, columns.at(-1)?.from]).toEqual([14, '2025-11-01', '2026-12-01']);
  expect(drawn.map((columns) => columns.map(({ distribution }) => totalOf(distribution)).filter((n) => n > 0))).toEqual(
    [[1], [1, 2]],
  );
});

test('what each direction would have got is unknown where it is unknown of one period', () => {
  expect(sumOf(outcomesByPeriod([tally('2026-11-09'), tally('2026-11-16', { move: null })])).had_said).toBeNull();
  expect(sumOf([]).had_said?.bullish.strong_correct).toBe(0);
});

test.each([
  [1, [0, 1]],
  [9, [0, 5, 10]],
  [40, [0, 10, 20, 30, 40]],
  [1_234, [0, 500, 1_000, 1_500]],
])('an axis to %i has the steps %j', (most, steps) => {
  expect(countTicks(most)).toEqual(steps);
});

test('each first decision is one that the service takes, and its line has address and key', () => {
  for (const example of EXAMPLES) {
    const body = bodyOf(example, new Date(NOW));
    expect(submission.safeParse(body).error).toBeUndefined();
    const line = curlOf(example, 'https://stance.example', 'sbk_abc');
    expect(line).not.toContain('\n');
    expect(line).toContain("https://stance.example/api/v1/agent/decisions -H 'X-API-Key: sbk_abc'");
    if (!example.isLive) expect(JSON.parse(/-d '(.*)'$/.exec(line)?.[1] ?? '')).toEqual(body);
    else expect(line).toContain(`"data_cutoff":"'$(date -u +%FT%TZ)'"`);
    expect(curlOf(example, 'https://stance.example', null)).toContain('"X-API-Key: $STANCEBOOK_API_KEY"');
  }
});
