import { button, h } from '../kit/elements.ts';
import { table } from '../kit/tables.ts';
import { counted, percent, plain, signed } from '../kit/value-texts.ts';
import { countTable, quad } from './count-table.ts';
import { type CountedAs, countedWays, type Distribution, mostOf } from './counts.ts';
import type { GradedRow } from './graded-rows.ts';
import { type MonthCounts, monthDrawings } from './month-drawing.ts';
import { windowBars } from './window-bars.ts';
import { zDots } from './z-dots.ts';

interface Totals extends CountedAs {
  readonly submission_count: number;
  readonly evaluated_count: number;
  readonly pending_count: number;
  readonly unavailable_count: number;
}

type NamedTotals = Totals & { readonly name: string };

/** The counts of one origin in the reply of a track record. */
export interface TrackCounts extends Totals {
  readonly windows: Readonly<Record<'instruments' | 'instrument_days' | 'max_concurrent' | 'disjoint', number>> | null;
  readonly by_direction: Readonly<Record<string, Totals>>;
  readonly by_symbol: readonly (Totals & { readonly market: string; readonly symbol: string })[];
  readonly by_month: readonly (Totals & MonthCounts)[];
  readonly calibration?: readonly {
    readonly confidence_from: number;
    readonly confidence_to: number;
    readonly result_distribution: Distribution;
  }[];
}

const ORDER = 'Four numbers are those of strong correct, weak correct, weak incorrect and strong incorrect.';

function section(title: string, about: string, ...content: readonly (Node | null)[]): HTMLElement {
  return h('section', { class: 'facts' }, h('h2', {}, title), h('p', { class: 'soft' }, about), ...content);
}

export function totalsPart(counts: TrackCounts): HTMLElement {
  const { submission_count, evaluated_count, pending_count, unavailable_count } = counts;
  return section(
    'Counts by bucket',
    `${counted(submission_count, 'decision')}: ${evaluated_count} graded, ${pending_count} open, ${unavailable_count} without an outcome. ` +
      'The other rows count the same windows: what one direction alone would have got in them.',
    countTable('Decisions by bucket', countedWays(counts)),
  );
}

/** A table behind a drawing. */
function behind(content: HTMLElement): HTMLElement {
  return h('details', { class: 'behind' }, h('summary', {}, 'The numbers as a table'), content);
}

export function monthsPart({ by_month }: TrackCounts): HTMLElement | null {
  if (by_month.length === 0) return null;
  const rows = by_month.map((month) => ({ name: month.month, ...month }));
  return section(
    'By month of submission',
    'Each bar is the number of decisions that were submitted in a month and came out in a bucket. All drawings have one scale.',
    monthDrawings(by_month),
    behind(waysTable('Decisions by month', 'Month', rows)),
  );
}

export function symbolsPart({ by_symbol }: TrackCounts): HTMLElement | null {
  if (by_symbol.length === 0) return null;
  const rows = by_symbol.map((symbol) => ({ name: `${symbol.symbol}, ${symbol.market}`, ...symbol }));
  return section('By instrument', ORDER, waysTable('Decisions by instrument', 'Instrument', rows));
}

export function directionsPart({ by_direction }: TrackCounts): HTMLElement {
  const rows = Object.entries(by_direction).map(([name, totals]) => ({ name, ...totals }));
  return section('By direction', ORDER, waysTable('Decisions by direction', 'Direction', rows));
}

/** One row for each name: how many, and each way to count them. */
export function waysTable(caption: string, title: string, rows: readonly NamedTotals[]): HTMLElement {
  const [first] = rows;
  const most = mostOf(rows.flatMap((row) => countedWays(row).map(({ distribution }) => distribution)));
  const ways = first ? countedWays(first) : [];
  return table({
    caption,
    isCaptionHidden: true,
    rows,
    columns: [
      { title, cell: ({ name }) => name },
      { title: 'Submitted', kind: 'number', cell: (row) => row.submission_count.toLocaleString('en-GB') },
      ...ways.map(({ name }, at) => ({
        title: name,
        cell: (row: NamedTotals) => {
          const distribution = countedWays(row)[at]?.distribution;
          return distribution ? h('div', { class: 'quad-cell' }, ...quad(distribution, most)) : '';
        },
      })),
    ],
  });
}

export function confidencePart({ calibration }: TrackCounts): HTMLElement | null {
  if (!calibration || calibration.length === 0) return null;
  const ways = calibration.map(({ confidence_from: from, confidence_to: to, result_distribution }) => ({
    name: `${from.toFixed(1)} to ${to.toFixed(1)}`,
    distribution: result_distribution,
  }));
  return section(
    'By stated confidence',
    'Graded decisions that stated a confidence, by its tenth. A tenth without decisions is left out.',
    countTable('Decisions by confidence and bucket', ways),
  );
}

/** z and windows of the newest graded decisions. @param read how many of the newest decisions these are from */
export function rowsPart(rows: readonly GradedRow[], read: number, counts: TrackCounts): readonly HTMLElement[] {
  if (rows.length === 0) return [];
  const newest = `Of the newest ${counted(read, 'graded decision')}, ${rows.length} are shown here.`;
  const { windows } = counts;
  const overlap = windows
    ? ` In all: ${counted(windows.instruments, 'instrument')}, at most ${windows.max_concurrent} windows of one at once, ` +
      `${windows.disjoint} without any overlap, ${counted(windows.instrument_days, 'start day')}.`
    : '';
  return [
    section(
      'z of each decision',
      `${newest} z is the move in sigmas of the window.`,
      zDots(rows),
      behind(rowTable(rows)),
    ),
    section(
      'Windows in time',
      `${newest} Windows of one instrument that overlap share one market move.${overlap}`,
      windowBars(rows),
    ),
  ];
}

const FIRST_ROWS = 25;

function rowTable(rows: readonly GradedRow[]): HTMLElement {
  const shown = (some: readonly GradedRow[]) =>
    table({
      caption: 'Graded decisions with their z',
      isCaptionHidden: true,
      rows: some,
      columns: [
        { title: 'Decision', cell: ({ record_id, words }) => h('a', { href: `#/records/${record_id}` }, words) },
        { title: 'Return', kind: 'number', cell: ({ raw_return }) => percent(raw_return) },
        { title: 'z', kind: 'number', cell: ({ z }) => signed(z) },
        { title: 'Bucket', cell: ({ bucket }) => plain(bucket) },
      ],
    });
  const box = h('div', {}, shown(rows.slice(0, FIRST_ROWS)));
  if (rows.length > FIRST_ROWS) box.append(button(`Show all ${rows.length}`, () => box.replaceChildren(shown(rows))));
  return box;
}
