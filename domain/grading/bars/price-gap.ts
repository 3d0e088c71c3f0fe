import { BAR_SIZES, type BarSize, sizesInOrder } from '../../market/bars.ts';
import { calendarOf } from '../../market/calendars/by-venue.ts';
import { type CoveredSpan, isOpenEnded, type SourceCoverage } from '../../market/market-data.ts';
import { rfc3339 } from '../../time.ts';
import type { EvaluationCall, EvaluationMethod } from '../evaluation.ts';
import { wantedSize } from '../windows/window.ts';
import { dailySpan, judgedSpan } from './coverage.ts';

/**
 * Why no configured source can grade a window, as far as their coverage proves it (settled.md section 14).
 * `NO_PRICE_SOURCE`: none has prices of the instrument that serve the window, because they begin later or their bars are
 * too long. `PRICES_END_BEFORE_WINDOW`: there are prices, and they end before the window does.
 */
export const PRICE_GAPS = ['NO_PRICE_SOURCE', 'PRICES_END_BEFORE_WINDOW'] as const;
export type PriceGap = (typeof PRICE_GAPS)[number];

/** The fields of a decision that its prices depend on. */
export type PricedWindow = Pick<
  EvaluationCall,
  'instrument' | 'horizon_kind' | 'horizon_value' | 'anchor_time' | 'end_time'
>;

/** null where at least one source covers the window in a size that resolves it. */
export function priceGap(
  window: PricedWindow,
  sources: readonly SourceCoverage[],
  method: EvaluationMethod,
): PriceGap | null {
  if (sources.some((source) => canGrade(window, source, method))) return null;
  const ended = sources.some(({ spans }) =>
    BAR_SIZES.some((size) => {
      const span = spans[size];
      return span !== undefined && span.from < window.end_time && method.endsEarly(window, size, span.to);
    }),
  );
  return ended ? 'PRICES_END_BEFORE_WINDOW' : 'NO_PRICE_SOURCE';
}

/**
 * The gap if it can never be filled: no source that is responsible for the instrument may have further bars later. null
 * also where a source covers the window in bars that are too long for it alone: that ends as `below_resolution`, which
 * `barsNeeded` judges.
 */
export function provenGap(
  window: PricedWindow,
  sources: readonly SourceCoverage[],
  method: EvaluationMethod,
): PriceGap | null {
  const isCoveredInLongBars = (source: SourceCoverage) =>
    resolvingSizes(window, source, method).length === 0 && covers(window, source, BAR_SIZES, method);
  if (sources.length === 0 || sources.some(isOpenEnded) || sources.some(isCoveredInLongBars)) return null;
  return priceGap(window, sources, method);
}

/** What the sources cover instead of the window, for the owner of the record. */
export function gapText(window: PricedWindow, sources: readonly SourceCoverage[], method: EvaluationMethod): string {
  const { instrument, anchor_time, end_time } = window;
  const ranges = sources.flatMap(({ source, spans }) =>
    BAR_SIZES.flatMap((size) => {
      const span = spans[size];
      return span ? [`${source} has ${size} bars${spanText(span)}`] : [];
    }),
  );
  const found = ranges.length > 0 ? ranges.join(', ') : 'No configured source serves the instrument';
  const history = rfc3339(dailySpan(calendarOf(instrument), anchor_time).from);
  const needed = sources.some(({ depth }) => depth !== undefined)
    ? `, and its grade needs 1d bars from ${history}`
    : '';
  const resolution = longBarsText(window, sources, method);
  return `${found}. The window is from ${rfc3339(anchor_time)} to ${rfc3339(end_time)}${needed}.${resolution} An operator can import bars or set a source.`;
}

/** Empty where a size that contains the window resolves it, or none contains it. */
function longBarsText(window: PricedWindow, sources: readonly SourceCoverage[], method: EvaluationMethod): string {
  const sizes = BAR_SIZES.filter((size) => sources.some((source) => contains(window, size, source, method)));
  if (sizes.length === 0 || sizes.some((size) => method.resolves(window, size))) return '';
  return ` Bars of ${sizes.join(', ')} are too long for it.`;
}

function spanText({ from, to }: CoveredSpan): string {
  const begins = Number.isFinite(from) ? ` from ${rfc3339(from)}` : '';
  return Number.isFinite(to) ? `${begins} to ${rfc3339(to)}` : `${begins} on`;
}

/**
 * The sizes of a source that may serve the window: without those whose bars are known to begin after its start or to end
 * before its end. A size to which bars may still be added stays.
 */
export function usableSizes(
  window: PricedWindow,
  source: SourceCoverage,
  method: EvaluationMethod,
): readonly BarSize[] {
  return BAR_SIZES.filter((size) => {
    const span = source.spans[size];
    return span !== undefined && (span.to === Number.POSITIVE_INFINITY || contains(window, size, source, method));
  });
}

/** Whether the source has, of all sizes, one that resolves the window and contains it. */
export function canGrade(window: PricedWindow, source: SourceCoverage, method: EvaluationMethod): boolean {
  return covers(window, source, resolvingSizes(window, source, method), method);
}

function covers(
  window: PricedWindow,
  source: SourceCoverage,
  sizes: readonly BarSize[],
  method: EvaluationMethod,
): boolean {
  const usable = usableSizes(window, source, method);
  const wanted = wantedSize(window.horizon_kind, window.horizon_value);
  const [size] = sizesInOrder(
    wanted,
    sizes.filter((each) => usable.includes(each)),
  );
  return size !== undefined && contains(window, size, source, method) && keeps(window, size, source);
}

/** Whether a source still has the bars of the window, and the days before it, when the window has ended. */
function keeps({ instrument, anchor_time, end_time }: PricedWindow, size: BarSize, { spans, depth }: SourceCoverage) {
  if (depth === undefined) return true;
  const calendar = calendarOf(instrument);
  const oldest = (of: BarSize) => Math.max(spans[of]?.from ?? Number.NEGATIVE_INFINITY, end_time - depth[of]);
  const path = judgedSpan(calendar, size, anchor_time, end_time);
  return path.from >= oldest(size) && dailySpan(calendar, anchor_time).from >= oldest('1d');
}

function resolvingSizes(window: PricedWindow, { spans }: SourceCoverage, method: EvaluationMethod) {
  return BAR_SIZES.filter((size) => spans[size] && method.resolves(window, size));
}

function contains(
  window: PricedWindow,
  size: BarSize,
  { spans, delisted_at }: SourceCoverage,
  method: EvaluationMethod,
): boolean {
  const span = spans[size];
  if (!span || method.beginsLate(window, size, span.from)) return false;
  if (delisted_at !== null && delisted_at <= window.anchor_time) return false;
  const end_time = Math.min(window.end_time, delisted_at ?? window.end_time);
  return !method.endsEarly({ ...window, end_time }, size, span.to);
}
