import type { Isolation } from '../circuits/circuit.ts';
import { barsOfText } from '../market/bar-cache.ts';
import { clipToSessions } from '../market/bar-inspection.ts';
import { type Bar, tradedBars } from '../market/bars.ts';
import { calendarOf } from '../market/calendars/by-venue.ts';
import type { Instrument } from '../market/instrument.ts';
import type { BarSeries, KnownActions } from '../market/market-data.ts';
import type { Millis } from '../time.ts';
import { storedBar } from './bars/stored-bar.ts';
import type { Evidence } from './evaluation.ts';
import type { OutcomeFacts, StoredBar } from './outcome.ts';

/** Everything that an evaluation used besides the record: with it the outcome can be recomputed years later. */
export interface SeenEvidence extends Evidence {
  /** The end of the window by the calendar at that time. */
  readonly end_time: Millis;
  /** The time that decided which bars were final. */
  readonly now: Millis;
}

/** What an evaluation used, as stored with the outcome: never changed, and identified by its digest. */
export interface SealedEvidence {
  /** SHA-256 of `document`, hex. */
  readonly digest: string;
  /** An `EvidenceDocument` as JSON in RFC 8785 form. */
  readonly document: string;
  /** The texts that the document names by their digests, each once. Outcomes may share them. */
  readonly bars: readonly SealedBars[];
}

/** A stretch of bars as the source sent them, raw, with the factors of that time (`barText`). */
export interface SealedBars {
  /** SHA-256 of `content`, hex. */
  readonly digest: string;
  readonly content: string;
}

export interface EvidenceDocument {
  /** From here on, what only `eval/3` reads: each absent where it has nothing. */
  readonly actions?: ActionsDocument;
  readonly earlier?: readonly ReadSeriesDocument[];
  readonly later?: ReadSeriesDocument;
  readonly market?: { readonly daily: ReadSeriesDocument; readonly instrument: string };
  readonly daily: SeriesDocument;
  readonly delisted_at: string | null;
  readonly end_time: string;
  /** Absent when there are none. */
  readonly isolations?: readonly IsolationDocument[];
  /** The name of the method that used it. */
  readonly method: string;
  readonly now: string;
  readonly path: SeriesDocument;
  readonly record_id: string;
}

/** A time in which the circuit of the quote coin was not normal, as far as it was known. */
export interface IsolationDocument extends Pick<Isolation, 'snapshot_id' | 'state'> {
  readonly from: string;
  readonly until: string | null;
}

/** Known actions with their times in RFC 3339. */
export interface ActionsDocument extends Omit<KnownActions, 'actions'> {
  readonly actions: readonly (Omit<KnownActions['actions'][number], 'at'> & { readonly at: string })[];
}

/** A short series: its bars are here (`barText`), and not in stretches of their own. */
export interface ReadSeriesDocument extends Omit<SeriesDocument, 'bars'> {
  readonly bars: string;
}

export interface SeriesDocument {
  /** The digests of the stretches, in the order of time. */
  readonly bars: readonly string[];
  readonly dropped: number;
  /** How the source named the security; absent where it has bars by its key, and of earlier releases. */
  readonly names?: BarSeries['names'];
  readonly size: Evidence['path']['size'];
  readonly source: string;
}

/**
 * What an evaluation used, from its document.
 * @param contents the texts of bars, by the digests that name them; those of all names of the document
 * @throws TypeError for a text that has no bars
 */
export function seenEvidence(document: EvidenceDocument, contents: ReadonlyMap<string, string>): SeenEvidence {
  const { path, daily, delisted_at, isolations, end_time, now, actions, earlier, later, market } = document;
  const series = ({ bars: names, ...rest }: SeriesDocument): BarSeries => {
    return { ...rest, bars: names.flatMap((name) => barsOfText(contents.get(name) ?? '')) };
  };
  return {
    path: series(path),
    daily: series(daily),
    listing: { delisted_at: delisted_at === null ? null : Date.parse(delisted_at) },
    ...(isolations ? { isolations: isolations.map(isolationOf) } : {}),
    ...(actions ? { known: knownOf(actions) } : {}),
    ...(earlier ? { earlier: earlier.map(readSeries) } : {}),
    ...(later ? { later: readSeries(later) } : {}),
    ...(market ? { market: { ...market, daily: readSeries(market.daily) } } : {}),
    end_time: Date.parse(end_time),
    now: Date.parse(now),
  };
}

function readSeries({ bars, ...rest }: ReadSeriesDocument): BarSeries {
  return { ...rest, bars: barsOfText(bars) };
}

function knownOf({ actions, ...rest }: ActionsDocument): KnownActions {
  return { ...rest, actions: actions.map(({ at, ...action }) => ({ ...action, at: Date.parse(at) })) };
}

function isolationOf({ from, until, ...rest }: IsolationDocument): Isolation {
  return { ...rest, from: Date.parse(from), until: until === null ? null : Date.parse(until) };
}

/**
 * The raw bars of an outcome's path, from the texts of its evidence in the order of time (evaluation.md section 5); for
 * `eval/2` those in which something traded.
 */
export function pathBars(
  instrument: Instrument,
  texts: readonly string[],
  facts: OutcomeFacts,
  { end_time, now }: { readonly end_time: Millis; readonly now: Millis },
): StoredBar[] {
  const [entry, until] = [Date.parse(facts.entry.time), Math.min(end_time, now)];
  const onPath = ({ start, end }: Bar) => start >= entry && end <= until;
  const bars = clipToSessions(calendarOf(instrument), texts.flatMap(barsOfText)).filter(onPath);
  // Where the volume is unknown, every bar counts as traded, and their count shows it.
  const leftOut = facts.method === 'eval/3' ? Math.floor(facts.prices_left_out.path / 2) : 0;
  const isWhole = facts.method === 'eval/1' || facts.bars_traded + leftOut >= bars.length;
  return tradedBars(bars, !isWhole).map(storedBar);
}
