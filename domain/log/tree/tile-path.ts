import { Malformed } from '../malformed.ts';
import { MOST_TILE_WIDTH, type Tile } from './tile.ts';

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
