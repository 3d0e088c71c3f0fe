import type { Bar } from '../../market/bars.ts';
import type { BarSeries } from '../../market/market-data.ts';
import { type Millis, rfc3339 } from '../../time.ts';
import type { EvaluationCall } from '../evaluation.ts';
import type { OwnerFacts, ReferencePriceFact } from '../outcome.ts';
import { levelFacts } from './levels.ts';
import type { Path } from './path.ts';

/**
 * The facts of evaluation.md section 5 that only the owner sees.
 * @param levelBars the bars of the path as its levels are compared with: one of volume 0 touches none
 */
export function ownerFacts(
  call: EvaluationCall,
  { bars }: BarSeries,
  { path, levelBars }: { readonly path: Path; readonly levelBars: readonly Bar[] },
): OwnerFacts {
  const { data_cutoff, knowledge_cutoff } = call;
  const unit = barAt(bars, call.anchor_time) ?? path.entry.bar;
  return {
    levels: levelFacts(call, inUnitsOf(unit, { ...path, bars: levelBars })),
    reference_price: referencePrice(call, barAt(bars, data_cutoff)),
    knowledge_overlap: knowledge_cutoff === undefined ? null : data_cutoff < knowledge_cutoff,
  };
}

/** The bar that contains an instant, else the last one before it. */
function barAt(bars: readonly Bar[], at: Millis): Bar | undefined {
  return bars.findLast(({ start }) => start <= at);
}

function inUnitsOf(unit: Bar, { entry, bars }: Path) {
  return {
    entry: { ts: entry.ts, price: (entry.price * entry.bar.split) / unit.split },
    bars: bars.map((bar) => {
      const factor = bar.split / unit.split;
      return { ...bar, open: bar.open * factor, high: bar.high * factor, low: bar.low * factor };
    }),
  };
}

function referencePrice({ reference_price }: EvaluationCall, bar: Bar | undefined): ReferencePriceFact | null {
  if (reference_price === undefined || !bar) return null;
  const { start, end, low, high } = bar;
  return {
    price: reference_price,
    bar: { start: rfc3339(start), end: rfc3339(end), low, high },
    within_bar: low <= reference_price && reference_price <= high,
  };
}
