import type { Evaluation } from '../../domain/grading/evaluation.ts';
import type { OutcomeFacts, ResultBucket } from '../../domain/grading/outcome.ts';
import { type Instrument, instrumentKey } from '../../domain/market/instrument.ts';
import { type Listing, type MarketData, SourceUnavailable } from '../../domain/market/market-data.ts';
import { fetchBars } from './fetched-bars.ts';
import type { OpenedGrade } from './open-grade.ts';

/** Raw prices, as they were traded. */
export interface EntryAndExit {
  readonly entry_price: number;
  readonly exit_price: number;
}

/** The grade by another source. */
export interface GradeByOther extends EntryAndExit {
  readonly source: string;
  readonly fault: null;
  readonly result_bucket: ResultBucket;
  /** From the stored price, in basis points; above 0 where the price of this source is higher. */
  readonly entry_bp: number;
  readonly exit_bp: number;
}

/** The grade by another source, or why it gives none. */
export type OtherGrade = GradeByOther | { readonly source: string; readonly fault: string };

export type Describe = (source: MarketData, instrument: Instrument) => Promise<Listing | null>;

/** Computes a grade again from the bars of another source, in the same window and bar size (evaluation.md). */
export async function otherGrade(
  grade: OpenedGrade,
  { data, source }: { readonly data: MarketData; readonly source: string },
  describe: Describe,
  now: Date,
): Promise<OtherGrade> {
  const { instrument } = grade.call;
  try {
    const listing = await describe(data, instrument);
    if (!listing) return { source, fault: `${source} does not know ${instrumentKey(instrument)}` };
    const result = await evaluateBy(grade, data, listing, now);
    if (result.kind !== 'evaluated') return { source, fault: `${result.reason}: ${result.detail}` };
    const { result_bucket, facts } = result.outcome;
    return { source, fault: null, result_bucket, ...pricesOf(facts), ...differencesOf(grade.decision.facts, facts) };
  } catch (error) {
    if (!(error instanceof SourceUnavailable)) throw error;
    return { source, fault: error.message };
  }
}

export function pricesOf({ entry, exit }: Pick<OutcomeFacts, 'entry' | 'exit'>): EntryAndExit {
  return { entry_price: entry.price, exit_price: exit.price };
}

/** In the stored bar size, because bars of another size have their first price at another time. */
async function evaluateBy(
  { method, call, seen }: OpenedGrade,
  data: MarketData,
  { delisted_at }: Listing,
  now: Date,
): Promise<Evaluation> {
  const needed = method.barsNeeded(call, [seen.path.size]);
  if (needed.kind !== 'bars') return needed;
  const fetched = await fetchBars(data, call.instrument, [needed.path, needed.daily], now.getTime());
  const bars = { path: fetched.series(needed.path), daily: fetched.series(needed.daily) };
  return method.evaluate(call, { ...seen, ...bars, listing: { delisted_at } }, now.getTime());
}

function differencesOf(stored: OutcomeFacts, other: OutcomeFacts) {
  return {
    entry_bp: basisPoints(stored.entry.price, other.entry.price),
    exit_bp: basisPoints(stored.exit.price, other.exit.price),
  };
}

function basisPoints(from: number, to: number): number {
  return (to / from - 1) * 10_000;
}
