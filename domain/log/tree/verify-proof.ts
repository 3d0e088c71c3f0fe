import { equalBytes } from '../encoding.ts';
import type { Sha256 } from './sha256.ts';
import { nodeHash } from './tree.ts';

/** What the root of a tree of `size` leaves is said to be. */
export interface TreeHead {
  readonly size: number;
  readonly root: Uint8Array;
}

/**
 * Whether the hashes prove that the tree has this leaf hash at `index` (RFC 9162, section 2.1.3.2).
 * @param hashes each of 32 bytes
 */
export function isIncluded(
  leaf: { readonly index: number; readonly hash: Uint8Array },
  { size, root }: TreeHead,
  hashes: readonly Uint8Array[],
  sha256: Sha256,
): boolean {
  if (leaf.index >= size) return false;
  let at: Position = { node: leaf.index, last: size - 1 };
  let hash = leaf.hash;
  for (const sibling of hashes) {
    if (at.last === 0) return false;
    hash = isRightChild(at) ? nodeHash(sibling, hash, sha256) : nodeHash(hash, sibling, sha256);
    at = nextPosition(at);
  }
  return at.last === 0 && equalBytes(hash, root);
}

/**
 * Whether the hashes prove that the new tree starts with all leaves of the old one (RFC 9162, section 2.1.4.2). Every
 * tree starts with the empty one, which needs no hash (tlog-witness, "add-checkpoint").
 * @param hashes each of 32 bytes
 */
export function isConsistent(
  before: TreeHead,
  after: TreeHead,
  hashes: readonly Uint8Array[],
  sha256: Sha256,
): boolean {
  if (before.size > after.size) return false;
  if (before.size === after.size) return hashes.length === 0 && equalBytes(before.root, after.root);
  if (before.size === 0) return hashes.length === 0 && equalBytes(before.root, sha256());
  return leadsToBoth(before, after, hashes, sha256);
}

/** @param before at least one leaf, and fewer than `after` */
function leadsToBoth(before: TreeHead, after: TreeHead, hashes: readonly Uint8Array[], sha256: Sha256): boolean {
  let at: Position = { node: before.size - 1, last: after.size - 1 };
  while (at.node % 2 === 1) at = parentOf(at);
  const [first, ...siblings] = at.node === 0 ? [before.root, ...hashes] : hashes;
  if (!first || hashes.length === 0) return false;
  let [old, grown] = [first, first];
  for (const sibling of siblings) {
    if (at.last === 0) return false;
    const isRight = isRightChild(at);
    if (isRight) old = nodeHash(sibling, old, sha256);
    grown = isRight ? nodeHash(sibling, grown, sha256) : nodeHash(grown, sibling, sha256);
    at = nextPosition(at);
  }
  return at.last === 0 && equalBytes(old, before.root) && equalBytes(grown, after.root);
}

/** A node on the way to the root, and the last node of its level: `fn` and `sn` of RFC 9162. */
interface Position {
  readonly node: number;
  readonly last: number;
}

/** Whether the sibling in a proof is on the left of a node: the last node of a level has none on its right. */
function isRightChild({ node, last }: Position): boolean {
  return node % 2 === 1 || node === last;
}

/** After the hash with a sibling: a node at the right edge without a sibling is its own parent. */
function nextPosition(at: Position): Position {
  let next = at;
  if (isRightChild(at)) while (next.node % 2 === 0 && next.node !== 0) next = parentOf(next);
  return parentOf(next);
}

function parentOf({ node, last }: Position): Position {
  return { node: Math.floor(node / 2), last: Math.floor(last / 2) };
}
