import type { ResultBucket } from '../../../../../domain/grading/outcome.ts';
import { RESULT_BUCKETS } from '../kit/domain.ts';
import { h } from '../kit/elements.ts';
import { keepSized, s, sized } from '../kit/svg.ts';
import { horizon, instant, instrument, plain } from '../kit/value-texts.ts';
import type { WireDirection, WireIdentity } from '../kit/wire.ts';
import { type Counted, type CountedAs, countedWays, mostOf } from './counts.ts';
import { monthLabels, monthsBetween } from './drawing-places.ts';

/** The counts of one month of submission. */
export interface MonthCounts extends CountedAs {
  /** `2026-01` */
  readonly month: string;
}

const ROW = 30;
const TITLE = 22;
const AXIS = 22;
const NAMES = 104;
const WIDEST = 26;
const LABEL = 64;

/** For each way to count, the buckets as rows and the months as columns, all of one scale. */
export function monthDrawings(counts: readonly MonthCounts[]): HTMLElement {
  const most = mostOf(counts.flatMap((month) => countedWays(month).map(({ distribution }) => distribution)));
  const ways = countedWays(counts[0] ?? { result_distribution: NONE, had_said: null });
  const panels = ways.map(({ name }, at) => {
    const box = h('div', {
      class: 'drawing',
      role: 'img',
      'aria-label': `Buckets by month of submission, ${name}; the table below has the numbers.`,
    });
    keepSized(box, (width) =>
      panel(name, counts, (month) => countedWays(month)[at]?.distribution ?? NONE, most, width),
    );
    return box;
  });
  return h('div', { class: 'panels' }, ...panels);
}

const NONE = { strong_correct: 0, weak_correct: 0, weak_incorrect: 0, strong_incorrect: 0 };

function panel(
  name: string,
  counts: readonly MonthCounts[],
  distributionOf: (month: MonthCounts) => Counted['distribution'],
  most: number,
  width: number,
): SVGElement {
  const months = monthsBetween(counts.map(({ month }) => month));
  const step = Math.min(WIDEST, (width - NAMES - LABEL / 2) / Math.max(months.length, 1));
  const height = TITLE + RESULT_BUCKETS.length * ROW + AXIS;
  const rows = RESULT_BUCKETS.flatMap((bucket, row) => {
    const base = TITLE + (row + 1) * ROW - 4;
    const bars = counts.map((month) => {
      const high = ((ROW - 8) * distributionOf(month)[bucket]) / most;
      const x = NAMES + months.indexOf(month.month) * step;
      return s('rect', { class: `part ${bucket}`, x, y: base - high, width: Math.max(1, step - 2), height: high });
    });
    return [
      s('text', { class: 'name', x: 0, y: base - 2 }, plain(bucket)),
      s('line', { class: 'base', x1: NAMES, x2: NAMES + months.length * step, y1: base + 0.5, y2: base + 0.5 }),
      ...bars,
    ];
  });
  const labels = monthLabels(months, step, LABEL).map(({ at, words }) =>
    s('text', { class: 'tick', x: NAMES + at * step, y: height - 5 }, words),
  );
  return sized(width, height, s('text', { class: 'title', x: 0, y: 13 }, name), ...rows, ...labels);
}

/** A row of the owner's list, as far as a track record draws it. */
export interface ListedRow extends WireIdentity {
  readonly window: { readonly anchor_time: string; readonly end_time: string };
  readonly result_bucket: ResultBucket | null;
  readonly path: { readonly raw_return: number; readonly z: number | null } | null;
}

/** A graded decision of a track record. */
export interface GradedRow {
  readonly record_id: string;
  readonly words: string;
  /** The instrument, whose windows are drawn together. */
  readonly group: string;
  readonly direction: WireDirection;
  readonly bucket: ResultBucket;
  readonly z: number;
  readonly raw_return: number;
  /** Milliseconds. */
  readonly from: number;
  readonly to: number;
}

/** Those of the rows that have an outcome, of one origin. */
export function gradedRows(rows: readonly ListedRow[], origin: string): readonly GradedRow[] {
  return rows.flatMap((row) => {
    const { record_id, direction, result_bucket: bucket, path, window, submission_origin } = row;
    if (submission_origin !== origin || bucket === null || path === null || path.z === null) return [];
    const words = `${instrument(row)} ${direction} over ${horizon(row)}, from ${instant(window.anchor_time)}`;
    const [from, to] = [Date.parse(window.anchor_time), Date.parse(window.end_time)];
    const { z, raw_return } = path;
    return [{ record_id, words, group: instrument(row), direction, bucket, z, raw_return, from, to }];
  });
}
