import type { IChartApi, ISeriesApi, SeriesMarker, UTCTimestamp } from 'lightweight-charts';
import type { OwnerOutcome } from '../../../../../domain/decisions/views.ts';
import type { StoredBar } from '../../../../../domain/grading/outcome.ts';
import { percent } from '../kit/value-texts.ts';
import type { WireDirection, WirePriceTargets } from '../kit/wire.ts';
import { type Charts, type Inks, inks, keepDrawn, keepInSight, loadCharts, newChart, showAll } from './chart.ts';

export interface BarsDrawing {
  readonly outcome: OwnerOutcome;
  readonly direction: WireDirection;
  readonly targets: WirePriceTargets | null;
}

/** The bars that the outcome was computed from, with the levels of the decision; only for the record's owner. */
export async function drawBars(box: HTMLElement, drawing: BarsDrawing): Promise<void> {
  const charts = await loadCharts();
  if (!box.isConnected) return;
  keepDrawn(box, () => draw(charts, box, drawing));
  box.dataset.drawn = ['bars', 'entry', 'exit', 'mfe', 'mae', ...levelsOf(drawing).map(({ kind }) => kind)].join(' ');
}

function draw(charts: Charts, box: HTMLElement, drawing: BarsDrawing): IChartApi {
  const ink = inks();
  const { outcome } = drawing;
  const chart = newChart(charts, box, ink, Date.parse(outcome.exit.time) - Date.parse(outcome.entry.time));
  const series = chart.addSeries(charts.CandlestickSeries, {
    upColor: 'transparent',
    downColor: ink.soft,
    borderColor: ink.soft,
    wickColor: ink.soft,
    priceLineVisible: false,
    lastValueVisible: false,
  });
  series.setData(candles(outcome.bars));
  addLevels(charts, series, drawing, ink);
  charts.createSeriesMarkers(series, markers(drawing, ink));
  showAll(chart, outcome.bars.length, box);
  return chart;
}

/** In the units of the decision's levels, which are those of the first bar, before any later split. */
function candles(bars: readonly StoredBar[]) {
  const unit = bars[0]?.split ?? 1;
  return bars.map(({ start, open, high, low, close, split }) => ({
    time: seconds(start),
    open: (open * split) / unit,
    high: (high * split) / unit,
    low: (low * split) / unit,
    close: (close * split) / unit,
  }));
}

function levelsOf({ targets }: BarsDrawing) {
  const stop = targets?.stop_loss;
  return [
    ...(targets?.targets ?? []).map(({ price }, i) => ({ kind: 'target', price, title: `target ${i + 1}` })),
    ...(stop ? [{ kind: 'stop', price: stop.price, title: `stop, ${stop.kind}` }] : []),
  ];
}

function addLevels(charts: Charts, series: ISeriesApi<'Candlestick'>, drawing: BarsDrawing, ink: Inks): void {
  const entry = { kind: 'entry', price: drawing.outcome.entry.price, title: 'entry' };
  const colors: Readonly<Record<string, string>> = { entry: ink.accent, target: ink.favour, stop: ink.adverse };
  const levels = [entry, ...levelsOf(drawing)];
  for (const { kind, price, title } of levels) {
    const color = colors[kind] ?? ink.soft;
    series.createPriceLine({ price, title, color, lineWidth: 1, lineStyle: charts.LineStyle.Dashed });
  }
  keepInSight(
    series,
    levels.map(({ price }) => price),
  );
}

function markers({ outcome, direction }: BarsDrawing, ink: Inks): SeriesMarker<UTCTimestamp>[] {
  const { bars, entry, mfe, mae } = outcome;
  const barOf = (time: string | undefined) => (time === entry.time ? bars[0] : bars.find(({ end }) => end === time));
  const falls = direction === 'bearish';
  const marks = [
    { bar: bars[0], text: 'entry', color: ink.accent, below: true },
    { bar: barOf(mfe?.time), text: `MFE ${percent(mfe?.value ?? 0)}`, color: ink.favour, below: falls },
    { bar: barOf(mae.time), text: `MAE ${percent(mae.value)}`, color: ink.adverse, below: !falls },
    { bar: bars.at(-1), text: 'exit', color: ink.accent, below: false },
  ];
  return marks
    .flatMap(({ bar, text, color, below }) => {
      if (!bar) return [];
      const position = below ? ('belowBar' as const) : ('aboveBar' as const);
      return [{ time: seconds(bar.start), position, shape: 'circle' as const, color, text, size: 0 }];
    })
    .toSorted((a, b) => a.time - b.time);
}

function seconds(time: string): UTCTimestamp {
  return Math.floor(Date.parse(time) / 1_000) as UTCTimestamp;
}
