import type { Sha256 } from './sha256.ts';
import { type LeafRange, leftSize, type NodeHash, nodesOf, rangeHash } from './tree.ts';

/**
 * The subtrees whose roots prove that the leaf `index` is in the tree of `size` leaves, from the leaf's sibling upwards:
 * `PATH(m, D[n])` of RFC 6962, section 2.1.1. Each consists of the nodes of `nodesOf`.
 * @param index less than `size`
 */
export function inclusionPath(index: number, size: number): readonly LeafRange[] {
  return pathWithin(index, { from: 0, to: size });
}

/**
 * The subtrees whose roots prove that the tree of `size` leaves starts with that of `oldSize`: `PROOF(m, D[n])` of RFC
 * 6962, section 2.1.2. Empty for two equal sizes, and from the empty tree (tlog-witness, "add-checkpoint").
 * @param oldSize at most `size`
 */
export function consistencyPath(oldSize: number, size: number): readonly LeafRange[] {
  return oldSize === 0 ? [] : subproof(oldSize, { from: 0, to: size });
}

/** The hashes of a proof. @param hashOf reads at most the nodes of these ranges */
export function proofHashes(path: readonly LeafRange[], hashOf: NodeHash, sha256: Sha256): readonly Uint8Array[] {
  return path.map((range) => rangeHash(range, hashOf, sha256));
}

/** The nodes to read before `proofHashes`. */
export function proofNodes(path: readonly LeafRange[]): ReturnType<typeof nodesOf> {
  return path.flatMap(nodesOf);
}

function pathWithin(index: number, { from, to }: LeafRange): readonly LeafRange[] {
  if (to - from === 1) return [];
  const middle = from + leftSize(to - from);
  const [left, right] = [
    { from, to: middle },
    { from: middle, to },
  ];
  return index < middle ? [...pathWithin(index, left), right] : [...pathWithin(index, right), left];
}

/** `SUBPROOF(m, D[n], b)` of RFC 6962, section 2.1.2: the verifier knows the root of the old tree alone. */
function subproof(oldSize: number, { from, to }: LeafRange): readonly LeafRange[] {
  if (oldSize === to) return from === 0 ? [] : [{ from, to }];
  const middle = from + leftSize(to - from);
  const [left, right] = [
    { from, to: middle },
    { from: middle, to },
  ];
  return oldSize <= middle ? [...subproof(oldSize, left), right] : [...subproof(oldSize, right), left];
}
