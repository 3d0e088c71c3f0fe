import { equalBytes } from '../../domain/log/encoding.ts';
import type { LogStore, StoredLog } from '../../domain/log/log-store.ts';
import type { NodeRun } from '../../domain/log/tree/append.ts';
import { TILE_HEIGHT, tileOfNode } from '../../domain/log/tree/tile.ts';

/** The tiles whose stored hashes differ from computed nodes, by name. */
export async function tileFaults(
  store: Pick<LogStore, 'tiles'>,
  { log, origin }: StoredLog,
  runs: readonly NodeRun[],
): Promise<ReadonlyMap<string, readonly string[]>> {
  const nodes = runs
    .filter(({ level }) => level % TILE_HEIGHT === 0)
    .flatMap(({ level, from, hashes }) =>
      hashes.map((hash, i) => ({ tile: tileOfNode({ level, index: from + i }), hash })),
    );
  const names = new Map(nodes.map(({ tile }) => [nameOf(tile), tile]));
  const stored = new Map((await store.tiles(log, [...names.values()])).map((tile) => [nameOf(tile), tile.hashes]));
  const wrong = nodes.filter(({ tile, hash }) => {
    const bytes = stored.get(nameOf(tile))?.subarray((tile.width - 1) * hash.length, tile.width * hash.length);
    return !bytes || !equalBytes(bytes, hash);
  });
  return new Map(
    wrong.map(({ tile }) => [`tile ${nameOf(tile)} of ${origin}`, ['its hashes are not those of the leaves']]),
  );
}

function nameOf({ level, index }: { readonly level: number; readonly index: number }): string {
  return `${level}/${index}`;
}
