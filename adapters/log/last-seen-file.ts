import { randomUUID } from 'node:crypto';
import { closeSync, existsSync, fsyncSync, mkdirSync, openSync, readFileSync, renameSync, writeSync } from 'node:fs';
import { dirname } from 'node:path';
import { bytesOfHex, hexOf } from '../../domain/log/encoding.ts';
import type { LastSeen, SeenTree } from '../../domain/log/last-seen.ts';

/**
 * The note as one file; its folder is made when it is first written.
 * @param earlier the file of an earlier key, in which the note is while the first file does not exist
 */
export function lastSeenFile(file: string, earlier: string | null = null): LastSeen {
  let noted: string | undefined;
  return {
    read: async () => readNote(earlier !== null && !existsSync(file) ? earlier : file),
    async write(tree) {
      const text = textOf(tree);
      if (text === noted && textIn(file) === text) return;
      replace(file, text);
      noted = text;
    },
  };
}

function readNote(file: string): SeenTree | null {
  const text = textIn(file);
  if (text === null) return null;
  try {
    const { origin, log, size, root } = JSON.parse(text) as StoredNote;
    const tree = { origin, log, size, root: bytesOfHex(root) };
    if (textOf(tree) === text && Number.isSafeInteger(size) && tree.root.length === 32) return tree;
  } catch {
    // Reported below, with the file.
  }
  throw new Error(`${file} is damaged. Nothing is signed until it is removed or log-resume writes it again.`);
}

interface StoredNote {
  readonly origin: string;
  readonly log: number;
  readonly size: number;
  readonly root: string;
}

function textOf({ origin, log, size, root }: SeenTree): string {
  return `${JSON.stringify({ origin, log, size, root: hexOf(root) })}\n`;
}

function textIn(file: string): string | null {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw error;
  }
}

/** On the disk, and whole at any time. */
function replace(file: string, text: string): void {
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  // Processes of two containers have the same id.
  const temporary = `${file}.${randomUUID()}`;
  const handle = openSync(temporary, 'w', 0o600);
  try {
    writeSync(handle, text);
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
  renameSync(temporary, file);
}
