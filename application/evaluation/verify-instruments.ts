import { VERIFICATION } from '../../domain/limits.ts';
import { type Instrument, instrumentKey } from '../../domain/market/instrument.ts';
import type { InstrumentRecord } from '../../domain/market/instrument-store.ts';
import { type Listing, SourceUnavailable } from '../../domain/market/market-data.ts';
import type { Ports } from '../ports.ts';

/** Instruments that one sweep asks for. */
const BATCH = 100;

/**
 * Moves records on from `pending_verify`: their instruments exist or they do not (settled.md section 5). A source that
 * cannot be asked leaves them waiting, longer each time. Asking twice changes nothing.
 * @returns whether there may be more to do at once
 */
export async function verifyInstruments(ports: Ports): Promise<boolean> {
  const waiting = await ports.decisions.awaitingVerification(await ports.clock.now(), BATCH);
  const known = await ports.instruments.find(waiting);
  for (const instrument of waiting) {
    await verifyInstrument(ports, instrument, known.find((record) => same(record.instrument, instrument)) ?? null);
  }
  return waiting.length === BATCH;
}

async function verifyInstrument(ports: Ports, instrument: Instrument, known: InstrumentRecord | null): Promise<void> {
  const now = await ports.clock.now();
  const record = isFresh(known, now) ? known : await lookUp(ports, instrument, known, now);
  await ports.transaction(async ({ instruments, decisions, jobs }) => {
    await instruments.put(record);
    if (record.status === 'unreachable') return;
    const moved = await decisions.settleVerification(instrument, record.status);
    if (record.status === 'verified' && moved > 0) await jobs.enqueue('evaluate-due');
  });
}

function isFresh(known: InstrumentRecord | null, now: Date): known is InstrumentRecord {
  return known?.status === 'verified' && now.getTime() - known.checked_at.getTime() < VERIFICATION.cache;
}

/** A fault of ours waits like a source that is down, and holds up no other instrument. */
async function lookUp(
  { marketData, report }: Ports,
  instrument: Instrument,
  known: InstrumentRecord | null,
  now: Date,
): Promise<InstrumentRecord> {
  try {
    return found(instrument, await marketData.describe(instrument), now);
  } catch (error) {
    if (error instanceof SourceUnavailable) return unreachable(instrument, known, error.message, now);
    report(error, { instrument: instrumentKey(instrument) });
    return unreachable(instrument, known, 'The look-up failed; the operators have been told.', now);
  }
}

function unreachable(
  instrument: Instrument,
  known: InstrumentRecord | null,
  last_error: string,
  now: Date,
): InstrumentRecord {
  const attempts = (known?.attempts ?? 0) + 1;
  const wait = Math.min(VERIFICATION.firstRetry * 2 ** (attempts - 1), VERIFICATION.longestRetry);
  return {
    instrument,
    status: 'unreachable',
    listing: known?.listing ?? null,
    checked_at: known?.checked_at ?? now,
    retry_at: new Date(now.getTime() + wait),
    attempts,
    last_error,
  };
}

function found(instrument: Instrument, listing: Listing | null, now: Date): InstrumentRecord {
  const status = listing ? 'verified' : 'rejected';
  const last_error = listing ? null : 'No source knows this instrument.';
  return { instrument, status, listing, checked_at: now, retry_at: null, attempts: 0, last_error };
}

function same(a: Instrument, b: Instrument): boolean {
  return instrumentKey(a) === instrumentKey(b);
}
