import { isResolved } from '../market/bar-grid.ts';
import { sizesInOrder } from '../market/bar-size.ts';
import { BAR_SIZES, type BarSize } from '../market/bars.ts';
import { calendarOf } from '../market/calendars/by-venue.ts';
import { type CoveredSpan, isOpenEnded, type SourceCoverage } from '../market/price-coverage.ts';
import { rfc3339 } from '../time.ts';
import type { EvaluationCall } from './evaluation.ts';
import { wantedSize } from './wanted-size.ts';
import { entryDeadline, lastBarDue } from './window-edges.ts';

/**
 * Why no configured source can grade a window, as far as their coverage proves it (settled.md section 14).
 * `NO_PRICE_SOURCE`: none has prices of the instrument that serve the window. `PRICES_END_BEFORE_WINDOW`: there are
 * prices, and they end before the window does.
 */
export const PRICE_GAPS = ['NO_PRICE_SOURCE', 'PRICES_END_BEFORE_WINDOW'] as const;
export type PriceGap = (typeof PRICE_GAPS)[number];

/** The fields of a decision that its prices depend on. */
export type PricedWindow = Pick<
  EvaluationCall,
  'instrument' | 'horizon_kind' | 'horizon_value' | 'anchor_time' | 'end_time'
>;

/** null where the coverage of at least one source contains the window in a size that resolves it. */
export function priceGap(window: PricedWindow, sources: readonly SourceCoverage[]): PriceGap | null {
  if (sources.some((source) => canGrade(window, source))) return null;
  const ended = sources.some(({ spans }) =>
    BAR_SIZES.some((size) => {
      const span = spans[size];
      return span !== undefined && span.from < window.end_time && endsBefore(window, size, span, window.end_time);
    }),
  );
  return ended ? 'PRICES_END_BEFORE_WINDOW' : 'NO_PRICE_SOURCE';
}

/** The gap if it can never be filled: no source that is responsible for the instrument may have further bars later. */
export function provenGap(window: PricedWindow, sources: readonly SourceCoverage[]): PriceGap | null {
  return sources.length === 0 || sources.some(isOpenEnded) ? null : priceGap(window, sources);
}

/** What the sources cover instead of the window, for the owner of the record. */
export function gapText({ end_time }: PricedWindow, sources: readonly SourceCoverage[]): string {
  const ranges = sources.flatMap(({ source, spans }) =>
    BAR_SIZES.flatMap((size) => {
      const span = spans[size];
      return span ? [`${source} has ${size} bars from ${rfc3339(span.from)} to ${rfc3339(span.to)}`] : [];
    }),
  );
  return `${ranges.join(', ')}; that does not grade a window that ends at ${rfc3339(end_time)}. More bars or another source can.`;
}

/**
 * The sizes of a source that may serve the window: without those whose bars are known to begin after its start or to end
 * before its end. A size to which bars may still be added stays.
 */
export function usableSizes(window: PricedWindow, source: SourceCoverage): readonly BarSize[] {
  return BAR_SIZES.filter((size) => {
    const span = source.spans[size];
    return span !== undefined && (span.to === Number.POSITIVE_INFINITY || contains(window, size, span, source));
  });
}

function canGrade(window: PricedWindow, source: SourceCoverage): boolean {
  const calendar = calendarOf(window.instrument);
  const { anchor_time, end_time } = window;
  const wanted = wantedSize(window.horizon_kind, window.horizon_value);
  const size = sizesInOrder(wanted, usableSizes(window, source)).find((each) =>
    isResolved(calendar, each, anchor_time, end_time),
  );
  const span = size && source.spans[size];
  return size !== undefined && span !== undefined && contains(window, size, span, source);
}

function contains(
  window: PricedWindow,
  size: BarSize,
  span: CoveredSpan,
  { delisted_at }: Pick<SourceCoverage, 'delisted_at'>,
): boolean {
  const { instrument, anchor_time, end_time } = window;
  if (delisted_at !== null && delisted_at <= anchor_time) return false;
  if (span.from > entryDeadline(calendarOf(instrument), size, anchor_time)) return false;
  return !endsBefore(window, size, span, Math.min(end_time, delisted_at ?? end_time));
}

function endsBefore({ instrument }: PricedWindow, size: BarSize, { to }: CoveredSpan, end: number): boolean {
  return to < lastBarDue(calendarOf(instrument), size, end);
}
