import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { sha256Hex } from '../../../application/sha256.ts';

/** The current definition of every function, trigger and view: one file per idea, changed by editing. */
export interface DatabaseFunctions {
  /** Statements that may run again and again: `create or replace` throughout. */
  readonly sql: string;
  /** SHA-256 of the files, in hex. */
  readonly hash: string;
  /** From 1; a later release has a higher one, unless its functions are the same. */
  readonly edition: number;
}

/** The functions of a folder; the files run in the order of their names. `edition.txt` has the edition. */
export function functionsIn(folder: string): DatabaseFunctions {
  const files = readdirSync(folder).filter((file) => file.endsWith('.sql'));
  const sql = files
    .toSorted()
    .map((file) => readFileSync(join(folder, file), 'utf8'))
    .join('\n');
  const [edition] = readFileSync(join(folder, 'edition.txt'), 'utf8').split(' ');
  return { sql, hash: sha256Hex(sql), edition: Number(edition) };
}

/** The functions of this release. */
export const FUNCTIONS = functionsIn(import.meta.dirname);
