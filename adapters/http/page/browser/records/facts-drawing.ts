import type { IChartApi, ISeriesPrimitive, SeriesMarker, Time, UTCTimestamp } from 'lightweight-charts';
import type { OutcomeFacts } from '../../../../../domain/grading/outcome.ts';
import type { WireDirection } from '../kit/wire.ts';
import { type Charts, type Inks, inks, keepDrawn, keepInSight, loadCharts, newChart, showAll } from './chart.ts';
import { type ChartMark, keepLabelled } from './chart-labels.ts';
import { type PathPoint, pathPoints, priceSteps, reach, slotted } from './path-points.ts';

/** The number of places in the window for points. */
const SLOTS = 240;

/** The drawing of a public record: its facts as points of the window, joined by a line that is not the price path. */
export interface FactsDrawing {
  readonly facts: OutcomeFacts;
  readonly direction: WireDirection;
  readonly window: { readonly anchor_time: string; readonly end_time: string };
}

/** Draws into the box, and writes the drawn points to its data attribute. */
export async function drawFacts(box: HTMLElement, drawing: FactsDrawing): Promise<void> {
  const charts = await loadCharts();
  if (!box.isConnected) return;
  const points = pathPoints(drawing.facts, drawing.direction);
  keepDrawn(box, () => draw(charts, box, drawing, points));
  box.dataset.drawn = points.flatMap(({ kinds }) => kinds).join(' ');
}

function draw(charts: Charts, box: HTMLElement, drawing: FactsDrawing, points: readonly PathPoint[]): IChartApi {
  const { facts, direction } = drawing;
  const ink = inks();
  const [from, to] = spanOf(points, drawing);
  const chart = newChart(charts, box, ink, to - from);
  const line = chart.addSeries(charts.LineSeries, {
    priceFormat: priceSteps(facts.entry.adjusted_price),
    color: ink.soft,
    lineWidth: 1,
    lineStyle: charts.LineStyle.Dashed,
    priceLineVisible: false,
    lastValueVisible: false,
    crosshairMarkerVisible: false,
  });
  const base = facts.entry.adjusted_price;
  const places = placesOf(points, from, to);
  line.setData(places.map(({ time, point }) => (point ? { time, value: point.price } : { time })));
  line.createPriceLine({ price: base, color: ink.line, lineWidth: 1, axisLabelColor: ink.soft, title: '' });
  const levels = reach(facts, direction);
  for (const price of levels) {
    line.createPriceLine({ price, title: '', color: ink.adverse, lineWidth: 1, lineStyle: charts.LineStyle.Dotted });
  }
  keepInSight(line, levels);
  const [first, last] = [places[0], places.at(-1)];
  if (first && last) line.attachPrimitive(windowShade(chart, first.time, last.time, ink.shade));
  const marks = places.flatMap(({ time, point }) => (point ? marksOf(time, point, base) : []));
  charts.createSeriesMarkers(
    line,
    marks.map((mark) => dotOf(mark, ink)),
  );
  showAll(chart, places.length, box);
  const text = 'largest move, either way';
  keepLabelled({ box, chart, series: line, marks, levels: levels.map((price) => ({ price, text, kind: 'mae' })) });
  return chart;
}

interface Place {
  readonly time: UTCTimestamp;
  readonly point: PathPoint | undefined;
}

/** The window; replacement prices for missing ones can lie outside of it. */
function spanOf(points: readonly PathPoint[], { window }: FactsDrawing): readonly [number, number] {
  const times = [Date.parse(window.anchor_time), Date.parse(window.end_time), ...points.map(({ at }) => at)];
  return [Math.min(...times), Math.max(...times)];
}

/** Equal steps of time. */
function placesOf(points: readonly PathPoint[], from: number, to: number): readonly Place[] {
  const bySlot = new Map(slotted(points, from, to, SLOTS).map(({ slot, point }) => [slot, point]));
  const last = Math.max(SLOTS - 1, ...bySlot.keys());
  return Array.from({ length: last + 1 }, (_, slot) => {
    const time = Math.round((from + (slot * (to - from)) / (SLOTS - 1)) / 1_000) as UTCTimestamp;
    return { time, point: bySlot.get(slot) };
  });
}

/** Its names are on the side away from the entry's level. */
function marksOf(time: UTCTimestamp, { kinds, price, labels }: PathPoint, base: number): readonly ChartMark[] {
  const side = price >= base ? 'above' : 'below';
  const opposite = side === 'above' ? 'below' : 'above';
  return labels.map((text, n) => ({ time, price, text, side: n === 0 ? side : opposite, kind: kinds[n] ?? '' }));
}

function dotOf({ time, kind }: ChartMark, ink: Inks): SeriesMarker<UTCTimestamp> {
  const color = kind === 'mfe' ? ink.favour : kind === 'mae' ? ink.adverse : ink.accent;
  return { time: time as UTCTimestamp, position: 'inBar', shape: 'circle', color, size: 0.8 };
}

/** Shades the window of a decision behind the prices, from the place of one time to that of another, ends included. */
export function windowShade(chart: IChartApi, from: Time, to: Time, color: string): ISeriesPrimitive<Time> {
  const view = {
    zOrder: () => 'bottom' as const,
    renderer: () => ({
      draw(target: Target) {
        target.useBitmapCoordinateSpace(({ context, bitmapSize, horizontalPixelRatio: ratio }) => {
          const scale = chart.timeScale();
          const [left, right] = [scale.timeToCoordinate(from), scale.timeToCoordinate(to)];
          if (left === null || right === null) return;
          const half = scale.options().barSpacing / 2;
          context.fillStyle = color;
          context.fillRect((left - half) * ratio, 0, (right - left + 2 * half) * ratio, bitmapSize.height);
        });
      },
    }),
  };
  return { paneViews: () => [view] };
}

type Renderer = NonNullable<
  ReturnType<ReturnType<NonNullable<ISeriesPrimitive<Time>['paneViews']>>[number]['renderer']>
>;

type Target = Parameters<Renderer['draw']>[0];
