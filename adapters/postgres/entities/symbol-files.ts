import { EntitySchema } from 'typeorm';
import type { StoredSymbolFile } from '../../../domain/market/symbol-directory.ts';
import { INSTANT } from './columns.ts';

export const SYMBOL_FILES = new EntitySchema<StoredSymbolFile>({
  name: 'symbol_file',
  tableName: 'symbol_files',
  schema: 'app',
  columns: {
    name: { type: 'text', primary: true },
    created_at: INSTANT,
    symbols: { type: 'integer' },
    stored_at: INSTANT,
  },
});
