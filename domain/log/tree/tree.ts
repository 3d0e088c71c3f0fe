import { Malformed } from '../encoding.ts';

/**
 * The Merkle tree of RFC 6962, section 2.1. Sizes and indexes are whole numbers up to 2^53 - 1.
 *
 * A node is the root of a perfect subtree: of the leaves from `index * 2^level` up to, not including,
 * `(index + 1) * 2^level`. Once it is complete it never changes, whatever is appended.
 */
export interface NodeAddress {
  readonly level: number;
  readonly index: number;
}

/** The hash of a complete node that the tree contains. @throws Error when it is not stored */
export type NodeHash = (address: NodeAddress) => Uint8Array;

/** The leaves from `from` up to, not including, `to`. */
export interface LeafRange {
  readonly from: number;
  readonly to: number;
}

/** `MTH({d(0)})`: the hash of the bytes, or of the text, of a leaf (RFC 6962, section 2.1). */
export function leafHash(leaf: string | Uint8Array, sha256: Sha256): Uint8Array {
  // Of texts alone no bytes have to be joined.
  return typeof leaf === 'string' ? sha256(`\0${leaf}`) : sha256(LEAF_PREFIX, leaf);
}

/** The hash of two hashes, the left one first (RFC 6962, section 2.1). */
export function nodeHash(left: Uint8Array, right: Uint8Array, sha256: Sha256): Uint8Array {
  return sha256(NODE_PREFIX, left, right);
}

const LEAF_PREFIX = Uint8Array.of(0x00);
const NODE_PREFIX = Uint8Array.of(0x01);

/** The root of the tree of the first `size` leaves; of no leaf, the hash of the empty string (RFC 6962, section 2.1). */
export function rootHash(size: number, hashOf: NodeHash, sha256: Sha256): Uint8Array {
  return size === 0 ? sha256() : rangeHash({ from: 0, to: size }, hashOf, sha256);
}

/** `MTH(D[from:to])` of a range of `nodesOf` (RFC 6962, section 2.1). */
export function rangeHash(range: LeafRange, hashOf: NodeHash, sha256: Sha256): Uint8Array {
  return nodesOf(range)
    .map(hashOf)
    .reduceRight((right, left) => nodeHash(left, right, sha256));
}

/**
 * The complete nodes that make up a range, from left to right, each smaller than the one before.
 * @param range its start is a multiple of a power of two that is not less than its length, as in all trees and proofs
 */
export function nodesOf({ from, to }: LeafRange): readonly NodeAddress[] {
  const nodes: NodeAddress[] = [];
  for (let at = from; at < to; ) {
    const level = logarithm(to - at);
    nodes.push({ level, index: at / 2 ** level });
    at += 2 ** level;
  }
  return nodes;
}

/** The number of leaves in the left subtree of `size` leaves, at least 2: `k` of RFC 6962, section 2.1. */
export function leftSize(size: number): number {
  return 2 ** logarithm(size - 1);
}

/** The whole part of the binary logarithm of a positive whole number. */
function logarithm(n: number): number {
  return n < 2 ** 32 ? 31 - Math.clz32(n) : 32 + logarithm(Math.floor(n / 2 ** 32));
}

/** Consecutive nodes of one level: `hashes[i]` belongs to the node `{ level, index: from + i }`. */
export interface NodeRun {
  readonly level: number;
  readonly from: number;
  readonly hashes: readonly Uint8Array[];
}

/**
 * The nodes that a tree gains with further leaves, one run per level from the leaves up: none of them existed before,
 * and no other node changes.
 * @param size of the tree before
 * @param leaves the hashes of the appended leaves
 * @param hashOf reads at most the nodes of `nodesOf({ from: 0, to: size })`
 */
export function appendedNodes(
  size: number,
  leaves: readonly Uint8Array[],
  hashOf: NodeHash,
  sha256: Sha256,
): readonly NodeRun[] {
  const runs: NodeRun[] = [];
  let run: NodeRun = { level: 0, from: size, hashes: leaves };
  while (run.hashes.length > 0) {
    runs.push(run);
    run = parentsOf(run, hashOf, sha256);
  }
  return runs;
}

/** The parents that the nodes of a run complete. */
function parentsOf({ level, from, hashes }: NodeRun, hashOf: NodeHash, sha256: Sha256): NodeRun {
  const child = (index: number) => hashes[index - from] ?? hashOf({ level, index });
  const first = Math.floor(from / 2);
  const parents: Uint8Array[] = [];
  for (let index = first; 2 * index + 1 < from + hashes.length; index += 1) {
    parents.push(nodeHash(child(2 * index), child(2 * index + 1), sha256));
  }
  return { level: level + 1, from: first, hashes: parents };
}

/** SHA-256 of the parts, one after the other; a text counts as its UTF-8 bytes. */
export type Sha256As<Digest> = (...parts: readonly (string | Uint8Array)[]) => Digest;

/** As 32 bytes. */
export type Sha256 = Sha256As<Uint8Array>;

/** A tree that is computed from its leaves, of which it holds the right edge alone. */
interface GrowingTree {
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
  if (nodes.length !== hashes.length)
    throw new Malformed(`${hashes.length} hashes do not make up a tree of the size ${size}.`);
  return new Map(nodes.map((node, i) => [keyOf(node), hashes[i] ?? Uint8Array.of()]));
}

function keyOf({ level, index }: NodeAddress): string {
  return `${level}/${index}`;
}
