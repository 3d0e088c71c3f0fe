import type { Isolation } from '../../domain/circuits/isolation.ts';
import {
  type EvidenceDocument,
  type IsolationDocument,
  type SealedBars,
  type SealedEvidence,
  type SeenEvidence,
  type SeriesDocument,
  seenEvidence,
} from '../../domain/grading/evidence.ts';
import type { MethodName } from '../../domain/grading/method-facts.ts';
import { barText, inStretches } from '../../domain/market/bar-text.ts';
import type { BarSeries } from '../../domain/market/market-data.ts';
import { rfc3339 } from '../../domain/time.ts';
import { sha256Hex } from '../sha256.ts';

/** Long enough for few stretches, short enough that records of the same weeks share most of their daily bars. */
const BARS_OF_A_STRETCH = 128;

/** What an evaluation of a record by a method used, sealed by digests so that any later change is detected. */
export function sealEvidence(record_id: string, method: MethodName, seen: SeenEvidence): SealedEvidence {
  const [path, daily] = [sealBars(seen.path), sealBars(seen.daily)];
  const { delisted_at } = seen.listing;
  const { isolations = [] } = seen;
  // Keys in the order of RFC 8785.
  const sealed: EvidenceDocument = {
    daily: seriesDocument(seen.daily, daily),
    delisted_at: delisted_at === null ? null : rfc3339(delisted_at),
    end_time: rfc3339(seen.end_time),
    ...(isolations.length > 0 ? { isolations: isolations.map(isolationDocument) } : {}),
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

function seriesDocument({ source, size, dropped }: BarSeries, bars: readonly SealedBars[]): SeriesDocument {
  return { bars: bars.map(({ digest }) => digest), dropped, size, source };
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
