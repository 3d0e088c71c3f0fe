import { concatBytes, Malformed } from '../encoding.ts';
import { type NodeAddress, type NodeHash, nodeHash, type Sha256 } from './tree.ts';

/** The longest leaf that an entry bundle can hold, in bytes: its length is a uint16 (tlog-tiles, "Log entries"). */
const MOST_LEAF_BYTES = 0xffff;

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

/** Where a tile or an entry bundle is served, below the log's prefix (tlog-tiles, "Merkle Tree" and "Log entries"). */
export interface TileFile extends Omit<Tile, 'level'> {
  /** `entries` for the bundle of the leaves below the tile of level 0. */
  readonly level: number | 'entries';
}

/** `tile/<L>/<N>[.p/<W>]`, or `tile/entries/<N>[.p/<W>]`. */
export function tilePath({ level, index, width }: TileFile): string {
  const groups =
    String(index)
      .padStart(Math.ceil(String(index).length / 3) * 3, '0')
      .match(/\d{3}/g) ?? [];
  const path = groups.map((group, i) => (i === groups.length - 1 ? group : `x${group}`)).join('/');
  return `tile/${level}/${path}${width === MOST_TILE_WIDTH ? '' : `.p/${width}`}`;
}

/** Where the openings of the leaves of an entry bundle are served: named as the bundle is. */
export function openingsPath(bundle: number): string {
  return tilePath({ level: 'entries', index: bundle, width: MOST_TILE_WIDTH }).replace('tile/entries', 'openings');
}

/** The number of the entry bundle that such a path names. @throws Malformed */
export function bundleOfOpenings(path: string): number {
  const { index, width } = tileOfPath(path.replace(/^openings(?=\/)/, 'tile/entries'));
  if (openingsPath(index) === path && width === MOST_TILE_WIDTH) return index;
  throw new Malformed(`${JSON.stringify(path)} is not the path of openings.`);
}

/** The tile of a path in the only form that `tilePath` writes. @throws Malformed */
export function tileOfPath(path: string): TileFile {
  const [, level = '', groups = '', width] =
    /^tile\/(entries|\d{1,2})\/((?:x\d{3}\/){0,5}\d{3})(?:\.p\/(\d{1,3}))?$/.exec(path) ?? [];
  const file: TileFile = {
    level: level === 'entries' ? level : Number(level),
    index: Number(groups.replace(/[x/]/g, '')),
    width: width === undefined ? MOST_TILE_WIDTH : Number(width),
  };
  const isTile = level !== '' && (level === 'entries' || Number(level) <= 63) && Number.isSafeInteger(file.index);
  const hasWidth = file.width >= 1 && file.width <= MOST_TILE_WIDTH;
  // Leading zeros and `.p/256` are not what `tilePath` writes.
  if (!isTile || !hasWidth || tilePath(file) !== path) {
    throw new Malformed(`${JSON.stringify(path)} is not the path of a tile.`);
  }
  return file;
}

/**
 * An entry bundle: each leaf after its length as a big-endian uint16 (tlog-tiles, "Log entries").
 * @param leaves each at most `MOST_LEAF_BYTES` long
 * @throws Malformed for a longer leaf
 */
export function entryBundle(leaves: readonly Uint8Array[]): Uint8Array {
  const bundle = new Uint8Array(leaves.reduce((length, leaf) => length + 2 + leaf.length, 0));
  let at = 0;
  for (const leaf of leaves) {
    if (leaf.length > MOST_LEAF_BYTES)
      throw new Malformed(`A leaf of ${leaf.length} bytes is longer than ${MOST_LEAF_BYTES}.`);
    bundle.set([leaf.length >> 8, leaf.length & 0xff], at);
    bundle.set(leaf, at + 2);
    at += 2 + leaf.length;
  }
  return bundle;
}

/** The leaves of an entry bundle. @throws Malformed for no leaf, more than 256, or bytes that end within one */
export function leavesOfBundle(bundle: Uint8Array): readonly Uint8Array[] {
  const leaves: Uint8Array[] = [];
  for (let at = 0; at < bundle.length; ) {
    const [high, low] = bundle.subarray(at, at + 2);
    const end = at + 2 + ((high ?? 0) << 8) + (low ?? 0);
    if (low === undefined || end > bundle.length)
      throw new Malformed(`The entry bundle ends within leaf ${leaves.length}.`);
    leaves.push(bundle.subarray(at + 2, end));
    at = end;
  }
  if (leaves.length === 0 || leaves.length > MOST_TILE_WIDTH) {
    throw new Malformed(`An entry bundle has 1 to ${MOST_TILE_WIDTH} leaves, not ${leaves.length}.`);
  }
  return leaves;
}

/** The partial bundle that the same bundle was with this many leaves. */
export function partialBundle(bundle: Uint8Array, width: number): Uint8Array {
  const leaves = leavesOfBundle(bundle).slice(0, width);
  return bundle.subarray(
    0,
    leaves.reduce((length, leaf) => length + 2 + leaf.length, 0),
  );
}
