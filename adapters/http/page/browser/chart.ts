import type { AutoscaleInfo, IChartApi, ISeriesApi, SeriesType } from 'lightweight-charts';

export type Charts = typeof import('lightweight-charts');

/** Fetched when the first chart is drawn. */
export function loadCharts(): Promise<Charts> {
  const address = new URL('lightweight-charts.mjs', import.meta.url).href;
  return import(address);
}

/** The page's colours, as the style has them in the scheme of this moment. */
export interface Inks {
  readonly text: string;
  readonly soft: string;
  readonly line: string;
  readonly card: string;
  readonly accent: string;
  readonly favour: string;
  readonly adverse: string;
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
  };
}

const PRICE_DIGITS = 6;
const TWO_DAYS = 2 * 86_400_000;

/**
 * An empty chart that fills its box. It scrolls and zooms within the drawing only when asked with a modifier or by its own
 * axes, so that it never holds up the page. The library's own logo would need a style that the page's policy refuses: its
 * notice and link stand in the page's footer instead.
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
    timeScale: { borderColor: line, timeVisible: isShort, secondsVisible: false, lockVisibleTimeRangeOnResize: true },
    handleScroll: false,
    handleScale: false,
    localization: {
      priceFormatter: (value: number) =>
        Number(value.toPrecision(PRICE_DIGITS)).toLocaleString('en-GB', { maximumSignificantDigits: PRICE_DIGITS }),
    },
  });
}

/** Half of what is written at an end, in pixels. */
const LABEL = 55;

/** All of so many places, with room on both sides for what is written at the ends. */
export function showAll(chart: IChartApi, places: number, box: HTMLElement): void {
  const margin = (places * LABEL) / Math.max(box.clientWidth - 2 * LABEL, LABEL);
  chart.timeScale().setVisibleLogicalRange({ from: -margin, to: places - 1 + margin });
}

/** Levels that no price came near are still part of what was said. */
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

/** Draws now, and again when the scheme of colours changes, until the box has left the page. */
export function keepDrawn(box: HTMLElement, draw: () => IChartApi): void {
  let chart = draw();
  const scheme = matchMedia('(prefers-color-scheme: dark)');
  const redraw = () => {
    chart.remove();
    if (box.isConnected) chart = draw();
    else scheme.removeEventListener('change', redraw);
  };
  scheme.addEventListener('change', redraw);
}
