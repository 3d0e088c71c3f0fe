import { h } from '../kit/elements.ts';
import { keepSized, s } from '../kit/svg.ts';
import { plain, signed } from '../kit/value-texts.ts';
import type { WireDirection } from '../kit/wire.ts';
import { numberedEdges, zPlace, zScale } from '../records/z-scale.ts';
import { dotStacks } from './dot-stacks.ts';
import type { GradedRow } from './graded-rows.ts';

const COLUMN = 9;
const TITLE = 22;
const AXIS = 24;
const NUMBER = 40;

/** The z of each decision as a dot, for each direction of which there are some. No dot hides another. */
export function zDots(rows: readonly GradedRow[]): HTMLElement {
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
  return s(
    'svg',
    { width, height, viewBox: `0 0 ${width} ${height}`, 'aria-hidden': 'true' },
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
