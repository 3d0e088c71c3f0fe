import type { ShownFacts } from '../../../../../domain/decisions/views/views.ts';
import type { Bar } from '../../../../../domain/market/bars.ts';
import { fill, h } from '../kit/elements.ts';
import { refusalOf } from '../kit/refused-request.ts';
import { keepSized, s, sized } from '../kit/svg.ts';
import { plain, signed } from '../kit/value-texts.ts';
import type { Detail, WireDirection } from '../kit/wire.ts';
import { drawBars } from './bars-drawing.ts';
import { drawFacts } from './facts-drawing.ts';
import { barsBefore, barsOfContext } from './path-points.ts';
import { drawingWords, gradedWords } from './record-facts.ts';
import { numberedEdges, type ZRow, type ZScale, zPlace, zScale } from './z-scale.ts';

const ROW = 34;

const BAR = 12;

const TOP = 24;

const AXIS = 22;
/** As wide as a number of the axis with its room. */

const NUMBER = 34;
/** A farther move is marked at the end of the scale, so that the edges keep their room; its number is written. */

const FARTHEST = 3;

const NEAR_END = 75;

const OF_BARS =
  'The bars that the outcome was computed from, in the units of the entry, with the levels of the decision; the window is shaded. Others see only entry, excursions and exit.';
const OF_CONTEXT = ' Before the window: the daily bars that its volatility came from, out of the receipt of the grade.';
const OF_FACTS =
  'Facts only: the path between the points is not public. Excursions are drawn at the end of the bar that contains them; prices are adjusted for splits and dividends.';

/** The price path of a graded decision, and its move on the scale of the buckets. */
export function pathPart(record: Detail, signal: AbortSignal): readonly HTMLElement[] {
  const { outcome } = record;
  if (!outcome) return [];
  const box = h('div', { class: 'chart', role: 'img', 'aria-label': drawingWords(record, outcome) });
  const caption = h('figcaption', {}, record.view === 'owner' ? OF_BARS : OF_FACTS);
  const figure = h(
    'figure',
    { class: 'path' },
    h('p', { class: 'graded' }, gradedWords(record, outcome)),
    box,
    caption,
  );
  // After the caller has put the figure into the page: a drawing needs its size.
  queueMicrotask(() => void draw(record, box, caption, signal).catch(() => fill(box, notDrawn())));
  return [figure, zFigure(record.direction, outcome)];
}

function notDrawn(): HTMLElement {
  return h(
    'p',
    { class: 'notice' },
    'The drawing could not be loaded; the facts below contain everything that it shows.',
  );
}

async function draw(record: Detail, box: HTMLElement, caption: HTMLElement, signal: AbortSignal): Promise<void> {
  if (record.view === 'public') {
    const { outcome: facts, direction, window } = record;
    return facts === null ? undefined : drawFacts(box, { facts, direction, window });
  }
  const { outcome, direction, price_targets: targets } = record;
  if (!outcome) return;
  const isLogged = record.log !== null && record.log.outcome_index !== null;
  const context = isLogged ? await contextOf(record.record_id, outcome.entry.time, outcome.bars.length, signal) : [];
  if (context.length > 0) caption.append(OF_CONTEXT);
  return drawBars(box, { outcome, direction, targets, context });
}

/** The path is drawn without context where the receipt cannot be read. */
async function contextOf(recordId: string, entry: string, path: number, signal: AbortSignal): Promise<readonly Bar[]> {
  const receipt = `/api/v1/agent/decisions/${recordId}/receipt?leaf=outcome&opening=full`;
  try {
    const response = await fetch(receipt, { signal });
    if (!response.ok) throw await refusalOf(response, 'GET');
    return barsBefore(await response.text(), Date.parse(entry), barsOfContext(path));
  } catch {
    return [];
  }
}

/** The move of a window on the scale of the buckets, with what each direction got or would have got. */
function zFigure(direction: WireDirection, { move_z, had_said }: Pick<ShownFacts, 'move_z' | 'had_said'>) {
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
  return sized(
    width,
    height,
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

function anchored(x: number, width: number) {
  if (x < NEAR_END) return { x, 'text-anchor': 'start' };
  return { x, 'text-anchor': x > width - NEAR_END ? 'end' : 'middle' };
}
