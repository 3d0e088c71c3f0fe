import type { StoredLog } from '../../domain/log/log-store.ts';
import { noteText } from '../../domain/log/notes/note.ts';
import { vkeyText } from '../../domain/log/notes/verifier-key.ts';
import { partialBundle } from '../../domain/log/tree/entry-bundle.ts';
import { MOST_TILE_WIDTH, partialTile, widthOf } from '../../domain/log/tree/tile.ts';
import { type TileFile, tileOfPath } from '../../domain/log/tree/tile-path.ts';
import { Problem } from '../../domain/problem.ts';
import type { Ports } from '../ports.ts';
import { logKeyOf } from './log-keys.ts';
import { witnessedCheckpoint } from './signed-checkpoint.ts';

type ReadPorts = Pick<Ports, 'log'>;

/** The newest published checkpoint of a log with the newest cosignatures, as a note. @throws Problem NOT_FOUND */
export async function readCheckpoint(ports: ReadPorts & Pick<Ports, 'signatures'>, log: number): Promise<string> {
  const { stored, published } = await publishedLog(ports.log, log);
  const note = await witnessedCheckpoint(ports, stored, published, 'newest');
  if (note === null) throw notServed();
  return noteText(note);
}

/**
 * The policy by which readers verify the newest log (tlog-policy).
 * @param configured the text of the operator's policy; without it one with the keys of the log, and without witnesses
 * @throws Problem NOT_FOUND while there is no log
 */
export async function readPolicy(
  { log: store, signatures }: Pick<Ports, 'log' | 'signatures'>,
  configured: string | null,
): Promise<string> {
  const log = await store.newest();
  const keys = log ? await signatures.keys(log.log) : [];
  if (!log || keys.length === 0) throw notServed();
  if (configured !== null) return configured;
  const lines = keys.map(({ public_key }) => `log ${vkeyText(logKeyOf({ publicKey: public_key }, log.origin))}\n`);
  return `${lines.join('')}quorum none\n`;
}

/**
 * The bytes of a tile or an entry bundle, never beyond the newest published checkpoint. A partial one exists for the sizes
 * that have a signed checkpoint (tlog-tiles, "Partial Tiles").
 * @param path below the prefix of the log, such as `tile/0/000.p/7`
 * @throws Problem NOT_FOUND
 */
export async function readTile({ log: store }: ReadPorts, log: number, path: string): Promise<Uint8Array> {
  const file = tileAt(path);
  const { published } = await publishedLog(store, log);
  const { level, width } = file;
  const hashes = { level: level === 'entries' ? 0 : level, index: file.index };
  const isServed =
    width <= widthOf(hashes, published.size) &&
    (width === MOST_TILE_WIDTH || (await store.hasSigned(log, sizesWith({ ...hashes, width }))));
  const bytes = isServed ? await bytesOf(store, log, file) : null;
  if (bytes === null) throw notServed();
  if (width === MOST_TILE_WIDTH) return bytes;
  return level === 'entries' ? partialBundle(bytes, width) : partialTile(bytes, width);
}

function tileAt(path: string): TileFile {
  try {
    return tileOfPath(path);
  } catch {
    throw notServed();
  }
}

/** The sizes at which a tile has this width. */
function sizesWith({
  level,
  index,
  width,
}: {
  readonly level: number;
  readonly index: number;
  readonly width: number;
}) {
  const unit = MOST_TILE_WIDTH ** level;
  const from = (index * MOST_TILE_WIDTH + width) * unit;
  return { from, to: from + unit };
}

async function bytesOf(store: Ports['log'], log: number, { level, index }: TileFile): Promise<Uint8Array | null> {
  if (level === 'entries') return store.bundle(log, index);
  const [tile] = await store.tiles(log, [{ level, index }]);
  return tile?.hashes.subarray(0, MOST_TILE_WIDTH * 32) ?? null;
}

async function publishedLog(store: Ports['log'], log: number) {
  const stored: StoredLog | null = Number.isSafeInteger(log) ? await store.find(log) : null;
  const published = stored && (await store.published(log));
  if (!stored || !published) throw notServed();
  return { stored, published };
}

function notServed(): Problem {
  return new Problem('NOT_FOUND', 'The log does not have this file.');
}
