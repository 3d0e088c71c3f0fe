import type { IChartApi, ISeriesApi, SeriesMarker, UTCTimestamp } from 'lightweight-charts';
import type { OwnerOutcome } from '../../../../../domain/decisions/views/views.ts';
import type { StoredBar } from '../../../../../domain/grading/outcome.ts';
import type { Bar } from '../../../../../domain/market/bars.ts';
import { percent } from '../kit/value-texts.ts';
import type { WireDirection, WirePriceTargets } from '../kit/wire.ts';
import { type Charts, type Inks, inks, keepDrawn, keepInSight, loadCharts, newChart, showAll } from './chart.ts';
import { type ChartMark, keepLabelled } from './chart-labels.ts';
import { windowShade } from './facts-drawing.ts';
import { priceSteps } from './path-points.ts';

export interface BarsDrawing {
  readonly outcome: OwnerOutcome;
  readonly direction: WireDirection;
  readonly targets: WirePriceTargets | null;
  /** Daily bars from before the window. */
  readonly context: readonly Bar[];
}

/** The bars that the outcome was computed from, with the levels of the decision; only for the record's owner. */
export async function drawBars(box: HTMLElement, drawing: BarsDrawing): Promise<void> {
  const charts = await loadCharts();
  if (!box.isConnected) return;
  keepDrawn(box, () => draw(charts, box, drawing));
  const kinds = [...marksOf(drawing), ...levelsOf(drawing)].map(({ kind }) => kind);
  box.dataset.drawn = ['bars', ...(drawing.context.length > 0 ? ['context'] : []), ...kinds].join(' ');
}

function draw(charts: Charts, box: HTMLElement, drawing: BarsDrawing): IChartApi {
  const ink = inks();
  const { outcome, context } = drawing;
  const from = context[0]?.start ?? Date.parse(outcome.entry.time);
  const chart = newChart(charts, box, ink, Date.parse(outcome.exit.time) - from);
  const series = chart.addSeries(charts.CandlestickSeries, {
    priceFormat: priceSteps(outcome.entry.price),
    upColor: 'transparent',
    downColor: ink.soft,
    borderColor: ink.soft,
    wickColor: ink.soft,
    priceLineVisible: false,
    lastValueVisible: false,
  });
  const all = [...context, ...outcome.bars];
  series.setData(candles(all, outcome.bars[0]?.split ?? 1));
  const [first, last] = [outcome.bars[0], outcome.bars.at(-1)];
  if (first && last) series.attachPrimitive(windowShade(chart, seconds(first.start), seconds(last.start), ink.shade));
  addLevels(charts, series, drawing, ink);
  const marks = marksOf(drawing);
  charts.createSeriesMarkers(
    series,
    marks.map((mark) => dotOf(mark, ink)),
  );
  showAll(chart, all.length, box);
  keepLabelled({
    box,
    chart,
    series,
    marks,
    levels: levelsOf(drawing).map(({ title: text, ...level }) => ({ text, ...level })),
  });
  return chart;
}

/** In the units of the decision's levels, which are those of the first bar of the path, before any later split. */
function candles(bars: readonly (StoredBar | Bar)[], unit: number) {
  return bars.map(({ start, open, high, low, close, split }) => ({
    time: seconds(start),
    open: (open * split) / unit,
    high: (high * split) / unit,
    low: (low * split) / unit,
    close: (close * split) / unit,
  }));
}

function levelsOf({ targets, outcome }: BarsDrawing) {
  const stop = targets?.stop_loss;
  return [
    { kind: 'entry-level', price: outcome.entry.price, title: '' },
    ...(targets?.targets ?? []).map(({ price }, i) => ({ kind: 'target', price, title: `target ${i + 1}` })),
    ...(stop ? [{ kind: 'stop', price: stop.price, title: `stop, ${stop.kind}` }] : []),
  ].filter(({ price }) => Number.isFinite(price));
}

function addLevels(charts: Charts, series: ISeriesApi<'Candlestick'>, drawing: BarsDrawing, ink: Inks): void {
  const colors: Readonly<Record<string, string>> = { target: ink.favour, stop: ink.adverse };
  const levels = levelsOf(drawing);
  for (const { kind, price } of levels) {
    const color = colors[kind] ?? ink.accent;
    series.createPriceLine({ price, title: '', color, lineWidth: 1, lineStyle: charts.LineStyle.Dashed });
  }
  keepInSight(
    series,
    levels.map(({ price }) => price),
  );
}

/** Entry, excursions and exit: at the prices of their bars, in the units of the first. */
function marksOf({ outcome, direction }: BarsDrawing): ChartMark[] {
  const { bars, entry, mfe, mae } = outcome;
  const barOf = (time: string | undefined) => (time === entry.time ? bars[0] : bars.find(({ end }) => end === time));
  const [first, last] = [bars[0], bars.at(-1)];
  const unit = first?.split ?? 1;
  const falls = direction === 'bearish';
  const excursion = (kind: 'mfe' | 'mae', fact: typeof mfe, isLow: (bar: StoredBar) => boolean): ChartMark[] => {
    const bar = barOf(fact?.time);
    if (!fact || !bar) return [];
    const low = isLow(bar);
    const price = ((low ? bar.low : bar.high) * bar.split) / unit;
    return [
      {
        kind,
        time: seconds(bar.start),
        price,
        side: low ? 'below' : 'above',
        text: `${kind.toUpperCase()} ${percent(fact.value)}`,
      },
    ];
  };
  const farther = ({ high, low, split }: StoredBar) =>
    entry.price - (low * split) / unit > (high * split) / unit - entry.price;
  const marks: ChartMark[] = [
    ...(first
      ? [
          {
            kind: 'entry',
            time: seconds(first.start),
            price: entry.price,
            side: falls ? ('above' as const) : ('below' as const),
            text: 'entry',
          },
        ]
      : []),
    ...excursion('mfe', mfe, () => falls),
    ...excursion('mae', mae, direction === 'neutral' ? farther : () => !falls),
    ...(last
      ? [
          {
            kind: 'exit',
            time: seconds(last.start),
            price: (last.close * last.split) / unit,
            side: 'above' as const,
            text: 'exit',
          },
        ]
      : []),
  ];
  return marks.toSorted((a, b) => Number(a.time) - Number(b.time));
}

function dotOf({ kind, time, price }: ChartMark, ink: Inks): SeriesMarker<UTCTimestamp> {
  const color = kind === 'mfe' ? ink.favour : kind === 'mae' ? ink.adverse : ink.accent;
  return { time: time as UTCTimestamp, position: 'atPriceMiddle', price, shape: 'circle', color, size: 0.6 };
}

function seconds(time: string | number): UTCTimestamp {
  return Math.floor(new Date(time).getTime() / 1_000) as UTCTimestamp;
}
