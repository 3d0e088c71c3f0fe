import type { Instrument } from '../../domain/market/instrument.ts';
import { type BarSeries, type MarketData, SourceUnavailable } from '../../domain/market/market-data.ts';
import type { Millis } from '../../domain/time.ts';
import { type BarSpan, fetchPlan } from './fetch-plan.ts';

/** Bars of one instrument; each stretch is fetched once however many records use it. */
export interface FetchedBars {
  /** Exactly the bars of a span that was among those fetched; for the same span the same series. */
  series(span: BarSpan): BarSeries;
}

/**
 * Fetches what the spans need; throws `SourceUnavailable` when no source answers, or the source changed between
 * fetches.
 */
export async function fetchBars(
  marketData: MarketData,
  instrument: Instrument,
  spans: readonly BarSpan[],
  now: Millis,
): Promise<FetchedBars> {
  const fetched: { span: BarSpan; series: BarSeries }[] = [];
  for (const span of fetchPlan(spans)) {
    fetched.push({ span, series: await marketData.bars(instrument, span.size, span.from, span.to, now) });
  }
  const sources = new Set(fetched.map(({ series }) => series.source));
  if (sources.size > 1) throw new SourceUnavailable(`The bars came from ${[...sources].join(' and ')}.`);
  const asked = new Map<string, BarSeries>();
  return {
    series({ size, from, to }) {
      const key = `${size} ${from} ${to}`;
      const known = asked.get(key);
      if (known) return known;
      const holder = fetched.find(({ span }) => span.size === size && span.from <= from && span.to >= to);
      if (!holder) throw new RangeError('This span was not fetched');
      const bars = holder.series.bars.filter((bar) => bar.start >= from && bar.end <= to);
      const series = { ...holder.series, bars };
      asked.set(key, series);
      return series;
    },
  };
}
