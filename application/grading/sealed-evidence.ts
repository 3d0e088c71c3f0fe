import type { Isolation } from '../../domain/circuits/circuit.ts';
import {
  type ActionsDocument,
  type EvidenceDocument,
  type IsolationDocument,
  type ReadSeriesDocument,
  type SealedBars,
  type SealedEvidence,
  type SeenEvidence,
  type SeriesDocument,
  seenEvidence,
} from '../../domain/grading/evidence.ts';
import type { MethodName } from '../../domain/grading/method-facts.ts';
import { barText, inStretches } from '../../domain/market/bar-cache.ts';
import { barsBetween } from '../../domain/market/bar-inspection.ts';
import type { BarSize } from '../../domain/market/bars.ts';
import type { Instrument } from '../../domain/market/instrument.ts';
import {
  type BarSeries,
  type KnownActions,
  type MarketData,
  SourceUnavailable,
} from '../../domain/market/market-data.ts';
import { type Millis, rfc3339 } from '../../domain/time.ts';
import { sha256Hex } from '../sha256.ts';

/** Long enough for few stretches, short enough that records of the same weeks share most of their daily bars. */
const BARS_OF_A_STRETCH = 128;

/** What an evaluation of a record by a method used, sealed by digests so that any later change is detected. */
export function sealEvidence(record_id: string, method: MethodName, seen: SeenEvidence): SealedEvidence {
  const [path, daily] = [sealBars(seen.path), sealBars(seen.daily)];
  const { delisted_at } = seen.listing;
  const { isolations = [], known, earlier = [], later, market } = seen;
  // Keys in the order of RFC 8785.
  const sealed: EvidenceDocument = {
    ...(known ? { actions: actionsDocument(known) } : {}),
    daily: seriesDocument(seen.daily, daily),
    delisted_at: delisted_at === null ? null : rfc3339(delisted_at),
    ...(earlier.length > 0 ? { earlier: earlier.map(readSeriesDocument) } : {}),
    end_time: rfc3339(seen.end_time),
    ...(isolations.length > 0 ? { isolations: isolations.map(isolationDocument) } : {}),
    ...(later ? { later: readSeriesDocument(later) } : {}),
    ...(market ? { market: { daily: readSeriesDocument(market.daily), instrument: market.instrument } } : {}),
    method,
    now: rfc3339(seen.now),
    path: seriesDocument(seen.path, path),
    record_id,
  };
  const document = JSON.stringify(sealed);
  const bars = [...new Map([...path, ...daily].map((each) => [each.digest, each])).values()];
  return { digest: sha256Hex(document), document, bars };
}

/** The content of a seal, or all of its faults. */
export type OpenedEvidence =
  | { readonly kind: 'intact'; readonly seen: SeenEvidence; readonly method: string }
  | { readonly kind: 'damaged'; readonly faults: readonly string[] };

/** Opens the evidence of a record after checking every part of it against its digest. */
export function openEvidence(record_id: string, { digest, document, bars }: SealedEvidence): OpenedEvidence {
  if (sha256Hex(document) !== digest) return damaged(['The document of the evidence does not match its digest.']);
  const sealed = JSON.parse(document) as EvidenceDocument;
  if (sealed.record_id !== record_id) return damaged([`The evidence is that of ${sealed.record_id}.`]);
  const contents = new Map(bars.map((each) => [each.digest, each.content]));
  const faults = [...sealed.path.bars, ...sealed.daily.bars].flatMap((name) => faultOf(name, contents.get(name)));
  if (faults.length > 0) return damaged([...new Set(faults)]);
  return { kind: 'intact', seen: seenEvidence(sealed, contents), method: sealed.method };
}

/** Series that many records of a group share are serialised once. */
const sealedSeries = new WeakMap<BarSeries['bars'], readonly SealedBars[]>();

function sealBars({ size, bars }: BarSeries): readonly SealedBars[] {
  const known = sealedSeries.get(bars);
  if (known) return known;
  const sealed = inStretches(size, bars, BARS_OF_A_STRETCH).map((stretch) => {
    const content = barText(stretch);
    return { digest: sha256Hex(content), content };
  });
  sealedSeries.set(bars, sealed);
  return sealed;
}

function seriesDocument({ source, size, dropped, names }: BarSeries, bars: readonly SealedBars[]): SeriesDocument {
  return { bars: bars.map(({ digest }) => digest), dropped, ...(names && { names }), size, source };
}

function readSeriesDocument({ bars, dropped, size, source }: BarSeries): ReadSeriesDocument {
  return { bars: barText(bars), dropped, size, source };
}

function actionsDocument({ actions, listed_on, lists, none }: KnownActions): ActionsDocument {
  return {
    actions: actions.map(({ at, kind, source, value }) => ({ at: rfc3339(at), kind, source, value })),
    listed_on,
    lists: lists.map(({ from, source, until }) => ({ from, source, until })),
    none,
  };
}

function isolationDocument({ from, snapshot_id, state, until }: Isolation): IsolationDocument {
  return { from: rfc3339(from), snapshot_id, state, until: until === null ? null : rfc3339(until) };
}

function faultOf(digest: string, content: string | undefined): string[] {
  if (content === undefined) return [`Bars are missing: ${digest}.`];
  return sha256Hex(content) === digest ? [] : [`Bars do not match their digest: ${digest}.`];
}

function damaged(faults: readonly string[]): OpenedEvidence {
  return { kind: 'damaged', faults };
}

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
      const series = { ...holder.series, bars: barsBetween(holder.series.bars, from, to) };
      asked.set(key, series);
      return series;
    },
  };
}

/** A stretch of bars of one size. */
interface BarSpan {
  readonly size: BarSize;
  readonly from: Millis;
  readonly to: Millis;
}

/**
 * The fewest fetches that cover all spans of one instrument without fetching much more: spans of a size that overlap or
 * touch are merged.
 */
export function fetchPlan(spans: readonly BarSpan[]): BarSpan[] {
  const ordered = spans.toSorted((a, b) => (a.size < b.size ? -1 : a.size > b.size ? 1 : a.from - b.from));
  const merged: BarSpan[] = [];
  for (const span of ordered) {
    const last = merged.at(-1);
    if (last && last.size === span.size && span.from <= last.to) {
      merged[merged.length - 1] = { ...last, to: Math.max(last.to, span.to) };
    } else {
      merged.push(span);
    }
  }
  return merged;
}
