import type { Sha256 } from './sha256.ts';

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

/** `MTH({d(0)})`: the hash of the bytes of a leaf (RFC 6962, section 2.1). */
export function leafHash(leaf: Uint8Array, sha256: Sha256): Uint8Array {
  return sha256(LEAF_PREFIX, leaf);
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
