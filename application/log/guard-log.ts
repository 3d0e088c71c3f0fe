import type { LogStore, StoredCheckpoint, StoredLog } from '../../domain/log/log-store.ts';
import { type LastSeen, reasonToStop, type SeenTree } from '../../domain/log/notes/last-seen.ts';
import { rootHash } from '../../domain/log/tree/tree.ts';
import { sha256 } from '../sha256.ts';
import { assertRoot, edgeOf, LogChanged } from './append-batch.ts';

type ReadStore = Pick<LogStore, 'latest' | 'tiles'>;

/**
 * Compares the stored log with what was seen of it, which is returned. Null: nothing was noted, so that a log which was
 * restored from a backup would not be noticed.
 * @throws LogChanged when it is shorter than what was seen, or differs from it
 */
export async function guardLog(store: ReadStore, lastSeen: LastSeen, log: StoredLog): Promise<SeenTree | null> {
  // Read first: the log only grows in the meantime.
  const seen = await lastSeen.read();
  await assertSeen(store, log, seen, (await store.latest(log.log))?.size ?? 0);
  return seen;
}

/**
 * Compares the newest tree with what was seen and notes it, right before it is signed: another database may have been
 * promoted since the last comparison, and of a log and its copy on one machine one alone replaces the note.
 * @throws LogChanged as `guardLog`, and when the stored nodes do not have the root of a tree that is not signed
 */
export async function noteNewest(
  store: ReadStore,
  lastSeen: LastSeen,
  log: StoredLog,
): Promise<StoredCheckpoint | null> {
  for (;;) {
    const seen = await lastSeen.read();
    const latest = await store.latest(log.log);
    if (!latest) return null;
    await assertSeen(store, log, seen, latest.size);
    if (latest.signature === null) assertRoot(latest, await edgeOf(store, log.log, latest.size));
    if (await lastSeen.replace(seen, treeOf(log, latest))) return latest;
  }
}

/** Notes the newest tree, whatever was seen, so that no shorter and no other one is signed here later. */
export async function noteTree(store: Pick<LogStore, 'latest'>, lastSeen: LastSeen, log: StoredLog): Promise<void> {
  const latest = await store.latest(log.log);
  if (latest) await lastSeen.write(treeOf(log, latest));
}

/** The tree of a checkpoint, as it is noted. */
export function treeOf({ log, origin }: StoredLog, { size, root }: StoredCheckpoint): SeenTree {
  return { log, origin, size, root };
}

/** @throws LogChanged */
async function assertSeen(store: ReadStore, log: StoredLog, seen: SeenTree | null, size: number): Promise<void> {
  const earlier = seen?.origin === log.origin && seen.size <= size ? seen.size : 0;
  const hashOf = await edgeOf(store, log.log, earlier);
  const reason = reasonToStop(seen, log, size, () => rootHash(earlier, hashOf, sha256));
  if (reason !== null) {
    throw new LogChanged(`The log is not what it was: ${reason}. Nothing is signed until log-resume or log-new.`);
  }
}
