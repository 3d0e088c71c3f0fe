import { isRecent } from '../../domain/decisions/moderation/verification.ts';
import { dailySpan } from '../../domain/grading/bars/coverage.ts';
import { type Regime, regimeAt } from '../../domain/grading/paths/regime.ts';
import type { LeftList } from '../../domain/grading/windows/settling.ts';
import { clipToSessions } from '../../domain/market/bar-inspection.ts';
import { calendarOf, timeZoneOf } from '../../domain/market/calendars/by-venue.ts';
import type { Instrument } from '../../domain/market/instrument.ts';
import type { InstrumentRecord } from '../../domain/market/instrument-store.ts';
import type { Listing } from '../../domain/market/market-data.ts';
import { localDate, localToInstant } from '../../domain/zoned-time.ts';
import type { Ports } from '../ports.ts';
import { currentNames } from './names.ts';

/** The record of a listing just found: earlier failures and waits are over. */
export function verified(instrument: Instrument, listing: Listing, now: Date): InstrumentRecord {
  return { instrument, status: 'verified', listing, checked_at: now, retry_at: null, attempts: 0, last_error: null };
}

/** The record of an instrument that no source knows any more; the listing that it had stays, to grade its records. */
export function unlisted(instrument: Instrument, known: InstrumentRecord | null, now: Date): InstrumentRecord {
  const last_error = 'No source knows this instrument.';
  const rejected = { status: 'rejected', checked_at: now, retry_at: null, attempts: 0, last_error } as const;
  return { instrument, ...rejected, listing: known?.listing ?? null };
}

/** The listing by which the records of an instrument are graded. */
export interface CurrentListing {
  readonly listing: Listing;
  /** Whether the instrument has left the list of its exchange since it was verified. */
  readonly leftList: boolean;
  /** Since when it has been off the lists of tickers, or without a name; null where neither is known. */
  readonly left: LeftList | null;
  /** What is known of the instrument now. */
  readonly record: InstrumentRecord;
}

/**
 * The listing of an instrument to grade, requested anew once a day: one that was delisted since a record was verified
 * is graded by its last print, not deferred until the record is given up (evaluation.md section 6).
 * @returns the known listing when the sources no longer know the instrument; null without one
 * @throws SourceUnavailable
 */
export async function currentListing(
  ports: Pick<Ports, 'marketData' | 'instruments' | 'symbols' | 'names'>,
  instrument: Instrument,
  known: InstrumentRecord | null,
  now: Date,
): Promise<CurrentListing | null> {
  const record = await currentRecord(ports, instrument, known, now);
  const { listing, status } = record;
  if (!listing) return null;
  const isMissed = status === 'rejected' && (await isAnswerable(ports, instrument, listing, now));
  const left = await leftListOf(ports, instrument, now);
  return { listing, leftList: isMissed || left !== null, left, record };
}

async function currentRecord(
  { marketData, instruments }: Pick<Ports, 'marketData' | 'instruments'>,
  instrument: Instrument,
  known: InstrumentRecord | null,
  now: Date,
): Promise<InstrumentRecord> {
  if (known?.listing && known.status !== 'unreachable' && isRecent(known, now)) return known;
  const listing = await marketData.describe(instrument);
  if (!listing) return unlisted(instrument, known, now);
  const found = verified(instrument, listing, now);
  await instruments.put(found);
  return found;
}

/** Another source that does not know the instrument is no proof: only the one that listed it is. */
async function isAnswerable(
  { marketData }: Pick<Ports, 'marketData'>,
  instrument: Instrument,
  { source }: Listing,
  now: Date,
): Promise<boolean> {
  const sources = await marketData.coverage(instrument, now.getTime());
  return sources.some((each) => each.source === source);
}

/** The lists have names of today: one that ended is off them, also where another security has the ticker now. */
async function leftListOf(
  { symbols, names }: Pick<Ports, 'symbols' | 'names'>,
  instrument: Instrument,
  now: Date,
): Promise<LeftList | null> {
  const book = await currentNames(names);
  const zone = timeZoneOf(instrument);
  const today = localDate(now.getTime(), zone);
  const ended = book.endedOn(instrument);
  if (ended !== null && ended <= today) {
    return { since: localToInstant(Date.parse(ended), zone) ?? Date.parse(ended), stated: true };
  }
  const since = instrument.market === 'stock' ? symbols.leftAt(book.nameOf(instrument, today)) : null;
  return since === null ? null : { since, stated: false };
}

/**
 * The market around an instrument at a time, by the daily closes that ended at or before it (evaluation.md section 7):
 * the value that a record stores as `created_regime`, for now. null with too short a history.
 * @throws SourceUnavailable
 */
export async function currentRegime(
  { marketData }: Pick<Ports, 'marketData'>,
  instrument: Instrument,
  now: Date,
): Promise<Regime | null> {
  const calendar = calendarOf(instrument);
  const at = now.getTime();
  const { from, to } = dailySpan(calendar, at);
  const { bars } = await marketData.bars(instrument, '1d', from, to, at);
  return regimeAt(calendar, clipToSessions(calendar, bars), at);
}
