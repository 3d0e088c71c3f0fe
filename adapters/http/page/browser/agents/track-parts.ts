import { button, h } from '../kit/elements.ts';
import { keepSized, s, sized } from '../kit/svg.ts';
import { table } from '../kit/tables.ts';
import { counted, percent, plain, signed } from '../kit/value-texts.ts';
import type { WireDirection } from '../kit/wire.ts';
import { numberedEdges, zPlace, zScale } from '../records/z-scale.ts';
import { type CountedAs, countedWays, countTable, type Distribution, mostOf, quad } from './counts.ts';
import { dotStacks } from './drawing-places.ts';
import { type GradedRow, type MonthCounts, monthDrawings } from './month-drawing.ts';
import { windowBars } from './window-bars.ts';

const COLUMN = 9;

const TITLE = 22;

const AXIS = 24;

const NUMBER = 40;

interface Totals extends CountedAs {
  readonly submission_count: number;
  readonly evaluated_count: number;
  readonly pending_count: number;
  readonly unavailable_count: number;
  readonly ungraded: { readonly suspected: number; readonly wrong_security?: number | undefined };
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

export function section(title: string, about: string, ...content: readonly (Node | null)[]): HTMLElement {
  return h('section', { class: 'facts' }, h('h2', {}, title), h('p', { class: 'soft' }, about), ...content);
}

/** What is counted, in the singular: decisions, or rows of a back-test. */
export type Counted = 'decision' | 'row';

export function totalsPart(counts: TrackCounts, one: Counted = 'decision'): HTMLElement {
  const { submission_count, evaluated_count, pending_count, unavailable_count, ungraded } = counts;
  const { suspected, wrong_security = 0 } = ungraded;
  const reasons = [
    ...(suspected > 0 ? [`${suspected} of them with prices that nothing explains`] : []),
    ...(wrong_security > 0 ? [`${wrong_security} by the prices of another security`] : []),
  ];
  const left = reasons.length > 0 ? ` (${reasons.join(', ')})` : '';
  return section(
    'Counts by bucket',
    `${counted(submission_count, one)}: ${figure(evaluated_count)} graded, ${figure(pending_count)} open, ${figure(unavailable_count)} without an outcome that counts${left}. ` +
      'The other rows count the same windows: what one direction alone would have got in them.',
    countTable(`${pluralOf(one)} by bucket`, countedWays(counts)),
  );
}

function figure(count: number): string {
  return count.toLocaleString('en-GB');
}

function pluralOf(one: Counted): string {
  return one === 'decision' ? 'Decisions' : 'Rows';
}

/** A table behind a drawing. */
function behind(content: HTMLElement): HTMLElement {
  return h('details', { class: 'behind' }, h('summary', {}, 'The numbers as a table'), content);
}

const SUBMITTED = {
  title: 'By month of submission',
  about:
    'Each bar is the number of decisions that were submitted in a month and came out in a bucket. All drawings have one scale.',
};

export function monthsPart(
  { by_month }: TrackCounts,
  { title, about } = SUBMITTED,
  one: Counted = 'decision',
): HTMLElement | null {
  if (by_month.length === 0) return null;
  const rows = by_month.map((month) => ({ name: month.month, ...month }));
  return section(title, about, monthDrawings(by_month), behind(waysTable('month', rows, one)));
}

export function symbolsPart({ by_symbol }: TrackCounts): HTMLElement | null {
  if (by_symbol.length === 0) return null;
  const rows = by_symbol.map((symbol) => ({ name: `${symbol.symbol}, ${symbol.market}`, ...symbol }));
  return section('By instrument', ORDER, waysTable('instrument', rows));
}

export function directionsPart({ by_direction }: TrackCounts, one: Counted = 'decision'): HTMLElement {
  const rows = Object.entries(by_direction).map(([name, totals]) => ({ name, ...totals }));
  return section('By direction', ORDER, waysTable('direction', rows, one));
}

/** One row for each name: how many, and each way to count them. @param by what the names are */
export function waysTable(by: string, rows: readonly NamedTotals[], one: Counted = 'decision'): HTMLElement {
  const [first] = rows;
  const most = mostOf(rows.flatMap((row) => countedWays(row).map(({ distribution }) => distribution)));
  const ways = first ? countedWays(first) : [];
  return table({
    caption: `${pluralOf(one)} by ${by}`,
    isCaptionHidden: true,
    rows,
    columns: [
      { title: by.replace(/^./, (letter) => letter.toUpperCase()), cell: ({ name }) => name },
      {
        title: one === 'decision' ? 'Submitted' : 'Rows',
        kind: 'number',
        cell: (row) => row.submission_count.toLocaleString('en-GB'),
      },
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

export function confidencePart({ calibration }: TrackCounts, one: Counted = 'decision'): HTMLElement | null {
  if (!calibration || calibration.length === 0) return null;
  const ways = calibration.map(({ confidence_from: from, confidence_to: to, result_distribution }) => ({
    name: `${from.toFixed(1)} to ${to.toFixed(1)}`,
    distribution: result_distribution,
  }));
  return section(
    'By stated confidence',
    `Graded ${one}s that stated a confidence, by its tenth. A tenth without ${one}s is left out.`,
    countTable(`${pluralOf(one)} by confidence and bucket`, ways),
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

/** The z of each decision as a dot, for each direction of which there are some. No dot hides another. */
function zDots(rows: readonly GradedRow[]): HTMLElement {
  const byDirection = Map.groupBy(rows, ({ direction }) => direction);
  const boxes = [...byDirection].map(([direction, own]) => {
    const box = h('div', { class: 'drawing', role: 'img', 'aria-label': dotWords(direction, own) });
    const scale = zScale(rows.map(({ z }) => z));
    keepSized(box, (width) => drawing(direction, own, scale, width));
    return box;
  });
  return h('div', { class: 'dots' }, ...boxes);
}

function dotWords(direction: WireDirection, rows: readonly GradedRow[]): string {
  const ofNeutral = direction === 'neutral' ? ', the size of the move' : ', with the sign of the direction';
  return `z of ${rows.length} ${direction} decisions${ofNeutral}; the table below has each.`;
}

function drawing(
  direction: WireDirection,
  rows: readonly GradedRow[],
  scale: ReturnType<typeof zScale>,
  width: number,
): SVGElement {
  // The size of a move is never negative.
  const span = { ...scale, from: direction === 'neutral' ? 0 : scale.from };
  const inner = width - NUMBER;
  const x = (z: number) => NUMBER / 2 + zPlace(span, z, inner);
  const dots = dotStacks(rows, ({ z }) => zPlace(span, z, inner), COLUMN);
  const high = (Math.max(0, ...dots.map(({ level }) => level)) + 1) * COLUMN;
  const [base, height] = [TITLE + high + 4, TITLE + high + 4 + AXIS];
  const edges = edgesOf(direction, scale);
  const shown = numberedEdges(edges, x, NUMBER);
  return sized(
    width,
    height,
    s('text', { class: 'title', x: 0, y: 13 }, `${direction}, ${rows.length}`),
    ...edges.map((edge) => s('line', { class: 'edge', x1: x(edge), x2: x(edge), y1: TITLE, y2: base })),
    s('line', { class: 'base', x1: NUMBER / 2, x2: width - NUMBER / 2, y1: base, y2: base }),
    ...dots.map(({ each, x: at, level }) =>
      s(
        'circle',
        { class: `part ${each.bucket}`, cx: NUMBER / 2 + at, cy: base - 5 - level * COLUMN, r: COLUMN / 2 - 0.5 },
        s('title', {}, `${each.words}: z ${signed(each.z)}, ${plain(each.bucket)}`),
      ),
    ),
    ...shown.map((edge) =>
      s('text', { class: 'tick', x: x(edge), y: base + 16, 'text-anchor': 'middle' }, signed(edge)),
    ),
  );
}

/** The edges of the buckets of this direction: each end of a part but the first and the last. */
function edgesOf(direction: WireDirection, { rows }: ReturnType<typeof zScale>): readonly number[] {
  const parts = rows.find((row) => row.direction === (direction === 'bearish' ? 'bullish' : direction))?.parts ?? [];
  const edges = parts.slice(1).map(({ from }) => from);
  return direction === 'neutral' ? edges.filter((edge) => edge > 0) : edges;
}
