import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';

const ROOT = join(import.meta.dirname, '..', '..');

/** By file, the files that it imports, as paths from the root; imports of types count, packages do not. */
export type Imports = ReadonlyMap<string, readonly string[]>;

/** The text of each module below the folders, by its path from the root. */
export function sourcesOf(folders: readonly string[]): ReadonlyMap<string, string> {
  return new Map(folders.flatMap(filesBelow).map((file) => [file, readFileSync(join(ROOT, file), 'utf8')]));
}

function filesBelow(folder: string): string[] {
  return readdirSync(join(ROOT, folder), { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile() && /\.m?ts$/.test(entry.name) && !entry.name.startsWith('planted-violation'))
    .map((entry) => normalize(join(entry.parentPath, entry.name)).slice(ROOT.length + 1))
    .filter((file) => !file.includes('/node_modules/'));
}

export function importsOf(files: ReadonlyMap<string, string>): Imports {
  const statement = /^(?:(?:import|export)\b[^;'`]*?\bfrom|import) '(\.{1,2}\/[^']+)'|\bimport\('(\.{1,2}\/[^']+)'\)/gm;
  return new Map(
    [...files].map(([file, source]) => {
      const named = [...source.matchAll(statement)].map(([, still, later]) => still ?? later ?? '');
      return [file, named.filter(isModule).map((specifier) => normalize(join(dirname(file), specifier)))];
    }),
  );
}

/** Data has no imports. */
function isModule(specifier: string): boolean {
  return !specifier.endsWith('.json');
}
