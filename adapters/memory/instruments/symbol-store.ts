import type { StoredSymbolFile, SymbolStore } from '../../../domain/market/symbol-store.ts';
import type { Table } from '../kit/table.ts';

export interface SymbolTables {
  readonly symbols: Table<string, { readonly symbol: string; readonly delisted_at: Date | null }>;
  /** By name. */
  readonly symbolFiles: Table<string, StoredSymbolFile>;
}

export function memorySymbols({ symbols, symbolFiles }: SymbolTables): SymbolStore {
  return {
    files: async () => symbolFiles.where(() => true),

    async replace(files, now) {
      const listed = new Set(files.flatMap((file) => file.symbols));
      for (const { name, created_at, symbols: own } of files) {
        symbolFiles.set(name, { name, created_at, symbols: own.length, stored_at: now });
      }
      for (const { symbol } of symbols.where(
        ({ symbol, delisted_at }) => delisted_at === null && !listed.has(symbol),
      )) {
        symbols.set(symbol, { symbol, delisted_at: now });
      }
      for (const symbol of listed) symbols.set(symbol, { symbol, delisted_at: null });
    },

    async changedAt() {
      const times = symbolFiles.where(() => true).map(({ stored_at }) => stored_at.getTime());
      return times.length === 0 ? null : new Date(Math.max(...times));
    },

    async all() {
      const named = (isListed: boolean) =>
        symbols.where(({ delisted_at }) => (delisted_at === null) === isListed).map(({ symbol }) => symbol);
      return { listed: named(true), delisted: named(false) };
    },
  };
}
