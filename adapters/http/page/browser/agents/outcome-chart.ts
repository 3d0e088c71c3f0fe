import { chart, type Spot, spaced } from '../kit/charts.ts';
import { RESULT_BUCKETS } from '../kit/domain.ts';
import { h } from '../kit/elements.ts';
import { s } from '../kit/svg.ts';
import { table } from '../kit/tables.ts';
import { tickWords } from '../kit/time-ticks.ts';
import { counted, percent, plain } from '../kit/value-texts.ts';
import { type Filters, listAddress } from '../records/decision-query.ts';
import { type Distribution, quad } from './counts.ts';
import { countTicks, type OutcomeColumn, totalOf } from './outcome-columns.ts';

const [LEFT, RIGHT, TOP, BOTTOM] = [50, 8, 8, 24];
const WIDEST = 30;
const LABEL = 84;
/** Below it each decision is a dot. */
const FEWEST_OF_BAR = 10;

export interface Ways {
  readonly name: string;
  distributionOf(column: OutcomeColumn): Distribution | null;
}

/** As they were decided, then what each direction alone would have got. */
export const WAYS: readonly Ways[] = [
  { name: 'As decided', distributionOf: ({ distribution }) => distribution },
  { name: 'Had all been bullish', distributionOf: ({ had_said }) => had_said?.bullish ?? null },
  { name: 'Had all been bearish', distributionOf: ({ had_said }) => had_said?.bearish ?? null },
  { name: 'Had all been neutral', distributionOf: ({ had_said }) => had_said?.neutral ?? null },
];

interface Stacks {
  readonly way: Ways;
  readonly columns: readonly OutcomeColumn[];
  /** What the list of a column is filtered by, besides its time. */
  readonly filters: Filters;
  readonly height: number;
  /** Those of other charts that are of one scale with this one. */
  readonly others?: readonly OutcomeColumn[];
  /** Whose decisions, where several are drawn. */
  readonly of?: string;
}

/** Each column is the decisions of its windows by bucket, in the order of the buckets; all ways have one scale. */
export function stacks({ way, columns, filters, height, others = [], of }: Stacks): HTMLElement {
  const most = Math.max(1, ...[...columns, ...others].map(({ distribution }) => totalOf(distribution)));
  const ticks = most < FEWEST_OF_BAR ? countTicks(most).filter((tick) => tick <= most + 1) : countTicks(most);
  const top = Math.max(most, ticks.at(-1) ?? most);
  const all = columns.flatMap((column) => way.distributionOf(column) ?? []);
  const sums = RESULT_BUCKETS.map((bucket) => [bucket, all.reduce((sum, each) => sum + each[bucket], 0)] as const);
  return chart({
    id: `${way.name} ${of ?? ''}`,
    label: `${of ? `${of}, ` : ''}${way.name}: decisions by bucket and by the time at which their windows ended`,
    height,
    rest: sums.map(([bucket, count]) => `${count.toLocaleString('en-GB')} ${plain(bucket)}`).join(', '),
    draw(width, spot) {
      const step = (width - LEFT - RIGHT) / columns.length;
      const y = (count: number) => TOP + (1 - count / top) * (height - TOP - BOTTOM);
      return [
        ...axes({
          columns,
          ticks: ticks.map((tick) => [tick.toLocaleString('en-GB'), y(tick)] as const),
          width,
          height,
        }),
        ...columns.flatMap((column, at) => {
          const distribution = way.distributionOf(column);
          if (distribution === null || totalOf(distribution) === 0) return [];
          const x = LEFT + at * step;
          const hit = s('rect', { class: 'hit', x, y: TOP, width: step, height: height - TOP - BOTTOM });
          const marks = most < FEWEST_OF_BAR ? dots : bars;
          return [spot(spotOf(column, distribution, filters), hit, ...marks(distribution, x, step, y))];
        }),
      ];
    },
  });
}

function spotOf(column: OutcomeColumn, distribution: Distribution, of: Filters): Spot {
  const { words, from: ended_since, until: ended_until } = column;
  const counts = RESULT_BUCKETS.map((bucket) => `${distribution[bucket].toLocaleString('en-GB')} ${plain(bucket)}`);
  const filters = { ...of, lifecycle_state: 'evaluated', ended_since, ended_until, include_archived: 'true' };
  return { words: `${words}: ${counts.join(', ')}`, href: listAddress(filters) };
}

export function bucketLegend(): HTMLElement {
  const items = RESULT_BUCKETS.map((bucket) =>
    h('li', {}, h('span', { class: `mark ${bucket}`, 'aria-hidden': 'true' }), plain(bucket)),
  );
  return h('ul', { class: 'legend-list', 'aria-label': 'Buckets, from the bottom of a bar to its top' }, ...items);
}

type Marks = (of: Distribution, x: number, step: number, y: (count: number) => number) => readonly SVGElement[];

const bars: Marks = (distribution, x, step, y) => {
  const width = Math.max(1, Math.min(WIDEST, step - Math.min(3, step / 5)));
  let base = 0;
  return RESULT_BUCKETS.flatMap((bucket) => {
    const count = distribution[bucket];
    const rect = { x: x + (step - width) / 2, y: y(base + count), width, height: y(base) - y(base + count) };
    base += count;
    return count === 0 ? [] : [s('rect', { class: `part ${bucket}`, ...rect })];
  });
};

const dots: Marks = (distribution, x, step, y) => {
  const r = Math.min(7, step / 2 - 0.5, (y(0) - y(1)) / 2 - 1);
  return RESULT_BUCKETS.flatMap((bucket) => Array.from({ length: distribution[bucket] }, () => bucket)).map(
    (bucket, n) => s('circle', { class: `part ${bucket}`, cx: x + step / 2, cy: y(n + 0.5), r: Math.max(1.5, r) }),
  );
};

interface Axes {
  readonly columns: readonly OutcomeColumn[];
  readonly ticks: readonly (readonly [words: string, y: number])[];
  readonly width: number;
  readonly height: number;
}

function axes({ columns, ticks, width, height }: Axes): readonly SVGElement[] {
  const step = (width - LEFT - RIGHT) / columns.length;
  const [first, last] = [columns[0]?.from ?? '', columns.at(-1)?.until ?? ''];
  const span = Date.parse(last) - Date.parse(first);
  const { step: of = 'month' } = columns[0] ?? {};
  const unit = of === 'week' ? 'day' : of;
  return [
    s(
      'g',
      { 'aria-hidden': 'true' },
      ...ticks.flatMap(([words, y]) => [
        s('line', { class: 'edge', x1: LEFT, x2: width - RIGHT, y1: y, y2: y }),
        s('text', { class: 'tick', x: LEFT - 6, y: y + 4, 'text-anchor': 'end' }, words),
      ]),
      ...spaced(columns, step, LABEL).map(([{ from }, at]) =>
        s('text', { class: 'tick', x: LEFT + at * step, y: height - 6 }, tickWords(Date.parse(from), unit, span)),
      ),
    ),
  ];
}

/** What the market did in the window of a decision, as its grade has it. */
export interface MarketMove extends Spot {
  /** When the window ended, in milliseconds. */
  readonly at: number;
  /** A fraction. */
  readonly move: number;
}

const LEAST_MOVE = 0.01;

/** Each dot is what the reference of the venue did in the window of one decision, at the end of that window. */
export function marketMoves(
  moves: readonly MarketMove[],
  columns: readonly OutcomeColumn[],
  height: number,
): HTMLElement {
  const [from, to] = [Date.parse(columns[0]?.from ?? ''), Date.parse(columns.at(-1)?.until ?? '') + 86_400_000];
  const values = moves.map(({ move }) => move);
  const most = Math.max(LEAST_MOVE, ...values.map(Math.abs));
  return chart({
    id: 'market-moves',
    label: 'What the market did in the windows of the newest decisions',
    height,
    rest: `${counted(moves.length, 'decision')}: the market from ${percent(Math.min(...values))} to ${percent(Math.max(...values))}`,
    draw(width, spot) {
      const y = (move: number) => TOP + (1 - (move / most + 1) / 2) * (height - TOP - BOTTOM);
      const ticks = [most, 0, -most].map((move) => [wholePercent(move), y(move)] as const);
      return [
        ...axes({ columns, ticks, width, height }),
        ...moves.map(({ at, move, words, href }) => {
          const cx = LEFT + ((at - from) / (to - from)) * (width - LEFT - RIGHT);
          return spot({ words, href }, s('circle', { class: 'market-move', cx, cy: y(move), r: 4 }));
        }),
      ];
    },
  });
}

function wholePercent(fraction: number): string {
  return fraction === 0 ? '0' : percent(fraction).replace(/\.\d+/, (digits) => digits.slice(0, 2));
}

/** The counts of each column with a decision, each way to count them. @param of whose, where there are several */
export function columnTable(columns: readonly OutcomeColumn[], of = ''): HTMLElement {
  const rows = columns.filter(({ distribution, uncounted }) => totalOf(distribution) + uncounted > 0);
  const most = Math.max(1, ...rows.flatMap(({ distribution }) => RESULT_BUCKETS.map((bucket) => distribution[bucket])));
  return table<OutcomeColumn>({
    caption: `${of && `${of}. `}Four numbers are those of ${RESULT_BUCKETS.map(plain).join(', ')}.`,
    rows: rows.toReversed(),
    columns: [
      { title: 'Windows ended', cell: ({ words }) => words },
      ...WAYS.map(({ name, distributionOf }) => ({
        title: name,
        cell(column: OutcomeColumn) {
          const distribution = distributionOf(column);
          return distribution ? h('div', { class: 'quad-cell' }, ...quad(distribution, most)) : 'not counted yet';
        },
      })),
    ],
  });
}
