import { LOG } from '../../domain/limits.ts';
import { equalBytes } from '../../domain/log/encoding.ts';
import type { StoredLog } from '../../domain/log/log-store.ts';
import type { LogKey, SigningKey } from '../../domain/log/notes/log-key.ts';
import {
  ED25519,
  type NoteSigner,
  noteText,
  type VerifierKey,
  verifierKey,
  vkeyText,
} from '../../domain/log/notes/note.ts';
import { policyOf } from '../../domain/log/notes/policy.ts';
import type { SignatureStore, StoredKey } from '../../domain/log/notes/signature-store.ts';
import {
  MOST_TILE_WIDTH,
  partialBundle,
  partialTile,
  type TileFile,
  tileOfPath,
  widthOf,
} from '../../domain/log/tree/tile.ts';
import { Problem } from '../../domain/problem.ts';
import type { Ports } from '../ports.ts';
import { sha256 } from '../sha256.ts';
import { LogChanged } from './append-batch.ts';
import { witnessedCheckpoint } from './witness-checkpoint.ts';

type ReadPorts = Pick<Ports, 'log'>;

/** The newest published checkpoint of a log with the newest cosignatures, as a note. @throws Problem NOT_FOUND */
export async function readCheckpoint(ports: ReadPorts & Pick<Ports, 'signatures'>, log: number): Promise<string> {
  const { stored, published } = await publishedLog(ports.log, log);
  const note = await witnessedCheckpoint(ports, stored, published, 'newest');
  if (note === null) throw notServed();
  return noteText(note);
}

/**
 * The policy by which readers verify the newest log, and those whose leaves it shares (tlog-policy). Where this process is to
 * start the first log, that one's: what is saved in the first second of a service stays valid.
 * @param configured the text of the operator's policy, to which lines of keys are added that it lacks; without it one with the
 * keys of the logs, and without witnesses
 * @throws Problem NOT_FOUND where there is no log and this process starts none
 */
export async function readPolicy(
  { log: store, signatures, logWriter }: PolicyPorts,
  configured: string | null,
): Promise<string> {
  const newest = await store.newest();
  const keys = newest ? await keysOfTree(store, signatures, newest) : logWriter ? [firstKeyOf(logWriter.logKey)] : [];
  const [first] = keys;
  if (!first) throw notServed();
  if (configured === null) return `${keys.map(logLine).join('')}quorum none\n`;
  // The operator's says who is trusted for the newest log if it names that; no key is named twice, under whatever origin.
  const named = policyOf(configured, sha256).logs.map(({ key }) => key);
  const origin = newest?.origin ?? first.name;
  const says = named.some(({ name }) => name === origin);
  const missing = keys.filter(
    ({ name, publicKey }) => !(says && name === origin) && !named.some((key) => equalBytes(key.publicKey, publicKey)),
  );
  return `${missing.map(logLine).join('')}${configured}`;
}

/** Without a log writer, of a process that starts no log. */
export type PolicyPorts = Pick<Ports, 'log' | 'signatures'> & Partial<Pick<Ports, 'logWriter'>>;

/** None where the newest log has none. */
async function keysOfTree(
  store: Ports['log'],
  signatures: Ports['signatures'],
  newest: StoredLog,
): Promise<readonly VerifierKey[]> {
  if ((await signatures.keys(newest.log)).length === 0) return [];
  const keys: VerifierKey[] = [];
  for (const { log, origin } of (await store.logsOfTree(newest.log)).toReversed()) {
    for (const { public_key } of await signatures.keys(log)) keys.push(logKeyOf({ publicKey: public_key }, origin));
  }
  return keys;
}

/** The key of the first log, started or not. */
function firstKeyOf(logKey: LogKey): VerifierKey {
  return logKeyOf(logKey, originOf(logKey, 1));
}

/** The name of a log by its number. */
export function originOf({ host }: Pick<LogKey, 'host'>, log: number): string {
  return `${host}/log/${log}`;
}

function logLine(key: VerifierKey): string {
  return `log ${vkeyText(key)}\n`;
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

export function notServed(): Problem {
  return new Problem('NOT_FOUND', 'The log does not have this file.');
}

interface KeyPorts extends Pick<Ports, 'signatures' | 'clock'> {
  readonly logKey: LogKey;
  /** The key before `logKey`, while a log changes its key; null otherwise. */
  readonly previousKey: SigningKey | null;
}

/**
 * The keys that sign a log now: the configured one, and for 30 days after its first signature the one before it, which is
 * then the first. A new key is accepted only together with one that signs already.
 * @throws LogChanged for another key, and for one that was replaced longer ago
 */
export async function signersOf(ports: KeyPorts, log: StoredLog): Promise<readonly NoteSigner[]> {
  const { signatures, clock, logKey, previousKey } = ports;
  const current = signerOf(logKey, log.origin);
  const previous = previousKey && signerOf(previousKey, log.origin);
  const known = await knownKeys(signatures, log, previous ? [current, previous] : [current]);
  const isKnown = ({ key }: NoteSigner) => known.some(({ key_id }) => key_id === key.id);
  const newest = known.at(-1);
  if (!newest) throw unknownKey(current.key, log.key_id);
  const overlaps = (await clock.now()).getTime() < newest.since.getTime() + LOG.keysOverlap;
  if (isKnown(current)) {
    if (newest.key_id !== current.key.id && !overlaps) throw replacedKey(current.key, newest);
    const both = previous && overlaps && newest.key_id === current.key.id && isKnown(previous);
    return both ? [previous, current] : [current];
  }
  if (!previous || !isKnown(previous)) throw unknownKey(current.key, newest.key_id);
  await signatures.addKey(log.log, storedKey(current.key));
  return [previous, current];
}

/** The key by which a log of this origin is verified. */
export function logKeyOf({ publicKey }: Pick<SigningKey, 'publicKey'>, origin: string): VerifierKey {
  return verifierKey(origin, ED25519, publicKey, sha256);
}

export function storedKey({ id, publicKey }: VerifierKey): Omit<StoredKey, 'since'> {
  return { key_id: id, public_key: publicKey };
}

function signerOf(key: SigningKey, origin: string): NoteSigner {
  return { key: logKeyOf(key, origin), sign: key.sign };
}

/** With the key that started the log first. A log that started before keys were noted gets that note now. */
async function knownKeys(
  signatures: SignatureStore,
  { log, key_id }: StoredLog,
  configured: readonly NoteSigner[],
): Promise<readonly StoredKey[]> {
  const known = await signatures.keys(log);
  const first = configured.find(({ key }) => key.id === key_id);
  if (known.length > 0 || !first) return known;
  await signatures.addKey(log, storedKey(first.key));
  return signatures.keys(log);
}

function unknownKey({ name, id }: VerifierKey, known: string): LogChanged {
  return new LogChanged(
    `The key ${known} signs the log ${name}; the configured one is ${id}. Nothing is signed. To change the key, set ` +
      'LOG_PREVIOUS_KEY_FILE to the file of the key that signs.',
  );
}

function replacedKey({ name, id }: VerifierKey, { key_id, since }: StoredKey): LogChanged {
  return new LogChanged(
    `The key ${key_id} replaced the configured key ${id} of the log ${name} at ${since.toISOString()}. Nothing is signed.`,
  );
}
