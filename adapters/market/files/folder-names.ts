import { readdir } from 'node:fs/promises';
import { type Millis, SECOND } from '../../../domain/time.ts';

/** The names in a folder; empty when there is no such folder, null when it cannot be read. */
export type FolderNames = (path: string) => Promise<ReadonlySet<string> | null>;

interface Reading {
  readonly until: Millis;
  readonly names: Promise<ReadonlySet<string> | null>;
}

const FOLDERS_IN_MEMORY = 1_000;

/**
 * Reads a folder at most once a second, so a change is noticed a second late. A caller that only needs to know that a
 * file is absent then asks the file system once a second for a whole folder.
 * @param monotonic milliseconds of a clock of this machine that nobody sets
 */
export function folderNames(monotonic: () => Millis = () => performance.now()): FolderNames {
  const readings = new Map<string, Reading>();
  return (path) => {
    const known = readings.get(path);
    if (known && monotonic() < known.until) return known.names;
    if (readings.size >= FOLDERS_IN_MEMORY) readings.clear();
    const names = namesIn(path);
    readings.set(path, { until: monotonic() + SECOND, names });
    return names;
  };
}

async function namesIn(path: string): Promise<ReadonlySet<string> | null> {
  try {
    return new Set(await readdir(path));
  } catch (error) {
    return isAbsence(error) ? new Set() : null;
  }
}

/** Whether a path leads to nothing, or could lead to nothing. */
export function isAbsence(error: unknown): boolean {
  return ['ENOENT', 'ENOTDIR', 'ENAMETOOLONG'].includes((error as NodeJS.ErrnoException).code ?? '');
}
