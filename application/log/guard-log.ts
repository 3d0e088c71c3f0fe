import { type LastSeen, reasonToStop } from '../../domain/log/last-seen.ts';
import type { LogStore, StoredLog } from '../../domain/log/log-store.ts';
import { rootHash } from '../../domain/log/tree.ts';
import { sha256 } from '../sha256.ts';
import { edgeOf, LogChanged } from './append-batch.ts';

/**
 * Compares the stored log with what was seen of it. `unguarded`: nothing was noted, so that a log which was restored from a
 * backup would not be noticed.
 * @throws LogChanged when it is shorter than what was seen, or differs from it
 */
export async function guardLog(
  store: Pick<LogStore, 'latest' | 'tiles'>,
  lastSeen: LastSeen,
  log: StoredLog,
): Promise<'guarded' | 'unguarded'> {
  // Read first: the log only grows in the meantime.
  const seen = await lastSeen.read();
  const size = (await store.latest(log.log))?.size ?? 0;
  const earlier = seen?.origin === log.origin && seen.size <= size ? seen.size : 0;
  const hashOf = await edgeOf(store, log.log, earlier);
  const reason = reasonToStop(seen, log, size, () => rootHash(earlier, hashOf, sha256));
  if (reason !== null) {
    throw new LogChanged(`The log is not what it was: ${reason}. Nothing is signed until log-resume or log-new.`);
  }
  return seen === null ? 'unguarded' : 'guarded';
}

/** Notes the newest tree, so that no shorter and no other one is signed here later. */
export async function noteTree(
  store: Pick<LogStore, 'latest'>,
  lastSeen: LastSeen,
  { log, origin }: StoredLog,
): Promise<void> {
  const latest = await store.latest(log);
  if (latest) await lastSeen.write({ log, origin, size: latest.size, root: latest.root });
}
