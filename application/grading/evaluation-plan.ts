import type { Postponed } from '../../domain/decisions/evaluation-store.ts';
import { canGrade, gapText, provenGap, usableSizes } from '../../domain/grading/bars/price-gap.ts';
import type {
  BarsNeeded,
  Deferred,
  EvaluationCall,
  EvaluationMethod,
  Unavailable,
} from '../../domain/grading/evaluation.ts';
import { settlesAt } from '../../domain/grading/windows/settling.ts';
import { wantedSize } from '../../domain/grading/windows/wanted-size.ts';
import type { BarSize } from '../../domain/market/bars.ts';
import type { Listing } from '../../domain/market/market-data.ts';
import type { SourceCoverage } from '../../domain/market/price-coverage.ts';

/** What an evaluation needs, or why it has no result now. */
export type EvaluationPlan = BarsNeeded | Unavailable | Deferred | Postponed;

/** The listing by which an instrument is graded, and the coverage of all sources that are responsible for it now. */
export interface PriceContext {
  readonly listing: Listing;
  readonly sources: readonly SourceCoverage[];
}

/**
 * The bars to fetch for an evaluation at `now`. It ends at once where the coverage proves that no configured source can
 * ever have the prices of the window, and waits where the prices are not settled yet.
 */
export function evaluationPlan(
  method: EvaluationMethod,
  call: EvaluationCall,
  { listing, sources }: PriceContext,
  now: Date,
): EvaluationPlan {
  const gap = provenGap(call, sources, method);
  const plan = gap === null ? method.barsNeeded(call, sizesOf(method, call, { listing, sources })) : null;
  if (plan !== null && plan.kind !== 'bars') return unlessAnother(method, call, { listing, sources }, plan);
  const bar_size = plan?.path.size ?? wantedSize(call.horizon_kind, call.horizon_value);
  const settles = settlesAt(call.instrument, { end_time: call.end_time, bar_size, cadence: listing.cadence });
  if (settles > now.getTime()) return notSettled(call, new Date(settles));
  if (sources.length === 0) return { kind: 'deferred', reason: 'out_of_reach', detail: NO_SOURCE };
  if (plan === null) return { kind: 'data_unavailable', reason: 'not_covered', detail: gapText(call, sources, method) };
  const covered = sources.find(({ source }) => source === listing.source);
  return covered && !covered.spans['1d']
    ? unlessAnother(method, call, { listing, sources }, withoutHistory(covered))
    : plan;
}

/** The listing of a replacement is no verdict: another configured source grades the window once it answers again. */
function unlessAnother(
  method: EvaluationMethod,
  call: EvaluationCall,
  { listing, sources }: PriceContext,
  unavailable: Unavailable,
): Unavailable | Deferred {
  const other = sources.find((each) => each.source !== listing.source && canGrade(call, each, method));
  if (!other) return unavailable;
  const detail = `${unavailable.detail} ${listing.source} serves the instrument now; ${other.source} may have the bars.`;
  return { kind: 'deferred', reason: 'out_of_reach', detail };
}

const NO_SOURCE = 'No configured source is responsible for this instrument.';

/** The sizes of the listing without those of which the source is known to lack the window. */
function sizesOf(
  method: EvaluationMethod,
  call: EvaluationCall,
  { listing: { source, sizes }, sources }: PriceContext,
): readonly BarSize[] {
  const covered = sources.find((each) => each.source === source);
  const usable = covered ? usableSizes(call, covered, method) : [];
  const both = sizes.filter((size) => usable.includes(size));
  return both.length > 0 ? both : sizes;
}

/** Volatility needs daily closes, and a source never gains a size by itself. */
function withoutHistory({ source }: SourceCoverage): Unavailable {
  return { kind: 'data_unavailable', reason: 'insufficient_history', detail: `${source} has no daily bars.` };
}

function notSettled({ end_time }: EvaluationCall, settles_at: Date): Postponed {
  const detail = 'The prices of the window are not settled yet.';
  const reason = 'not_settled';
  return { kind: 'postponed', reason, until: settles_at, detail, end_time: new Date(end_time), settles_at };
}
