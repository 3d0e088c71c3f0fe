import { concatBytes } from '../encoding.ts';
import { Malformed } from '../malformed.ts';
import type { Sha256 } from './sha256.ts';
import { type NodeAddress, type NodeHash, nodeHash } from './tree.ts';

/** The hashes of a full tile; a tile is a perfect subtree of 8 levels (tlog-tiles, "Merkle Tree"). */
export const MOST_TILE_WIDTH = 256;
/** The levels of the tree between two levels of tiles. */
export const TILE_HEIGHT = 8;
const HASH_LENGTH = 32;

/**
 * A run of hashes: those of the nodes of the level `8 * level` from `256 * index` on, `width` of them. It is full with
 * 256 hashes and partial with fewer.
 */
export interface Tile {
  readonly level: number;
  readonly index: number;
  readonly width: number;
}

/** All tiles of a tree, by level; no tile is empty (tlog-tiles, "Partial Tiles"). */
export function tilesOf(size: number): readonly Tile[] {
  return tilesAdded(0, size);
}

/** The tiles of a tree that the older one did not have, or had with a smaller width. */
export function tilesAdded(oldSize: number, size: number): readonly Tile[] {
  const tiles: Tile[] = [];
  for (let level = 0; hashesAt(level, size) > 0; level += 1) {
    const hashes = hashesAt(level, size);
    const unchanged = Math.floor(hashesAt(level, oldSize) / MOST_TILE_WIDTH);
    for (let index = unchanged; index * MOST_TILE_WIDTH < hashes; index += 1) {
      const width = Math.min(MOST_TILE_WIDTH, hashes - index * MOST_TILE_WIDTH);
      if (width > widthOf({ level, index }, oldSize)) tiles.push({ level, index, width });
    }
  }
  return tiles;
}

/** The number of hashes of a tile in a tree; 0 when the tree has no such tile. */
export function widthOf({ level, index }: Omit<Tile, 'width'>, size: number): number {
  return Math.max(0, Math.min(MOST_TILE_WIDTH, hashesAt(level, size) - index * MOST_TILE_WIDTH));
}

/** The nodes whose hashes a tile contains, in its order. */
export function nodesOfTile({ level, index, width }: Tile): readonly NodeAddress[] {
  const first = index * MOST_TILE_WIDTH;
  return Array.from({ length: width }, (_, i) => ({ level: level * TILE_HEIGHT, index: first + i }));
}

/** The tile that contains a node, or the hashes from which `nodesInTile` computes it, in the smallest width. */
export function tileOfNode({ level, index }: NodeAddress): Tile {
  const rise = level % TILE_HEIGHT;
  const first = index * 2 ** rise;
  const tile = Math.floor(first / MOST_TILE_WIDTH);
  return {
    level: (level - rise) / TILE_HEIGHT,
    index: tile,
    width: first + 2 ** rise - tile * MOST_TILE_WIDTH,
  };
}

/**
 * The hashes of the nodes that a tile contains or that are computed from its hashes, each once.
 * @param bytes of the tile in the width of `tileOfNode` or a greater one; none for a tile that is missing
 * @throws Malformed for bytes that are no tile, and for a node when the tile is too short
 */
export function nodesInTile(bytes: Uint8Array, sha256: Sha256): NodeHash {
  const rows = [bytes.length === 0 ? [] : hashesOfTile(bytes)];
  const rowAt = (rise: number): readonly Uint8Array[] => {
    const row = rows[rise] ?? pairsOf(rowAt(rise - 1)).map(([left, right]) => nodeHash(left, right, sha256));
    rows[rise] = row;
    return row;
  };
  return ({ level, index }) => {
    const rise = level % TILE_HEIGHT;
    const hash = rowAt(rise)[index % (MOST_TILE_WIDTH / 2 ** rise)];
    if (hash) return hash;
    throw new Malformed(`A tile of ${bytes.length / HASH_LENGTH} hashes does not contain node ${level}/${index}.`);
  };
}

/** The bytes of a tile: its hashes, one after the other. */
export function tileBytes(hashes: readonly Uint8Array[]): Uint8Array {
  return concatBytes(...hashes);
}

/** The partial tile that the same tile was with this width. */
export function partialTile(bytes: Uint8Array, width: number): Uint8Array {
  return bytes.subarray(0, width * HASH_LENGTH);
}

/** @throws Malformed for no hash, more than 256, or a part of one */
export function hashesOfTile(bytes: Uint8Array): readonly Uint8Array[] {
  const width = bytes.length / HASH_LENGTH;
  if (!Number.isInteger(width) || width < 1 || width > MOST_TILE_WIDTH) {
    throw new Malformed(`${bytes.length} bytes are not 1 to ${MOST_TILE_WIDTH} hashes of ${HASH_LENGTH} bytes.`);
  }
  return Array.from({ length: width }, (_, i) => bytes.subarray(i * HASH_LENGTH, (i + 1) * HASH_LENGTH));
}

/** How many hashes the tiles of a level have together: `floor(size / 256^level)`. */
function hashesAt(level: number, size: number): number {
  return Math.floor(size / MOST_TILE_WIDTH ** level);
}

function pairsOf(hashes: readonly Uint8Array[]): readonly (readonly [Uint8Array, Uint8Array])[] {
  return hashes.flatMap((left, i) => {
    const right = hashes[i + 1];
    return i % 2 === 0 && right ? [[left, right] as const] : [];
  });
}
