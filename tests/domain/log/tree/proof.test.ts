import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { sha256 } from '../../../../application/sha256.ts';
import {
  consistencyPath,
  inclusionPath,
  isConsistent,
  isIncluded,
  proofHashes,
  proofNodes,
} from '../../../../domain/log/tree/proof.ts';
import { leafHash } from '../../../../domain/log/tree/tree.ts';
import { aTree, someLeaves } from '../../../builders/log.ts';

const MOST = 600;
const LEAVES = someLeaves(MOST);

const sizes = fc.integer({ min: 1, max: MOST });
const grown = fc.tuple(sizes, sizes).map(([a, b]) => ({ before: Math.min(a, b), after: Math.max(a, b) }));

describe('an inclusion proof', () => {
  const index = fc.integer({ min: 0, max: MOST - 1 });

  test('made from stored nodes verifies, and no proof of another leaf, index, size or root does', () => {
    const property = fc.property(sizes, index, (size, any) => {
      const tree = aTree(LEAVES.slice(0, size));
      const at = any % size;
      const hash = leafHash(LEAVES[at] ?? Uint8Array.of(), sha256);
      const hashes = proofHashes(inclusionPath(at, size), tree.hashOf, sha256);
      expect(isIncluded({ index: at, hash }, tree, hashes, sha256)).toBe(true);
      expect(isIncluded({ index: at, hash: flipped(hash) }, tree, hashes, sha256)).toBe(false);
      expect(isIncluded({ index: at, hash }, { ...tree, root: flipped(tree.root) }, hashes, sha256)).toBe(false);
      expect(isIncluded({ index: size, hash }, tree, hashes, sha256)).toBe(false);
      expect(isIncluded({ index: at, hash }, tree, [...hashes, tree.root], sha256)).toBe(false);
      if (size === 1) return;
      expect(isIncluded({ index: at, hash }, tree, hashes.slice(1), sha256)).toBe(false);
      expect(isIncluded({ index: at === 0 ? 1 : at - 1, hash }, tree, hashes, sha256)).toBe(false);
      for (const i of hashes.keys()) {
        const altered = hashes.map((each, j) => (i === j ? flipped(each) : each));
        expect(isIncluded({ index: at, hash }, tree, altered, sha256)).toBe(false);
      }
    });
    fc.assert(property, { numRuns: 60 });
  });

  test('needs one node per level at most twice', () => {
    for (const size of [1, 255, 256, 257, 65_536, 70_000, 2 ** 40 + 5]) {
      const nodes = proofNodes(inclusionPath(Math.floor(size / 3), size));
      expect(nodes.length).toBeLessThanOrEqual(2 * Math.ceil(Math.log2(size + 1)));
    }
  });
});

describe('a consistency proof', () => {
  test('made from the nodes of the new tree verifies, and no altered one does', () => {
    const property = fc.property(grown, ({ before, after }) => {
      const [old, tree] = [aTree(LEAVES.slice(0, before)), aTree(LEAVES.slice(0, after))];
      const hashes = proofHashes(consistencyPath(before, after), tree.hashOf, sha256);
      expect(isConsistent(old, tree, hashes, sha256)).toBe(true);
      expect(isConsistent({ ...old, root: flipped(old.root) }, tree, hashes, sha256)).toBe(false);
      expect(isConsistent(old, { ...tree, root: flipped(tree.root) }, hashes, sha256)).toBe(false);
      expect(isConsistent(old, tree, [...hashes, tree.root], sha256)).toBe(false);
      if (before === after) return;
      expect(isConsistent(tree, old, hashes, sha256)).toBe(false);
      expect(isConsistent(old, tree, hashes.slice(1), sha256)).toBe(false);
      expect(isConsistent(old, tree, [], sha256)).toBe(false);
      for (const i of hashes.keys()) {
        const altered = hashes.map((each, j) => (i === j ? flipped(each) : each));
        expect(isConsistent(old, tree, altered, sha256)).toBe(false);
      }
    });
    fc.assert(property, { numRuns: 60 });
  });

  test('of a tree with another leaf does not exist', () => {
    const [old, other] = [aTree(LEAVES.slice(0, 5)), aTree([...LEAVES.slice(1, 5), ...LEAVES.slice(0, 4)])];
    expect(isConsistent(old, other, proofHashes(consistencyPath(5, 8), other.hashOf, sha256), sha256)).toBe(false);
  });

  test('from the empty tree is empty, and the empty root is that of no leaf', () => {
    const [empty, tree] = [aTree([]), aTree(LEAVES.slice(0, 3))];
    expect(consistencyPath(0, 3)).toEqual([]);
    expect(isConsistent(empty, tree, [], sha256)).toBe(true);
    expect(isConsistent(empty, tree, [tree.root], sha256)).toBe(false);
    expect(isConsistent({ size: 0, root: tree.root }, tree, [], sha256)).toBe(false);
  });
});

function flipped(hash: Uint8Array): Uint8Array {
  return hash.map((byte, i) => (i === 7 ? byte ^ 1 : byte));
}
