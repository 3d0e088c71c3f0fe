import { canonicalJson } from '../../adapters/formats/canonical-json.ts';
import { appendBatch } from '../../application/log/append-batch.ts';
import { keepLog, type LogPorts, type NextLog, startNextLog } from '../../application/log/keep-log.ts';
import { logKeyOf } from '../../application/log/read-log.ts';
import type { Storage } from '../../application/ports.ts';
import { type LogLeaf, leafOf } from '../../domain/log/leaves/leaf.ts';
import type { LastSeen, SeenTree } from '../../domain/log/notes/last-seen.ts';
import type { LogKey } from '../../domain/log/notes/log-key.ts';
import { vkeyText } from '../../domain/log/notes/note.ts';
import { leavesOfBundle, MOST_TILE_WIDTH } from '../../domain/log/tree/tile.ts';
import { MINUTE } from '../../domain/time.ts';
import { aSigner, aTree } from '../builders/log.ts';

/** The key of each log in tests: a log that goes on with another one has a key of its own. */
export function logKeyFor(log: number): LogKey {
  const { key, sign } = aSigner('log.test', undefined, log);
  return { publicKey: key.publicKey, sign, host: 'log.test' };
}

/** The key of the first log in tests. */
export const LOG_KEY = logKeyFor(1);

/** A policy of readers of the first log, without witnesses. */
export const KEPT_LOG_POLICY = `log ${vkeyText(logKeyOf(LOG_KEY, 'log.test/log/1'))}\nquorum none\n`;

/** A note of what was seen, in memory. */
export function seenInMemory(seen: SeenTree | null = null): LastSeen {
  let latest = seen;
  return {
    read: async () => latest,
    async write(tree) {
      latest = tree;
    },
    async replace(before, tree) {
      if (before !== latest) return false;
      latest = tree;
      return true;
    },
  };
}

export function logPorts(storage: Storage, lastSeen: LastSeen = seenInMemory()): LogPorts {
  return { ...storage, canonicalJson, logKey: LOG_KEY, previousKey: null, witnesses: null, timestamps: null, lastSeen };
}

/** The same with the key of the newest log. */
export async function newestLogPorts(storage: Storage, lastSeen: LastSeen = seenInMemory()): Promise<LogPorts> {
  return { ...logPorts(storage, lastSeen), logKey: logKeyFor((await storage.log.newest())?.log ?? 1) };
}

/** Starts the next log with the key of its number, as `log-new` does. */
export async function startNext(storage: Storage, lastSeen: LastSeen = seenInMemory()): Promise<NextLog | null> {
  const number = Math.max((await storage.log.newest())?.log ?? 0, (await lastSeen.read())?.log ?? 0) + 1;
  return startNextLog({ ...logPorts(storage, lastSeen), logKey: logKeyFor(number) });
}

/** @param unsigned appends alone, by one batch, with a checkpoint that is not signed */
export interface SequenceOptions {
  readonly limit?: number;
  readonly unsigned?: boolean;
}

/** Runs the sequencer once; the number of leaves that it appends. */
export async function sequence(
  storage: Storage,
  { unsigned = false, ...options }: SequenceOptions = {},
): Promise<number> {
  const log = unsigned ? await storage.log.newest() : null;
  const before = await storage.clock.now();
  if (log) return appendBatch({ ...storage, canonicalJson }, log, { before, limit: 100 });
  return (await keepLog(await newestLogPorts(storage), { interval: MINUTE, ...options })).leaves;
}

/** What the newest log contains. */
export interface KeptLog {
  readonly size: number;
  readonly root: Uint8Array;
  readonly signature: Uint8Array | null;
  readonly bytes: readonly Uint8Array[];
  readonly leaves: readonly LogLeaf[];
  /** Computed from the leaves. */
  readonly rootOfLeaves: Uint8Array;
}

export async function keptLog({ log: store }: Pick<Storage, 'log'>): Promise<KeptLog> {
  const { log } = (await store.newest()) ?? { log: 0 };
  const latest = await store.latest(log);
  if (!latest) throw new Error('There is no log.');
  const bytes: Uint8Array[] = [];
  for (let index = 0; bytes.length < latest.size; index += 1) {
    const bundle = await store.bundle(log, index);
    if (!bundle) throw new Error(`Of ${latest.size} leaves ${index * MOST_TILE_WIDTH} are stored.`);
    bytes.push(...leavesOfBundle(bundle));
  }
  return { ...latest, bytes, leaves: bytes.map(leafOf), rootOfLeaves: aTree(bytes).root };
}
