import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { base64Of } from '../../../domain/log/encoding.ts';
import { proofText } from '../../../domain/log/tree/proof.ts';
import {
  entryBundle,
  MOST_TILE_WIDTH,
  nodesOfTile,
  tileBytes,
  tilePath,
  tilesAdded,
} from '../../../domain/log/tree/tile.ts';
import type { MemoryLog } from './memory-log.ts';

/** The last checkpoint that was written. */
export interface Written {
  readonly size: number;
  readonly checkpoint: string;
}

/**
 * Writes the present size of a log as the files that it serves: its checkpoint, and the tiles and entry bundles that
 * came since `before`. Adds proofs from all earlier sizes and of leaves at the edges.
 */
export async function writeSize(folder: string, log: MemoryLog, before: readonly Written[]): Promise<Written> {
  const size = log.size();
  const checkpoint = await log.checkpoint();
  write(folder, 'checkpoint', checkpoint);
  write(folder, `checkpoints/${size}`, checkpoint);
  for (const tile of tilesAdded(before.at(-1)?.size ?? 0, size)) {
    write(folder, tilePath(tile), tileBytes(nodesOfTile(tile).map(log.hashOf)));
    if (tile.level > 0) continue;
    const from = tile.index * MOST_TILE_WIDTH;
    write(folder, tilePath({ ...tile, level: 'entries' }), entryBundle(log.leaves(from, from + tile.width)));
  }
  for (const index of provedLeaves(size)) {
    const [extra = null] = log.leaves(index, index + 1);
    const hashes = log.inclusion(index, size);
    write(folder, `inclusion/${size}-${index}.tlog-proof`, proofText({ extra, index, hashes, checkpoint }));
  }
  for (const { size: old } of before) {
    const lines = log.consistency(old, size).map((hash) => `${base64Of(hash)}\n`);
    write(folder, `consistency/${old}-${size}`, lines.join(''));
  }
  return { size, checkpoint };
}

/** The leaves at both ends, around the middle and around the edges of tiles. */
function provedLeaves(size: number): readonly number[] {
  const half = Math.floor(size / 2);
  const edges = [0, 1, half - 1, half, 254, 255, 256, 257, 65_535, 65_536, size - 2, size - 1];
  return [...new Set(edges)].filter((index) => index >= 0 && index < size);
}

export function write(folder: string, path: string, content: string | Uint8Array): void {
  const file = join(folder, path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, content);
}
