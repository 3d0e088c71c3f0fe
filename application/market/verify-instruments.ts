import { isVerified, verificationEnded, type WaitingRecord } from '../../domain/decisions/moderation/verification.ts';
import { VERIFICATION } from '../../domain/limits.ts';
import { type Instrument, instrumentKey } from '../../domain/market/instrument.ts';
import type { InstrumentRecord, Refresh } from '../../domain/market/instrument-store.ts';
import { SourceUnavailable } from '../../domain/market/market-data.ts';
import { barFileWindows } from '../grading/bar-file-windows.ts';
import type { Ports, Stores } from '../ports.ts';
import { unlisted, verified } from './current-listing.ts';
import { isImporting } from './names.ts';

/** The number of instruments that one sweep considers. */
const INSTRUMENTS = 1_000;

/** The number of records that are read at once. */
const PAGE = 1_000;

/** The number of instruments that one sweep looks up. */
const BATCH = 100;

/**
 * Moves records on from `pending_verify`: their instruments exist or they do not (settled.md section 5). When a source
 * cannot be asked they wait, longer each time, and are rejected in the end (`verificationEndsAt`). Running it twice
 * changes nothing. Requested refreshes come first, whether records wait for the instrument or not, and their sources are
 * asked whatever is known. Retroactive records that the bar files can grade wait for no source that cannot be asked. While
 * an import of names moves records, nothing is verified.
 * @returns whether there may be more to do at once
 */
export async function verifyInstruments(ports: Ports): Promise<boolean> {
  const now = await ports.clock.now();
  if (await isImporting(ports)) return false;
  await verifyByFiles(ports, now);
  const refreshes = await ports.instruments.refreshesDue(now, BATCH);
  const waiting = await ports.verification.awaitingVerification(now, BATCH);
  const others = waiting.filter((each) => !refreshes.some(({ instrument }) => same(instrument, each)));
  const asked = [...refreshes, ...others.map((instrument) => ({ instrument, job_id: null }))];
  const known = await ports.instruments.find(asked.map(({ instrument }) => instrument));
  for (const each of asked) {
    if (await isImporting(ports)) return false;
    await verifyInstrument(ports, each, known.find((record) => same(record.instrument, each.instrument)) ?? null);
  }
  return Math.max(waiting.length, refreshes.length) === BATCH;
}

/** `job_id` is null without a requested refresh. */
type Asked = Pick<Refresh, 'instrument'> & { readonly job_id: string | null };

async function verifyInstrument(
  ports: Ports,
  { instrument, job_id }: Asked,
  known: InstrumentRecord | null,
): Promise<void> {
  const now = await ports.clock.now();
  const record = job_id === null && isVerified(known, now) ? known : await lookUp(ports, instrument, known, now);
  const covered = record.status === 'verified' ? [] : await coveredByFiles(ports, instrument, now);
  const rejected = await ports.transaction(async (stores) => {
    if (await isImporting(stores)) return 0;
    await stores.instruments.put(record);
    const moved = await stores.verification.verifyRecords(covered);
    if (moved > 0) await stores.jobs.enqueue('evaluate-due');
    if (record.status !== 'unreachable') await settle(stores, { ...record, status: record.status }, job_id, now);
    else return stores.verification.endWaits(instrument, verificationEnded(record.last_error ?? ''), now);
    return 0;
  });
  if (rejected > 0) ports.announceUnverified(instrumentKey(instrument), rejected);
}

/** A record with a verdict on its instrument. */
type Verdict = InstrumentRecord & { readonly status: 'verified' | 'rejected' };

async function settle(
  { instruments, verification, jobs }: Stores,
  { instrument, status, last_error }: Verdict,
  job_id: string | null,
  now: Date,
): Promise<void> {
  if (job_id !== null) await instruments.endRefresh(job_id);
  // A process that was at work when the refresh was requested may have failed records since, by the old listing.
  const isRefreshed = job_id !== null && status === 'verified';
  const retried = isRefreshed ? (await verification.revive(instrument, now)).data_unavailable : 0;
  const moved = await verification.settleVerification(instrument, status, last_error ?? undefined);
  if (status === 'verified' && moved + retried > 0) await jobs.enqueue('evaluate-due');
}

/** A fault of ours waits like a source that is down, and delays no other instrument. */
async function lookUp(
  { marketData, report }: Ports,
  instrument: Instrument,
  known: InstrumentRecord | null,
  now: Date,
): Promise<InstrumentRecord> {
  try {
    const listing = await marketData.describe(instrument);
    // Earlier records of an instrument that has left are still graded by the known listing.
    return listing ? verified(instrument, listing, now) : unlisted(instrument, known, now);
  } catch (error) {
    if (error instanceof SourceUnavailable) return unreachable(instrument, known, error.message, now);
    report(error, { instrument: instrumentKey(instrument) });
    return unreachable(
      instrument,
      known,
      'The look-up failed by a fault of the service; it was reported to the operators.',
      now,
    );
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

function same(a: Instrument, b: Instrument): boolean {
  return instrumentKey(a) === instrumentKey(b);
}

type FilePorts = Pick<Ports, 'barFiles' | 'verification' | 'transaction' | 'report'>;

/** Moves the records on that the bar files can grade, of instruments whose sources are not asked again yet. */
async function verifyByFiles(ports: FilePorts, now: Date): Promise<void> {
  for (const instrument of await ports.verification.awaitingRetry(now, INSTRUMENTS)) {
    const covered = await coveredByFiles(ports, instrument, now);
    if (covered.length === 0) continue;
    await ports.transaction(async ({ evaluations, verification, jobs }) => {
      if (await isImporting({ evaluations })) return;
      if ((await verification.verifyRecords(covered)) > 0) await jobs.enqueue('evaluate-due');
    });
  }
}

/**
 * The ids of the waiting records of the instrument that the bar files can grade. A fault of ours is reported, finds none,
 * and delays no other instrument.
 */
async function coveredByFiles(ports: FilePorts, instrument: Instrument, now: Date): Promise<readonly string[]> {
  try {
    return await coveredRecords(ports, instrument, now);
  } catch (error) {
    ports.report(error, { instrument: instrumentKey(instrument) });
    return [];
  }
}

async function coveredRecords(ports: FilePorts, instrument: Instrument, now: Date): Promise<readonly string[]> {
  const isCovered = await barFileWindows(ports, instrument, now);
  if (isCovered === null) return [];
  const covered: string[] = [];
  let page: readonly WaitingRecord[];
  let after: string | null = null;
  do {
    page = await ports.verification.waitingRetroactive(instrument, after, PAGE);
    covered.push(...page.filter(isCovered).map(({ record_id }) => record_id));
    after = page.at(-1)?.record_id ?? null;
  } while (page.length === PAGE);
  return covered;
}
