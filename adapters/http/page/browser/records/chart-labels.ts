import type { IChartApi, ISeriesApi, SeriesType, Time } from 'lightweight-charts';
import { s } from '../kit/svg.ts';
import { type Box, type LabelWish, labelPlaces } from './path-points.ts';

/** A text at a point of a chart. */
export interface ChartMark {
  readonly time: Time;
  readonly price: number;
  readonly text: string;
  readonly side: LabelWish['side'];
  /** Its class in the style sheet. */
  readonly kind: string;
}

/** A text on a level of a chart, near its right end. */
export interface ChartLevel {
  readonly price: number;
  readonly text: string;
  readonly kind: string;
}

interface Labels {
  readonly box: HTMLElement;
  readonly chart: IChartApi;
  readonly series: ISeriesApi<SeriesType>;
  readonly marks: readonly ChartMark[];
  readonly levels: readonly ChartLevel[];
}

const HEIGHT = 16;
const DOT = 6;
const RIGHT = 8;

/**
 * Writes the labels over the chart as text, so that none covers another; again whenever the chart changes its size. The
 * description of the chart has the same words, so screen readers skip them.
 */
export function keepLabelled(labels: Labels): void {
  const layer = s('svg', { class: 'chart-labels', 'aria-hidden': 'true' });
  labels.box.append(layer);
  const follow = () => followChart(labels, layer, '', FRAMES);
  labels.chart.timeScale().subscribeSizeChange(follow);
  follow();
}

/** The chart takes some frames to find its scales. */
const FRAMES = 30;

function followChart(labels: Labels, layer: SVGSVGElement, written: string, frames: number): void {
  requestAnimationFrame(() => {
    if (!layer.isConnected || frames === 0) return;
    const placed = placedOn(labels);
    const found = JSON.stringify(placed);
    if (found !== written) writeLabels(layer, placed);
    followChart(labels, layer, found, frames - 1);
  });
}

interface Placed {
  readonly area: { readonly width: number; readonly height: number };
  readonly points: readonly Point[];
  readonly lines: readonly Point[];
}

interface Point extends Pick<ChartMark, 'text' | 'kind' | 'side'> {
  readonly x: number;
  readonly y: number;
}

/** Where the points and the ends of the levels are at the moment. */
function placedOn({ box, chart, series, marks, levels }: Labels): Placed {
  const scale = chart.timeScale();
  const area = { width: scale.width(), height: box.clientHeight - scale.height() };
  const points = marks.flatMap(({ time, price, text, kind, side }) => {
    const [x, y] = [scale.timeToCoordinate(time), series.priceToCoordinate(price)];
    return x === null || y === null ? [] : [{ text, kind, side, x: Number(x), y: Number(y) }];
  });
  const lines = levels.flatMap(({ price, text, kind }) => {
    const y = series.priceToCoordinate(price);
    return y === null || text === '' ? [] : [{ text, kind, side: 'on' as const, x: area.width, y: Number(y) }];
  });
  return { area, points, lines };
}

function writeLabels(layer: SVGSVGElement, { area, points, lines }: Placed): void {
  layer.replaceChildren();
  const texts = [...points, ...lines].map((each) => {
    const text = s('text', { class: each.kind }, each.text);
    layer.append(text);
    return { each, text, width: Math.ceil(text.getComputedTextLength()) };
  });
  const wishes = texts.map(({ each: { x, y, side }, width }) => ({
    ...{ y, width, height: HEIGHT, side },
    x: Math.min(x, area.width - RIGHT - width / 2),
  }));
  const dots: Box[] = points.map(({ x, y }) => ({ x: x - DOT, y: y - DOT, width: 2 * DOT, height: 2 * DOT }));
  for (const [at, place] of labelPlaces(wishes, area, dots).entries()) {
    const label = texts[at];
    if (!label) continue;
    label.text.setAttribute('x', String(place.x));
    label.text.setAttribute('y', String(place.y + HEIGHT - 4));
    const leader = leaderOf(label.each, place);
    if (leader) layer.prepend(leader);
  }
}

const FAR = 14;

/** A line from a label to its point where they are apart. */
function leaderOf({ x, y, kind, side }: Point, place: Box): SVGLineElement | null {
  if (side === 'on') return null;
  const near = place.y > y ? place.y : place.y + place.height;
  if (Math.abs(near - y) < FAR) return null;
  return s('line', { class: kind, x1: x, y1: y, x2: Math.min(x, place.x + place.width), y2: near });
}
