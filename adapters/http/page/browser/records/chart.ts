import type { AutoscaleInfo, IChartApi, ISeriesApi, SeriesType, Time } from 'lightweight-charts';
import { addressOfFile } from '../kit/elements.ts';
import { tickWords } from '../kit/time-ticks.ts';
import { PRICE_DIGITS } from './path-points.ts';

export type Charts = typeof import('lightweight-charts');

/** Fetched when the first chart is drawn. */
export function loadCharts(): Promise<Charts> {
  return import(addressOfFile('lightweight-charts.mjs'));
}

/** The page's colours in the current colour scheme. */
export interface Inks {
  readonly text: string;
  readonly soft: string;
  readonly line: string;
  readonly card: string;
  readonly accent: string;
  readonly favour: string;
  readonly adverse: string;
  readonly shade: string;
}

export function inks(): Inks {
  const style = getComputedStyle(document.documentElement);
  const ink = (name: string) => style.getPropertyValue(`--${name}`).trim();
  return {
    text: ink('text'),
    soft: ink('soft'),
    line: ink('line'),
    card: ink('card'),
    accent: ink('accent'),
    favour: ink('favour'),
    adverse: ink('adverse'),
    shade: ink('shade'),
  };
}

const TWO_DAYS = 2 * 86_400_000;
/** `13 Feb 2003` */
const TICK_CHARACTERS = 11;

/**
 * An empty chart that fills its box. It scrolls and zooms only with a modifier key or on its axes, so that the wheel
 * scrolls the page. The library's own logo would need a style that the page's policy blocks: its notice and link are in
 * the page's footer instead.
 * @param span milliseconds from end to end: clock times are shown where they help
 */
export function newChart(charts: Charts, box: HTMLElement, { text, line }: Inks, span: number): IChartApi {
  const isShort = span < TWO_DAYS;
  return charts.createChart(box, {
    autoSize: true,
    layout: {
      background: { type: charts.ColorType.Solid, color: 'transparent' },
      textColor: text,
      fontFamily: getComputedStyle(document.body).fontFamily,
      attributionLogo: false,
    },
    grid: { vertLines: { visible: false }, horzLines: { color: line } },
    rightPriceScale: { borderVisible: false, scaleMargins: { top: 0.18, bottom: 0.18 } },
    timeScale: {
      borderColor: line,
      timeVisible: isShort,
      secondsVisible: false,
      lockVisibleTimeRangeOnResize: true,
      tickMarkMaxCharacterLength: TICK_CHARACTERS,
      tickMarkFormatter: (time: Time, type: number) => tickWords(Number(time) * 1_000, unitOf(charts, type), span),
    },
    handleScroll: false,
    handleScale: false,
    localization: {
      priceFormatter: (value: number) =>
        Number(value.toPrecision(PRICE_DIGITS)).toLocaleString('en-GB', { maximumSignificantDigits: PRICE_DIGITS }),
    },
  });
}

function unitOf({ TickMarkType }: Charts, type: number): Parameters<typeof tickWords>[1] {
  if (type === TickMarkType.Year) return 'year';
  if (type === TickMarkType.Month) return 'month';
  return type === TickMarkType.DayOfMonth ? 'day' : 'time';
}

/** Half of the width of a label at an end, in pixels. */
const LABEL = 40;

/** Shows this number of places, with room on both sides for the labels at the ends. */
export function showAll(chart: IChartApi, places: number, box: HTMLElement): void {
  const margin = (places * LABEL) / Math.max(box.clientWidth - 2 * LABEL, LABEL);
  chart.timeScale().setVisibleLogicalRange({ from: -margin, to: places - 1 + margin });
}

/** The visible range includes levels that no price came near, because they are part of the decision. */
export function keepInSight(series: ISeriesApi<SeriesType>, prices: readonly number[]): void {
  series.applyOptions({
    autoscaleInfoProvider: (own: () => AutoscaleInfo | null) => {
      const range = own()?.priceRange;
      if (!range) return null;
      const minValue = Math.min(range.minValue, ...prices);
      return { priceRange: { minValue, maxValue: Math.max(range.maxValue, ...prices) } };
    },
  });
}

/** Draws now, and again when the colour scheme changes, until the box is removed from the page. */
export function keepDrawn(box: HTMLElement, draw: () => IChartApi): void {
  let chart = draw();
  const scheme = matchMedia('(prefers-color-scheme: dark)');
  const redraw = () => {
    chart.remove();
    if (box.isConnected) {
      box.replaceChildren();
      chart = draw();
    } else scheme.removeEventListener('change', redraw);
  };
  scheme.addEventListener('change', redraw);
}
