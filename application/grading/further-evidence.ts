import type {
  Evaluation,
  EvaluationCall,
  EvaluationMethod,
  Evidence,
  FurtherBars,
  MarketEvidence,
} from '../../domain/grading/evaluation.ts';
import { clipToSessions } from '../../domain/market/bar-inspection.ts';
import type { BarSize } from '../../domain/market/bars.ts';
import { calendarOf } from '../../domain/market/calendars/by-venue.ts';
import { type Instrument, instrumentKey } from '../../domain/market/instrument.ts';
import {
  type BarSeries,
  type KnownActions,
  type MarketData,
  NO_ACTIONS_KNOWN,
  OutOfReach,
  SourceUnavailable,
} from '../../domain/market/market-data.ts';
import { referencesOf } from '../../domain/market/reference.ts';
import { DAY, type Millis } from '../../domain/time.ts';

/** Fetches bars that an evaluation asks for; empty where the source does not reach so far, or lacks the size. */
export type FetchFurther = (needed: FurtherBars, source: string) => Promise<BarSeries>;

/** An evaluation may ask for earlier bars twice, and for later ones once. */
const MOST_FETCHES = 4;

/** Evaluates, with the further bars that the evaluation turns out to need, and returns with what evidence. */
export async function evaluateFurther<Seen extends Evidence & { readonly now: Millis }>(
  method: EvaluationMethod,
  call: EvaluationCall,
  first: Seen,
  fetch: FetchFurther,
): Promise<{ readonly result: Evaluation; readonly evidence: Seen }> {
  let evidence = first;
  for (let count = 0; ; count += 1) {
    const result = method.evaluate(call, evidence, evidence.now);
    if (result.kind !== 'deferred' || !result.needs || count === MOST_FETCHES) return { result, evidence };
    const series = await fetch(result.needs, evidence.path.source);
    evidence =
      result.needs.place === 'later'
        ? { ...evidence, later: series }
        : { ...evidence, earlier: [...(evidence.earlier ?? []), series] };
  }
}

/** @throws SourceUnavailable when the source does not answer, or another one does */
export function furtherBars(
  marketData: MarketData,
  instrument: Instrument,
  sizes: readonly BarSize[],
  now: Millis,
): FetchFurther {
  return async ({ size, from, to }, source) => {
    const none: BarSeries = { source, size, bars: [], dropped: 0 };
    if (!sizes.includes(size)) return none;
    try {
      const series = await marketData.bars(instrument, size, from, to, now);
      if (series.source === source) return series;
      throw new SourceUnavailable(`The bars came from ${source} and ${series.source}.`);
    } catch (error) {
      if (error instanceof OutOfReach) return none;
      throw error;
    }
  };
}

/**
 * What the sources know of corporate actions: what the operator wrote next to the bar files counts with every source.
 * Null where nobody knows any.
 */
export async function knownActions(
  { marketData, barFiles }: { readonly marketData: MarketData; readonly barFiles?: MarketData | undefined },
  instrument: Instrument,
  now: Millis,
): Promise<KnownActions | null> {
  const known = await knownBy(marketData, instrument, now);
  const files = barFiles && barFiles !== marketData ? await knownBy(barFiles, instrument, now) : null;
  if (!known || !files) return known ?? files;
  const sources = new Set(files.lists.map(({ source }) => source));
  return {
    actions: [...known.actions, ...files.actions.filter((each) => !known.actions.some((other) => isSame(each, other)))],
    lists: [...known.lists.filter(({ source }) => !sources.has(source)), ...files.lists],
    none: [...new Set([...known.none, ...files.none])].toSorted(),
    listed_on: files.listed_on ?? known.listed_on,
  };
}

/** Null for a source that knows nothing. */
async function knownBy(source: MarketData, instrument: Instrument, now: Millis): Promise<KnownActions | null> {
  const known = await source.actions?.(instrument, now);
  const { actions, lists, none, listed_on } = known ?? NO_ACTIONS_KNOWN;
  return actions.length + lists.length + none.length === 0 && listed_on === null ? null : (known ?? null);
}

function isSame(a: KnownActions['actions'][number], b: KnownActions['actions'][number]): boolean {
  return a.source === b.source && a.at === b.at && a.kind === b.kind && a.value === b.value;
}

/** Daily bars of the reference of a venue over the windows of its calls; it delays nothing, so null where none answers. */
export async function marketSeries(
  marketData: MarketData,
  calls: readonly EvaluationCall[],
  preferred: readonly Instrument[],
  now: Millis,
): Promise<MarketEvidence | null> {
  const [first] = calls;
  if (!first) return null;
  const from = Math.min(...calls.map(({ anchor_time }) => anchor_time)) - REFERENCE_BEFORE;
  const to = Math.max(...calls.map(({ end_time }) => end_time));
  for (const reference of referencesOf(first.instrument, preferred)) {
    const instrument = instrumentKey(reference);
    try {
      const daily = await marketData.bars(
        reference,
        '1d',
        Math.floor(from / DAY) * DAY,
        Math.ceil(to / DAY) * DAY,
        now,
      );
      // Cut as an evaluation cuts them, so that the times of the two that it uses are those of its facts.
      const bars = clipToSessions(calendarOf(first.instrument), daily.bars);
      if (bars.length > 0) return { instrument, daily: { ...daily, bars } };
    } catch {
      // Whatever is wrong with the reference is reported by its own evaluations, and delays no other.
    }
  }
  return null;
}

/** Longer than any holiday. */
const REFERENCE_BEFORE = 14 * DAY;
