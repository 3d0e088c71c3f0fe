import type {
  ListedSymbols,
  StoredSymbolFile,
  SymbolFile,
  SymbolStore,
} from '../../../domain/market/symbol-directory.ts';
import { SYMBOL_FILES } from '../entities/instruments.ts';
import type { Sql } from '../kit/sql.ts';

export function postgresSymbols(sql: Sql): SymbolStore {
  return {
    files: () => sql.rows<StoredSymbolFile>(FILES),
    replace: (files, now) => replace(sql, files, now),
    async changedAt() {
      const [newest] = await sql.tables.find(SYMBOL_FILES, { order: { stored_at: 'desc' }, take: 1 });
      return newest?.stored_at ?? null;
    },
    async all() {
      const [row] = await sql.rows<ListedSymbols>(ALL);
      return row ?? { listed: [], delisted: [] };
    },
  };
}

/** The rows of the files first and in one order: of two that replace at once, the second waits for the first. */
async function replace(sql: Sql, files: readonly SymbolFile[], now: Date): Promise<void> {
  const listed = [...new Set(files.flatMap(({ symbols }) => symbols))].sort();
  const rows = files.map(({ name, created_at, symbols }) => ({ name, created_at, symbols: symbols.length }));
  await sql.atomically(async (own) => {
    await own.rows(PUT_FILES, [JSON.stringify(rows), now]);
    await own.rows(DELIST, [listed, now]);
    await own.rows(LIST, [listed, now]);
  });
}

/** SQL by hand: a lock. */
const FILES = 'select name, created_at, symbols, stored_at from app.symbol_files order by name for update';

/** SQL by hand, as the next two: a batch of all symbols there are. */
const PUT_FILES = `
  insert into app.symbol_files (name, created_at, symbols, stored_at)
  select name, created_at, symbols, $2
  from jsonb_to_recordset($1::jsonb) as f(name text, created_at timestamptz, symbols int) order by name
  on conflict (name) do update set created_at = excluded.created_at, symbols = excluded.symbols,
    stored_at = excluded.stored_at`;

const DELIST = `
  update app.symbols s set delisted_at = $2
  where delisted_at is null and not exists (select from unnest($1::text[]) as listed where listed = s.symbol)`;

const LIST = `
  insert into app.symbols as s (symbol, listed_since) select listed, $2 from unnest($1::text[]) as listed
  on conflict (symbol) do update set listed_since = excluded.listed_since, delisted_at = null
  where s.delisted_at is not null`;

/** SQL by hand: an aggregate. */
const ALL = `
  select coalesce(array_agg(symbol) filter (where delisted_at is null), '{}') as listed,
    coalesce(array_agg(symbol) filter (where delisted_at is not null), '{}') as delisted
  from app.symbols`;
