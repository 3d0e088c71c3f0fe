import { SYMBOLS } from '../../domain/limits.ts';
import { SourceUnavailable } from '../../domain/market/market-data.ts';
import type { StoredSymbolFile, SymbolFile, SymbolSource } from '../../domain/market/symbol-store.ts';
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
