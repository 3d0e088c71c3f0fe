import type { SymbolDirectory } from '../../../domain/market/symbol-directory.ts';
import type { ListedSymbols, SymbolStore } from '../../../domain/market/symbol-store.ts';
import { type PackagedTickers, packagedTickers, storedSymbols, symbolDirectory } from './ticker-directory.ts';

/** A directory that can be brought up to date while it is asked. */
export interface LivingSymbols extends SymbolDirectory {
  /** Takes over what has changed in the bar store and among the listed symbols; what was known before stays when it fails. */
  reload(): Promise<void>;
}

/**
 * The tickers of the bar store and the listed ones as they were last fetched; those that come with the project until
 * then. Whatever was ever listed is known, as records may be about the past; only what is listed is suggested.
 */
export function livingSymbols(
  barsDir: string,
  store: Pick<SymbolStore, 'changedAt' | 'all'>,
  packaged: PackagedTickers = packagedTickers(),
): LivingSymbols {
  let fetched: ListedSymbols = { listed: [], delisted: [] };
  let fetchedAt: number | null = null;
  let current = symbolDirectory(packaged.listed, packaged.past);
  let left: ReadonlySet<string> = new Set();
  return {
    known: (symbol) => current.known(symbol),
    nearest: (symbol, count) => current.nearest(symbol, count),
    hasLeft: (symbol) => left.has(symbol),
    beginning: (market, text, count) => current.beginning(market, text, count),
    async reload() {
      const changed = (await store.changedAt())?.getTime() ?? null;
      const stored = await storedSymbols(barsDir);
      if (changed !== fetchedAt) fetched = await store.all();
      fetchedAt = changed;
      left = new Set(fetched.delisted);
      const suggested = fetched.listed.length > 0 ? fetched.listed : packaged.listed;
      const past = [...packaged.listed, ...packaged.past, ...fetched.delisted];
      current = symbolDirectory([...suggested, ...stored.stock], past, stored.crypto);
    },
  };
}
