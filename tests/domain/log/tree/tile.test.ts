import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { sha256 } from '../../../../application/sha256.ts';
import { Malformed } from '../../../../domain/log/encoding.ts';
import {
  hashesOfTile,
  nodesInTile,
  nodesOfTile,
  partialTile,
  type Tile,
  type TileFile,
  tileBytes,
  tileOfNode,
  tileOfPath,
  tilePath,
  tilesAdded,
  tilesOf,
  widthOf,
} from '../../../../domain/log/tree/tile.ts';
import { nodesOf, rootHash } from '../../../../domain/log/tree/tree.ts';
import { aTree, someLeaves } from '../../../builders/log.ts';

const PATHS: readonly (readonly [string, TileFile])[] = [
  ['tile/0/x001/x234/067', { level: 0, index: 1_234_067, width: 256 }],
  ['tile/0/000', { level: 0, index: 0, width: 256 }],
  ['tile/0/273.p/112', { level: 0, index: 273, width: 112 }],
  ['tile/1/x001/000.p/17', { level: 1, index: 1_000, width: 17 }],
  ['tile/63/999.p/255', { level: 63, index: 999, width: 255 }],
  ['tile/entries/x999/999', { level: 'entries', index: 999_999, width: 256 }],
  ['tile/entries/000.p/1', { level: 'entries', index: 0, width: 1 }],
];

describe('the path of a tile', () => {
  test.each(PATHS)('%s is written and read', (path, file) => {
    expect(tilePath(file)).toBe(path);
    expect(tileOfPath(path)).toEqual(file);
  });

  test.each([
    ...['tile/00/000', 'tile/64/000', 'tile/-1/000', 'tile/x/000', 'tile/Entries/000', '/tile/0/000', 'tile/0/000/'],
    ...['tile/0/0', 'tile/0/0000', 'tile/0/x000/000', 'tile/0/001/000', 'tile/0/x001', 'tile/0/x001/x000', 'tile/0/'],
    ...['tile/0/000.p/0', 'tile/0/000.p/256', 'tile/0/000.p/01', 'tile/0/000.p/', 'tile/0/000.p/999', 'tile/0/000\n'],
    ...['tile/0/x999/x999/x999/x999/x999/999', 'tile/0/..', 'checkpoint'],
  ])('%j is none', (path) => {
    expect(() => tileOfPath(path)).toThrow(Malformed);
  });
});

describe('the tiles of a tree', () => {
  test('of 70,000 leaves are those of the example of tlog-tiles', () => {
    const tiles = tilesOf(70_000);
    expect(tiles.filter(({ level, width }) => level === 0 && width === 256)).toHaveLength(273);
    expect(tiles.filter(({ level, width }) => level > 0 || width < 256)).toEqual([
      { level: 0, index: 273, width: 112 },
      { level: 1, index: 0, width: 256 },
      { level: 1, index: 1, width: 17 },
      { level: 2, index: 0, width: 1 },
    ]);
  });

  test.each([
    [0, []],
    [255, [{ level: 0, index: 0, width: 255 }]],
    [
      256,
      [
        { level: 0, index: 0, width: 256 },
        { level: 1, index: 0, width: 1 },
      ],
    ],
  ])('of %i leaves', (size, tiles) => {
    expect(tilesOf(size)).toEqual(tiles);
  });

  test('are those of the older tree and those added, the wider of two', () => {
    const size = fc.integer({ min: 0, max: 200_000 });
    const property = fc.property(size, size, (a, b) => {
      const [before, after] = [Math.min(a, b), Math.max(a, b)];
      const byPlace = (tiles: readonly Tile[]) => tiles.map((tile) => [`${tile.level}/${tile.index}`, tile] as const);
      const joined = new Map([...byPlace(tilesOf(before)), ...byPlace(tilesAdded(before, after))]);
      expect(joined).toEqual(new Map(byPlace(tilesOf(after))));
      for (const tile of tilesAdded(before, after)) expect(widthOf(tile, before)).toBeLessThan(tile.width);
    });
    fc.assert(property, { numRuns: 50 });
  });

  test('contain every node, and with it the root', () => {
    const leaves = someLeaves(700);
    for (const size of [1, 2, 255, 256, 257, 513, 700]) {
      const { hashOf, root } = aTree(leaves.slice(0, size));
      const tiles = new Map(tilesOf(size).map((tile) => [tilePath(tile), tileBytes(nodesOfTile(tile).map(hashOf))]));
      for (const node of nodesOf({ from: 0, to: size })) expect(tileOfNode(node).width).toBeGreaterThan(0);
      const read = rootHash(
        size,
        (node) => {
          const { level, index } = tileOfNode(node);
          const bytes = tiles.get(tilePath({ level, index, width: widthOf({ level, index }, size) }));
          return nodesInTile(bytes ?? Uint8Array.of(), sha256)(node);
        },
        sha256,
      );
      expect(read).toEqual(root);
    }
  });

  test('a partial tile is cut from the full one', () => {
    const { hashOf } = aTree(someLeaves(300));
    const full = tileBytes(nodesOfTile({ level: 0, index: 0, width: 256 }).map(hashOf));
    const part = tileBytes(nodesOfTile({ level: 0, index: 0, width: 77 }).map(hashOf));
    expect(partialTile(full, 77)).toEqual(part);
    expect(hashesOfTile(part)).toHaveLength(77);
    expect(() => nodesInTile(part, sha256)({ level: 3, index: 9 })).toThrow(
      'A tile of 77 hashes does not contain node 3/9.',
    );
  });

  test.each([0, 31, 33, 257 * 32])('%i bytes are no tile', (length) => {
    expect(() => hashesOfTile(new Uint8Array(length))).toThrow(Malformed);
  });
});
