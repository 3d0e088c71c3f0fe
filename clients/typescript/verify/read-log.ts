import { appendedNodes } from '../../../domain/log/append.ts';
import { leavesOfBundle } from '../../../domain/log/entry-bundle.ts';
import { leafAudit } from '../../../domain/log/leaf-audit.ts';
import { Malformed } from '../../../domain/log/malformed.ts';
import { MOST_TILE_WIDTH, widthOf } from '../../../domain/log/tile.ts';
import { tilePath } from '../../../domain/log/tile-path.ts';
import { leafHash, type NodeAddress, nodesOf, rootHash } from '../../../domain/log/tree.ts';
import { sha256 } from './sha256.ts';

/** Reads a file that a log serves, by its path below the prefix of the log. */
export type ReadServed = (path: string) => Promise<Uint8Array>;

/** How far a log was read. */
export interface LogReading {
  readonly size: number;
  /** The hashes of the nodes that make up its tree, from left to right: with them the tree grows. */
  readonly edge: readonly Uint8Array[];
  /** One byte per index, as `leafAudit` keeps it. */
  readonly states: Uint8Array;
}

export const NOTHING_READ: LogReading = { size: 0, edge: [], states: Uint8Array.of() };

/** A further reading of a log, and what it found. */
export interface GrownReading extends LogReading {
  readonly root: Uint8Array;
  /** What is wrong with leaves, in words. */
  readonly faults: readonly string[];
}

/**
 * Reads the leaves of a log from where an earlier reading ended up to `size`. The root is that of all leaves since the
 * first: it equals that of a checkpoint only when the tree still starts with what was read before.
 * @throws Malformed for an entry bundle that is none, or is too short
 */
export async function readLog(served: ReadServed, before: LogReading, size: number): Promise<GrownReading> {
  const audit = leafAudit(before.states);
  const faults: string[] = [];
  let edge = nodeMap(before.size, before.edge);
  let at = before.size;
  const hashOf = (node: NodeAddress) => edge.get(keyOf(node)) ?? Uint8Array.of();
  while (at < size) {
    const leaves = await leavesFrom(served, at, size);
    for (const [i, leaf] of leaves.entries()) {
      const fault = audit.next(leaf);
      if (fault !== null) faults.push(`leaf ${at + i}: ${fault}`);
    }
    const hashes = leaves.map((leaf) => leafHash(leaf, sha256));
    const grown = new Map(edge);
    for (const run of appendedNodes(at, hashes, hashOf, sha256)) {
      for (const [i, hash] of run.hashes.entries()) grown.set(keyOf({ level: run.level, index: run.from + i }), hash);
    }
    at += leaves.length;
    edge = new Map(
      nodesOf({ from: 0, to: at }).map((node) => [keyOf(node), grown.get(keyOf(node)) ?? Uint8Array.of()]),
    );
  }
  const root = rootHash(size, hashOf, sha256);
  return { size, edge: [...edge.values()], states: audit.states(), root, faults };
}

/** The leaves from `at` to the end of their entry bundle. */
async function leavesFrom(served: ReadServed, at: number, size: number): Promise<readonly Uint8Array[]> {
  const index = Math.floor(at / MOST_TILE_WIDTH);
  const width = widthOf({ level: 0, index }, size);
  const path = tilePath({ level: 'entries', index, width });
  const leaves = leavesOfBundle(await served(path));
  if (leaves.length !== width) throw new Malformed(`${path} has ${leaves.length} leaves.`);
  return leaves.slice(at % MOST_TILE_WIDTH);
}

function nodeMap(size: number, hashes: readonly Uint8Array[]): ReadonlyMap<string, Uint8Array> {
  const nodes = nodesOf({ from: 0, to: size });
  if (nodes.length !== hashes.length) throw new Malformed(`${hashes.length} hashes do not make up ${size} leaves.`);
  return new Map(nodes.map((node, i) => [keyOf(node), hashes[i] ?? Uint8Array.of()]));
}

function keyOf({ level, index }: NodeAddress): string {
  return `${level}/${index}`;
}
