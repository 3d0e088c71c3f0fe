import { hexOf } from '../encoding.ts';
import { countedLeaves } from '../leaves/leaf.ts';
import type { StoredLog } from '../log-store.ts';
import type { TreeHead } from '../tree/proof.ts';

/** The largest tree that a worker was about to sign, stored where no backup and no copy of the database has it. */
export interface SeenTree extends TreeHead {
  readonly origin: string;
  readonly log: number;
  /** SHA-256 in hex of each public key that was seen to sign a log; a note of an earlier release has none. */
  readonly keys?: readonly string[];
}

/** Where workers of one machine note what they saw. */
export interface LastSeen {
  /** Null where nothing was noted. @throws UnusableNote */
  read(): Promise<SeenTree | null>;

  /** Replaces the note; it is on the disk when this returns. @throws UnusableNote */
  write(tree: SeenTree): Promise<void>;

  /** The same, unless the note is no longer `before`; returns whether it was. */
  replace(before: SeenTree | null, tree: SeenTree): Promise<boolean>;
}

/**
 * Why a log must not be signed any further; null for no reason. A restored backup, a copied data folder and a replica that
 * lagged behind are shorter than what was seen, or differ from it.
 * @param rootAt the root that the stored tree had at a size that is at most its own
 */
export function reasonToStop(
  seen: SeenTree | null,
  { log, origin }: StoredLog,
  size: number,
  rootAt: (size: number) => Uint8Array,
): string | null {
  if (seen === null || (seen.log < log && seen.origin !== origin)) return null;
  if (seen.log > log) return `the log ${seen.origin} was seen, which is newer than ${origin}`;
  if (seen.origin !== origin) return `the log ${seen.origin} was seen, not ${origin}`;
  if (seen.size > size)
    return `${countedLeaves(seen.size)} of ${origin} ${seen.size === 1 ? 'was' : 'were'} seen; ${size} ${size === 1 ? 'is' : 'are'} stored`;
  const [root, expected] = [hexOf(rootAt(seen.size)), hexOf(seen.root)];
  return root === expected
    ? null
    : `at ${countedLeaves(seen.size)} the root ${expected} of ${origin} was seen, not ${root}`;
}

/** Whether a stored tree of a log is newer than what was seen: another machine signed since, or nothing was seen. */
export function isOlder(seen: SeenTree | null, { origin }: StoredLog, size: number): boolean {
  return seen?.origin !== origin || seen.size < size;
}

/** The note cannot be read or written. The message names it and the cause, which operators need. */
export class UnusableNote extends Error {
  override readonly name = 'UnusableNote';
}
