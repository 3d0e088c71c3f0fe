import { concatBytes, Malformed } from '../../../domain/log/encoding.ts';
import { isNewerLeaf } from '../../../domain/log/leaves/leaf.ts';
import { type Continuation, leafAudit } from '../../../domain/log/leaves/leaf-audit.ts';
import { leavesOfBundle, MOST_TILE_WIDTH, TILE_HEIGHT, tilePath, widthOf } from '../../../domain/log/tree/tile.ts';
import { growingTree, leafHash } from '../../../domain/log/tree/tree.ts';
import { sha256 } from './sha256.ts';
import { counted } from './verdict.ts';

/** Reads a file that a log serves, by its path below the prefix of the log. */
export type ReadServed = (path: string) => Promise<Uint8Array>;

/** How far a log was read. */
export interface LogReading {
  readonly size: number;
  /** The hashes of the nodes that make up its tree, from left to right: with them the tree grows. */
  readonly edge: readonly Uint8Array[];
  /** One byte per index, as `leafAudit` keeps it. */
  readonly states: Uint8Array;
  /** The root of each full entry bundle, 32 bytes of 256 leaves: what is kept of them where a log was cut. */
  readonly bundles: Uint8Array;
  /** The leaves by which it goes on with another log. */
  readonly continued: readonly Continuation[];
}

export const NOTHING_READ: LogReading = {
  ...{ size: 0, edge: [], states: Uint8Array.of() },
  ...{ bundles: Uint8Array.of(), continued: [] },
};

/** Whether a reading has the roots of all its bundles: those that earlier versions kept do not. */
export function isWhole({ size, bundles }: Pick<LogReading, 'size' | 'bundles'>): boolean {
  return bundles.length === 32 * Math.floor(size / MOST_TILE_WIDTH);
}

/** A further reading of a log, and what it found. */
export interface ExtendedReading extends LogReading {
  readonly root: Uint8Array;
  /** What is wrong with leaves, in words. */
  readonly faults: readonly string[];
  /** The first leaf of a kind that is not known here: the rules of those after it are not known either; null for none. */
  readonly firstNewer: number | null;
}

/**
 * Reads the leaves of a log from where an earlier reading ended up to `size`. The root is that of all leaves since the
 * first: it equals that of a checkpoint only when the tree still starts with what was read before.
 * @param each is called with every leaf that is read
 * @throws Malformed for an entry bundle that is none, or is too short
 */
export async function readLog(
  served: ReadServed,
  before: LogReading,
  size: number,
  each: (leaf: Uint8Array) => void = () => undefined,
): Promise<ExtendedReading> {
  const audit = leafAudit(before.states, before.continued);
  const roots = [before.bundles];
  const faults: string[] = [];
  let firstNewer: number | null = null;
  const tree = growingTree(sha256, before.size, before.edge);
  while (tree.size() < size) {
    const at = tree.size();
    const leaves = await leavesFrom(served, at, size);
    for (const [i, leaf] of leaves.entries()) {
      each(leaf);
      const fault = audit.next(leaf);
      if (fault === null || firstNewer !== null) continue;
      if (isNewerLeaf(leaf)) firstNewer = at + i;
      else faults.push(`leaf ${at + i}: ${fault}`);
    }
    const runs = tree.append(leaves.map((leaf) => leafHash(leaf, sha256)));
    roots.push(...(runs[TILE_HEIGHT]?.hashes ?? []));
  }
  const reading = { size, edge: tree.edge(), states: audit.states(), bundles: concatBytes(...roots) };
  return { ...reading, continued: audit.continuations(), root: tree.root(), faults, firstNewer };
}

/** The leaves from `at` to the end of their entry bundle. */
export async function leavesFrom(served: ReadServed, at: number, size: number): Promise<readonly Uint8Array[]> {
  const index = Math.floor(at / MOST_TILE_WIDTH);
  const width = widthOf({ level: 0, index }, size);
  const path = tilePath({ level: 'entries', index, width });
  const leaves = leavesOfBundle(await served(path));
  if (leaves.length !== width) throw new Malformed(`${path} has ${counted(leaves.length, 'leaf', 'leaves')}.`);
  return leaves.slice(at % MOST_TILE_WIDTH);
}
