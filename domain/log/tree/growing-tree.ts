import { Malformed } from '../malformed.ts';
import { appendedNodes, type NodeRun } from './append.ts';
import type { Sha256 } from './sha256.ts';
import { type NodeAddress, type NodeHash, nodesOf, rootHash } from './tree.ts';

/** A tree that is computed from its leaves, of which it holds the right edge alone. */
export interface GrowingTree {
  size(): number;
  /** Appends the hashes of leaves; returns the nodes that the tree gains. */
  append(leaves: readonly Uint8Array[]): readonly NodeRun[];
  root(): Uint8Array;
  /** The hashes of the nodes that make up the tree, from left to right: with them it can grow again. */
  edge(): readonly Uint8Array[];
}

/**
 * @param size of a tree that was read before
 * @param edge of that tree
 * @throws Malformed for an edge of another length
 */
export function growingTree(sha256: Sha256, size = 0, edge: readonly Uint8Array[] = []): GrowingTree {
  let count = size;
  let nodes = nodeMap(size, edge);
  const hashOf: NodeHash = (node) => nodes.get(keyOf(node)) ?? Uint8Array.of();

  function append(leaves: readonly Uint8Array[]): readonly NodeRun[] {
    const runs = appendedNodes(count, leaves, hashOf, sha256);
    const added: NodeHash = ({ level, index }) => {
      const run = runs[level];
      return run?.hashes[index - run.from] ?? hashOf({ level, index });
    };
    count += leaves.length;
    nodes = new Map(nodesOf({ from: 0, to: count }).map((node) => [keyOf(node), added(node)]));
    return runs;
  }

  return { size: () => count, append, root: () => rootHash(count, hashOf, sha256), edge: () => [...nodes.values()] };
}

function nodeMap(size: number, hashes: readonly Uint8Array[]): ReadonlyMap<string, Uint8Array> {
  const nodes = nodesOf({ from: 0, to: size });
  if (nodes.length !== hashes.length) throw new Malformed(`${hashes.length} hashes do not make up ${size} leaves.`);
  return new Map(nodes.map((node, i) => [keyOf(node), hashes[i] ?? Uint8Array.of()]));
}

function keyOf({ level, index }: NodeAddress): string {
  return `${level}/${index}`;
}
