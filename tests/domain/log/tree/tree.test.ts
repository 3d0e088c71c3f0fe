import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { sha256 } from '../../../../application/sha256.ts';
import { bytesOfHex, hexOf } from '../../../../domain/log/encoding.ts';
import { leafHash, nodeHash, nodesOf } from '../../../../domain/log/tree/tree.ts';
import { aTree, someLeaves } from '../../../builders/log.ts';

/** The leaves and the roots of 0 to 8 of them with which implementations of RFC 6962 are tested. */
const KNOWN_LEAVES = [
  '',
  '00',
  '10',
  '2021',
  '3031',
  '40414243',
  '5051525354555657',
  '606162636465666768696a6b6c6d6e6f',
];
const KNOWN_ROOTS = [
  'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855',
  '6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d',
  'fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125',
  'aeb6bcfe274b70a14fb067a5e5578264db0fa9b51af5e0ba159158f329e06e77',
  'd37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7',
  '4e3bbb1f7b478dcfe71fb631631519a3bca12c9aefca1612bfce4c13a86264d4',
  '76e67dadbcdf1e10e1b74ddc608abd2f98dfb16fbce75277b5232a127f2087ef',
  'ddb89be403809e325750d3d263cd78929c2942b7942a34b77e122c9594a74c8c',
  '5dc9da79a70659a9ad559cb701ded9a2ab9d823aad2f4960cfe370eff4604328',
];

const MOST = 600;
const LEAVES = someLeaves(MOST);
const HASHES = LEAVES.map((leaf) => leafHash(leaf, sha256));

/** `MTH(D[n])` word for word, without any stored node (RFC 6962, section 2.1). */
function naiveRoot(hashes: readonly Uint8Array[]): Uint8Array {
  const [first] = hashes;
  if (!first) return sha256();
  if (hashes.length === 1) return first;
  let k = 1;
  while (k * 2 < hashes.length) k *= 2;
  return nodeHash(naiveRoot(hashes.slice(0, k)), naiveRoot(hashes.slice(k)), sha256);
}

const sizes = fc.integer({ min: 1, max: MOST });

describe('the root of a tree', () => {
  test.each(KNOWN_ROOTS.map((root, size) => ({ size, root })))('of $size known leaves is $root', ({ size, root }) => {
    const leaves = KNOWN_LEAVES.slice(0, size).map(bytesOfHex);
    expect(hexOf(aTree(leaves).root)).toBe(root);
  });

  test('is that of the recursive definition, whatever the batches', () => {
    const property = fc.property(
      sizes,
      fc.array(fc.integer({ min: 0, max: 200 }), { maxLength: 8 }),
      (size, batches) => {
        expect(aTree(LEAVES.slice(0, size), batches).root).toEqual(naiveRoot(HASHES.slice(0, size)));
      },
    );
    fc.assert(property, { numRuns: 60 });
  });
});

test('the nodes of a range join up and contain each leaf once, also beyond 32 bits', () => {
  const property = fc.property(fc.integer({ min: 1, max: Number.MAX_SAFE_INTEGER }), (size) => {
    let next = 0;
    for (const { level, index } of nodesOf({ from: 0, to: size })) {
      expect(index * 2 ** level).toBe(next);
      next += 2 ** level;
    }
    expect(next).toBe(size);
  });
  fc.assert(property);
});
