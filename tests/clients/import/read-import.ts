import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { ImportOptions } from '../../../clients/typescript/import/found.ts';
import { readImport } from '../../../clients/typescript/import/read-file.ts';
import type { Imported } from '../../../clients/typescript/import/rows.ts';

/** After the windows of all rows of the tests. */
export const NOW = Date.parse('2026-06-01T00:00:00Z');

export type Options = ImportOptions & { readonly member?: string };

/** What an import of a file of `tests/fixtures/imports` would send. */
export function readFixture(name: string, options: Options = {}): Promise<Imported> {
  return readImport(name, readFileSync(join(import.meta.dirname, '../../fixtures/imports', name)), options, NOW);
}

/** The same of a text, or of a value as JSON. */
export function readText(content: unknown, options: Options = {}, name = 'file'): Promise<Imported> {
  const text = typeof content === 'string' ? content : JSON.stringify(content);
  return readImport(name, new TextEncoder().encode(text), options, NOW);
}

/** Of each row: symbol, direction and data_cutoff. */
export function calls({ rows }: Imported): readonly string[] {
  return rows.map(({ row }) => `${row.symbol} ${row.direction} ${row.data_cutoff}`);
}

/** What was refused, with its place. */
export function refusals({ refused }: Imported): readonly string[] {
  return refused.map(({ place, why }) => `${place}: ${why}`);
}
