import type { PeriodOutcomes } from '../../../../../domain/decisions/own/outcome-periods.ts';
import type { ResultDistribution } from '../../../../../domain/decisions/own/record-counts.ts';
import type { HadSaidCounts } from '../../../../../domain/grading/bucket.ts';
import { RESULT_BUCKETS } from '../kit/domain.ts';

const DAY = 86_400_000;

/** What the overview counts: windows that ended in the last days, or all; null: all. */
export const RANGES = [
  { name: '30', words: '30 days', days: 30 },
  { name: '90', words: '90 days', days: 90 },
  { name: '365', words: '1 year', days: 365 },
  { name: 'all', words: 'All', days: null },
] as const;
export type Range = (typeof RANGES)[number];

export function rangeOf(name: string | null): Range {
  return RANGES.find((each) => each.name === name) ?? RANGES[1];
}

/** The first day of a range, a Monday, so that its weeks are whole; null: from the first decision on. */
export function firstDay({ days }: Range, now: number): string | null {
  if (days === null) return null;
  const day = Math.floor(now / DAY) - days;
  return dateOf((day - ((day + 3) % 7)) * DAY);
}

/** A week, a month or a year of the chart. */
export interface OutcomeColumn {
  readonly step: Step;
  readonly words: string;
  /** Its first and its last day, `2026-11-23`. */
  readonly from: string;
  readonly until: string;
  readonly distribution: ResultDistribution;
  readonly had_said: HadSaidCounts | null;
  readonly uncounted: number;
}

type Step = 'week' | 'month' | 'year';

/** More columns than these are no chart that anybody reads. */
const MOST_COLUMNS = 120;

/**
 * All weeks from the first day on, or months, or years where months are too many; none is left out.
 * @param all those that the columns reach over, where others are drawn next to these
 */
export function outcomeColumns(
  outcomes: readonly PeriodOutcomes[],
  by: 'week' | 'month',
  since: string | null,
  now: number,
  all: readonly PeriodOutcomes[] = outcomes,
): readonly OutcomeColumn[] {
  const periods = all.map(({ period }) => period);
  const first = since ?? periods.reduce<string | undefined>((a, b) => (a !== undefined && a < b ? a : b), undefined);
  if (first === undefined) return [];
  // A range ends now; all of it where its last window ended, with room for a year.
  const end = since === null ? Date.parse(first) + 11 * 30 * DAY : now;
  const last = [dateOf(end), ...periods].reduce((a, b) => (a > b ? a : b));
  const months = (Date.parse(last) - Date.parse(first)) / (30 * DAY);
  const step: Step = by === 'month' && months > MOST_COLUMNS ? 'year' : by;
  const columns: OutcomeColumn[] = [];
  for (let from = startOf(first, step); from <= last; from = nextStart(from, step)) {
    const until = dateOf(Date.parse(nextStart(from, step)) - DAY);
    const own = outcomes.filter(({ period }) => period >= from && period <= until);
    columns.push({ step, words: wordsOf(from, step), from, until, ...sumOf(own) });
  }
  return columns;
}

function startOf(date: string, step: Step): string {
  if (step === 'week') return date;
  return step === 'month' ? `${date.slice(0, 7)}-01` : `${date.slice(0, 4)}-01-01`;
}

function nextStart(from: string, step: Step): string {
  const start = new Date(from);
  if (step === 'week') start.setUTCDate(start.getUTCDate() + 7);
  else if (step === 'month') start.setUTCMonth(start.getUTCMonth() + 1);
  else start.setUTCFullYear(start.getUTCFullYear() + 1);
  return dateOf(start.getTime());
}

const FORMATS = {
  week: new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeZone: 'UTC' }),
  month: new Intl.DateTimeFormat('en-GB', { month: 'long', year: 'numeric', timeZone: 'UTC' }),
  year: new Intl.DateTimeFormat('en-GB', { year: 'numeric', timeZone: 'UTC' }),
};

function wordsOf(from: string, step: Step): string {
  const words = FORMATS[step].format(new Date(from));
  return step === 'week' ? `Week of ${words}` : words;
}

type Sums = Pick<OutcomeColumn, 'distribution' | 'had_said' | 'uncounted'>;

/** `had_said` is null where it is not known of one of them. */
export function sumOf(outcomes: readonly PeriodOutcomes[]): Sums {
  const known = outcomes.flatMap(({ had_said }) => had_said ?? []);
  const of = (direction: keyof HadSaidCounts) => added(known.map((each) => each[direction]));
  return {
    distribution: added(outcomes.map(({ result_distribution }) => result_distribution)),
    had_said:
      known.length < outcomes.length
        ? null
        : { bullish: of('bullish'), bearish: of('bearish'), neutral: of('neutral') },
    uncounted: outcomes.reduce((sum, { uncounted_count }) => sum + uncounted_count, 0),
  };
}

function added(all: readonly ResultDistribution[]): ResultDistribution {
  const sums = RESULT_BUCKETS.map((bucket) => [bucket, all.reduce((sum, each) => sum + each[bucket], 0)]);
  return Object.fromEntries(sums) as ResultDistribution;
}

export function totalOf(distribution: ResultDistribution): number {
  return RESULT_BUCKETS.reduce((sum, bucket) => sum + distribution[bucket], 0);
}

/** Steps of an axis of counts from 0 to at least the greatest one: whole numbers, at most five of them. */
export function countTicks(most: number): readonly number[] {
  const rough = Math.max(1, most / 4);
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = Math.ceil([1, 2, 5, 10].map((each) => each * power).find((each) => each >= rough) ?? rough);
  return Array.from({ length: Math.ceil(most / step) + 1 }, (_, n) => n * step);
}

function dateOf(time: number): string {
  return new Date(time).toISOString().slice(0, 10);
}
