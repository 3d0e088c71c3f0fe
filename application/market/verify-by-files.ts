import type { WaitingRecord } from '../../domain/decisions/moderation/verification-store.ts';
import { type Instrument, instrumentKey } from '../../domain/market/instrument.ts';
import { barFileWindows } from '../grading/bar-file-windows.ts';
import type { Ports } from '../ports.ts';

/** The number of instruments that one sweep considers. */
const INSTRUMENTS = 1_000;

/** The number of records that are read at once. */
const PAGE = 1_000;

type FilePorts = Pick<Ports, 'barFiles' | 'verification' | 'transaction' | 'report'>;

/** Moves the records on that the bar files can grade, of instruments whose sources are not asked again yet. */
export async function verifyByFiles(ports: FilePorts, now: Date): Promise<void> {
  for (const instrument of await ports.verification.awaitingRetry(now, INSTRUMENTS)) {
    const covered = await coveredByFiles(ports, instrument, now);
    if (covered.length === 0) continue;
    await ports.transaction(async ({ verification, jobs }) => {
      if ((await verification.verifyRecords(covered)) > 0) await jobs.enqueue('evaluate-due');
    });
  }
}

/**
 * The ids of the waiting records of the instrument that the bar files can grade. A fault of ours is reported, finds none,
 * and delays no other instrument.
 */
export async function coveredByFiles(ports: FilePorts, instrument: Instrument, now: Date): Promise<readonly string[]> {
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
