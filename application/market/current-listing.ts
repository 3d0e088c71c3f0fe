import { VERIFICATION } from '../../domain/limits.ts';
import type { Instrument } from '../../domain/market/instrument.ts';
import type { InstrumentRecord } from '../../domain/market/instrument-store.ts';
import type { Listing } from '../../domain/market/market-data.ts';
import type { Ports } from '../ports.ts';

/** Whether a source has said within the last 24 hours that the instrument exists (settled.md section 5). */
export function isVerified(known: InstrumentRecord | null, now: Date): known is InstrumentRecord {
  return known?.status === 'verified' && now.getTime() - known.checked_at.getTime() < VERIFICATION.cache;
}

/** What was just found: failures and waits of before are over. */
export function verified(instrument: Instrument, listing: Listing, now: Date): InstrumentRecord {
  return { instrument, status: 'verified', listing, checked_at: now, retry_at: null, attempts: 0, last_error: null };
}

/**
 * The listing of an instrument that is to be graded, asked for anew once a day: one that was delisted since a record was
 * verified is graded by its last print, not put off until the record is given up (evaluation.md section 6).
 * @returns what was known when the sources have forgotten the instrument; null when nothing was
 * @throws SourceUnavailable
 */
export async function currentListing(
  { marketData, instruments }: Pick<Ports, 'marketData' | 'instruments'>,
  instrument: Instrument,
  known: InstrumentRecord | null,
  now: Date,
): Promise<Listing | null> {
  if (isVerified(known, now) && known.listing) return known.listing;
  const listing = await marketData.describe(instrument);
  if (!listing) return known?.listing ?? null;
  await instruments.put(verified(instrument, listing, now));
  return listing;
}
