import { VERIFICATION } from '../../domain/limits.ts';
import type { Instrument } from '../../domain/market/instrument.ts';
import type { InstrumentRecord } from '../../domain/market/instrument-store.ts';
import type { Listing } from '../../domain/market/market-data.ts';
import type { Ports } from '../ports.ts';

/** Whether a source has confirmed within the last 24 hours that the instrument exists (settled.md section 5). */
export function isVerified(known: InstrumentRecord | null, now: Date): known is InstrumentRecord {
  return known?.status === 'verified' && now.getTime() - known.checked_at.getTime() < VERIFICATION.cache;
}

/** The record of a listing just found: earlier failures and waits are over. */
export function verified(instrument: Instrument, listing: Listing, now: Date): InstrumentRecord {
  return { instrument, status: 'verified', listing, checked_at: now, retry_at: null, attempts: 0, last_error: null };
}

/**
 * The listing of an instrument to grade, requested anew once a day: one that was delisted since a record was verified
 * is graded by its last print, not deferred until the record is given up (evaluation.md section 6).
 * @returns the known listing when the sources no longer know the instrument; null without one
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
