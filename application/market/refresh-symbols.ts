import { randomUUID } from 'node:crypto';
import { SYMBOLS } from '../../domain/limits.ts';
import {
  type Instrument,
  type InstrumentAsSent,
  instrumentKey,
  namedInstrument,
} from '../../domain/market/instrument.ts';
import { SourceUnavailable } from '../../domain/market/market-data.ts';
import type { KnownCoins } from '../../domain/market/symbol.ts';
import type { StoredSymbolFile, SymbolFile, SymbolSource } from '../../domain/market/symbol-directory.ts';
import { Problem } from '../../domain/problem.ts';
import type { Ports } from '../ports.ts';

/** The result of checking the files of US listings. */
export type SymbolRefresh =
  | { readonly kind: 'stored'; readonly symbols: number }
  /** They were stored within the day, or have not changed since. */
  | { readonly kind: 'up_to_date' }
  /** The known symbols stay until a later check. */
  | { readonly kind: 'refused' | 'unavailable'; readonly reason: string };

/**
 * Updates the symbol directory, once a day (settled.md section 3). Both files count or neither; a file that is older
 * than the stored one changes nothing, and one that has lost more than half of its symbols is refused.
 */
export async function refreshSymbols(
  { listedSymbols, clock, transaction }: Pick<Ports, 'listedSymbols' | 'clock' | 'transaction'>,
  source: SymbolSource,
): Promise<SymbolRefresh> {
  const changed = await listedSymbols.changedAt();
  const now = await clock.now();
  if (changed && now.getTime() - changed.getTime() < SYMBOLS.every) return { kind: 'up_to_date' };
  const fetched = await fetchAll(source);
  if ('reason' in fetched) return { kind: 'unavailable', reason: fetched.reason };
  return transaction(async (stores) => {
    const verdict = judge(fetched, await stores.listedSymbols.files());
    if (verdict.kind === 'stored') await stores.listedSymbols.replace(fetched, now);
    return verdict;
  });
}

async function fetchAll(source: SymbolSource): Promise<readonly SymbolFile[] | { readonly reason: string }> {
  try {
    return await source.fetch();
  } catch (error) {
    if (error instanceof SourceUnavailable) return { reason: error.message };
    throw error;
  }
}

function judge(fetched: readonly SymbolFile[], stored: readonly StoredSymbolFile[]): SymbolRefresh {
  const before = new Map(stored.map((file) => [file.name, file]));
  const shrunk = fetched.find(({ name, symbols }) => 2 * symbols.length < (before.get(name)?.symbols ?? 0));
  if (shrunk) {
    const counts = `${shrunk.symbols.length} symbols instead of ${before.get(shrunk.name)?.symbols}`;
    return { kind: 'refused', reason: `The file ${shrunk.name} has ${counts}.` };
  }
  const isOlder = ({ name, created_at }: SymbolFile) => created_at < (before.get(name)?.created_at ?? created_at);
  const isNew = ({ name, created_at }: SymbolFile) => created_at > (before.get(name)?.created_at ?? new Date(0));
  if (fetched.some(isOlder) || !fetched.some(isNew)) return { kind: 'up_to_date' };
  return { kind: 'stored', symbols: new Set(fetched.flatMap(({ symbols }) => symbols)).size };
}

/** The reply to a request to verify an instrument again (settled.md section 12). */
interface RefreshReply {
  readonly instrument: Instrument;
  /** `already_queued`: it was requested before, and is not done yet. */
  readonly status: 'queued' | 'already_queued';
  /** The id of the refresh that will run. */
  readonly job_id: string;
}

/**
 * Verifies an instrument again at once, whatever is known of it, and tries its failed records again: `rejected` ones
 * wait for the verification, the next sweep evaluates `data_unavailable` ones (interface.md 4.1, settled.md section 5).
 * All or nothing. The instrument may be unknown, also on a venue or in a quote that is not supported (any more): its
 * records, if any, are of an earlier configuration.
 * @param actor who asked, for the audit log
 * @throws Problem VALIDATION_ERROR (400) naming every field that no instrument can have
 */
export async function refreshInstrument(
  { transaction, clock, symbols }: Pick<Ports, 'transaction' | 'clock'> & Partial<Pick<Ports, 'symbols'>>,
  sent: InstrumentAsSent,
  actor: string,
): Promise<RefreshReply> {
  const instrument = instrumentOf(sent, symbols);
  const own = randomUUID();
  const now = await clock.now();
  return transaction(async ({ instruments, verification, jobs, audit }) => {
    const job_id = await instruments.requestRefresh({ instrument, job_id: own }, now);
    const status = job_id === own ? 'queued' : 'already_queued';
    const revived = await verification.revive(instrument, now);
    await jobs.enqueue('verify-instruments');
    if (revived.data_unavailable > 0) await jobs.enqueue('evaluate-due');
    const entry = { actor, action: 'refresh_instrument', subject: instrumentKey(instrument) };
    await audit.append({ ...entry, detail: { job_id, status, revived } });
    return { instrument, status, job_id };
  });
}

function instrumentOf(sent: InstrumentAsSent, coins: KnownCoins | undefined): Instrument {
  const instrument = namedInstrument(sent, coins);
  if (!Array.isArray(instrument)) return instrument;
  const fields = instrument.map(({ path }) => path).join(', ');
  throw new Problem('VALIDATION_ERROR', `No instrument can have this identity: ${fields}.`, { details: instrument });
}
