import type { ShownFacts } from '../../../../../domain/decisions/views/views.ts';
import { h } from '../kit/elements.ts';
import { keepSized, s } from '../kit/svg.ts';
import { plain, signed } from '../kit/value-texts.ts';
import type { WireDirection } from '../kit/wire.ts';
import { numberedEdges, type ZRow, type ZScale, zPlace, zScale } from './z-scale.ts';

const ROW = 34;
const BAR = 12;
const TOP = 24;
const AXIS = 22;
/** As wide as a number of the axis with its room. */
const NUMBER = 34;
/** A farther move is marked at the end of the scale, so that the edges keep their room; its number is written. */
const FARTHEST = 3;

/** The move of a window on the scale of the buckets, with what each direction got or would have got. */
export function zFigure(direction: WireDirection, { move_z, had_said }: Pick<ShownFacts, 'move_z' | 'had_said'>) {
  const box = h('div', { class: 'drawing', role: 'img', 'aria-label': zWords(direction, move_z, had_said) });
  const place = Math.max(-FARTHEST, Math.min(FARTHEST, move_z));
  keepSized(box, (width) => drawing(width, zScale([place]), place, { direction, move_z, had_said }));
  return h(
    'figure',
    { class: 'z-scale' },
    box,
    h(
      'figcaption',
      {},
      `The move of the price in sigmas of the window: ${signed(move_z)}. The edges are those of the four buckets of each direction.`,
    ),
  );
}

function zWords(direction: WireDirection, move_z: number, had_said: ShownFacts['had_said']): string {
  const others = Object.entries(had_said).map(([each, bucket]) => `${each} ${plain(bucket)}`);
  return `The price moved by ${signed(move_z)} sigmas of the window. The decision was ${direction}. In this window: ${others.join(', ')}.`;
}

interface Drawn extends Pick<ShownFacts, 'move_z' | 'had_said'> {
  readonly direction: WireDirection;
}

function drawing(width: number, scale: ZScale, place: number, { direction, move_z, had_said }: Drawn): SVGElement {
  const height = TOP + scale.rows.length * ROW + AXIS;
  const x = (z: number) => zPlace(scale, z, width);
  const bottom = height - AXIS;
  return s(
    'svg',
    { width, height, viewBox: `0 0 ${width} ${height}`, 'aria-hidden': 'true' },
    ...scale.rows.flatMap((row, at) => rowOf(row, TOP + at * ROW, x, direction, had_said)),
    s('line', { class: 'z-mark', x1: x(place), x2: x(place), y1: TOP - 6, y2: bottom }),
    s('circle', { class: 'z-mark', cx: x(place), cy: TOP - 6, r: 4 }),
    s(
      'text',
      { class: 'z-value', ...anchored(x(place), width), y: 12 },
      `move ${signed(move_z)}${place === move_z ? '' : ', beyond the scale'}`,
    ),
    ...axis(scale, x, bottom),
  );
}

/** A row of parts; its text says which bucket the direction got. */
function rowOf(
  { direction: each, parts }: ZRow,
  top: number,
  x: (z: number) => number,
  direction: WireDirection,
  had_said: ShownFacts['had_said'],
): SVGElement[] {
  const isOwn = each === direction;
  const words = `${each}${isOwn ? ', as decided' : ''}: ${plain(had_said[each])}`;
  return [
    s('text', { class: isOwn ? 'row own' : 'row', x: 0, y: top + 13 }, words),
    ...parts.map(({ from, to, bucket }) =>
      s('rect', { class: `part ${bucket}`, x: x(from) + 0.5, y: top + 18, width: x(to) - x(from) - 1, height: BAR }),
    ),
  ];
}

function axis({ edges }: ZScale, x: (z: number) => number, bottom: number): SVGElement[] {
  return numberedEdges(edges, x, NUMBER).map((edge) =>
    s('text', { class: 'tick', x: x(edge), y: bottom + 16, 'text-anchor': 'middle' }, signed(edge)),
  );
}

const NEAR_END = 75;

function anchored(x: number, width: number) {
  if (x < NEAR_END) return { x, 'text-anchor': 'start' };
  return { x, 'text-anchor': x > width - NEAR_END ? 'end' : 'middle' };
}
