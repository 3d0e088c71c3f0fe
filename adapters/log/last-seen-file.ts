import { randomUUID } from 'node:crypto';
import { closeSync, existsSync, fsyncSync, openSync, readFileSync, renameSync, rmSync, writeSync } from 'node:fs';
import { dirname } from 'node:path';
import { bytesOfHex, hexOf } from '../../domain/log/encoding.ts';
import { type LastSeen, type SeenTree, UnusableNote } from '../../domain/log/notes/last-seen.ts';
import { giveToFolder, makeFolder } from '../files/folder-owner.ts';

/**
 * The note as one file; its folder is made when it is first written.
 * @param earlier the file of an earlier key, in which the note is while the first file does not exist
 */
export function lastSeenFile(file: string, earlier: string | null = null): LastSeen {
  let noted: string | undefined;
  const current = () => (earlier !== null && !existsSync(file) ? earlier : file);

  function replaceIf(holds: () => boolean, tree: SeenTree): boolean {
    const text = textOf(tree);
    if (text === noted && textIn(file) === text) return true;
    if (!replaced(holds, text)) return false;
    noted = text;
    return true;
  }

  function replaced(holds: () => boolean, text: string): boolean {
    try {
      return replace(file, text, holds);
    } catch (error) {
      throw error instanceof UnusableNote ? error : unusable(file, error);
    }
  }

  return {
    read: async () => readNote(current()),
    write: async (tree) => void replaceIf(() => true, tree),
    replace: async (before, tree) => replaceIf(() => textIn(current()) === (before && textOf(before)), tree),
  };
}

function readNote(file: string): SeenTree | null {
  const text = textIn(file);
  if (text === null) return null;
  try {
    const { origin, log, size, root, keys } = JSON.parse(text) as StoredNote;
    const tree = { origin, log, size, root: bytesOfHex(root), ...(keys && { keys: keys.map(digestOf) }) };
    if (textOf(tree) === text && Number.isSafeInteger(size) && tree.root.length === 32) return tree;
  } catch {
    // Reported below, with the file.
  }
  throw new UnusableNote(`${file} is damaged. Nothing is signed until it is removed or log-resume writes it again.`);
}

interface StoredNote {
  readonly origin: string;
  readonly log: number;
  readonly size: number;
  readonly root: string;
  readonly keys?: readonly string[];
}

/** @throws Malformed for another text than that of a digest */
function digestOf(hex: string): string {
  return hexOf(bytesOfHex(hex));
}

function textOf({ origin, log, size, root, keys }: SeenTree): string {
  return `${JSON.stringify({ origin, log, size, root: hexOf(root), keys })}\n`;
}

function textIn(file: string): string | null {
  try {
    return readFileSync(file, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null;
    throw unusable(file, error);
  }
}

/** Without the name of the temporary file, so that the message stays the same at each run. */
function unusable(file: string, cause: unknown): UnusableNote {
  const { code, syscall } = cause as NodeJS.ErrnoException;
  return new UnusableNote(
    `LOG_LAST_SEEN, ${file}, cannot be used: ${code} (${syscall}). Nothing is signed until it can.`,
    {
      cause,
    },
  );
}

/** On the disk, and whole at any time; unless `holds` returns false, right before the last step. */
function replace(file: string, text: string, holds: () => boolean): boolean {
  makeFolder(dirname(file));
  // Processes of two containers have the same id.
  const temporary = `${file}.${randomUUID()}`;
  synced(openSync(temporary, 'w', 0o600), (handle) => writeSync(handle, text));
  giveToFolder(temporary);
  const isReplaced = holds();
  if (isReplaced) renameSync(temporary, file);
  else rmSync(temporary);
  synced(openSync(dirname(file), 'r'));
  return isReplaced;
}

/** Closes a file or folder once it is on the disk. */
function synced(handle: number, write: (handle: number) => void = () => undefined): void {
  try {
    write(handle);
    fsyncSync(handle);
  } finally {
    closeSync(handle);
  }
}
