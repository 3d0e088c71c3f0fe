import { isOlder } from '../../domain/log/notes/last-seen.ts';
import { guardLog, treeOf } from './guard-log.ts';
import type { LogPorts, LogProgress } from './keep-log.ts';
import { confirmLog } from './witness-log.ts';

export interface NotedLog extends Pick<LogProgress, 'guard'> {
  /** Others signed a tree since the last comparison. */
  readonly hasGrown: boolean;
}

/**
 * Makes the comparisons that precede a signature, and notes the newest signed tree if the note is older: so a worker knows
 * what the others signed before its own turn comes. Null while there is no log.
 * @throws LogChanged as `keepLog`; nothing is noted then
 */
export async function noteLog(
  ports: Pick<LogPorts, 'transaction' | 'clock' | 'log' | 'signatures' | 'witnesses' | 'lastSeen'>,
): Promise<NotedLog | null> {
  const { log: store, lastSeen } = ports;
  const log = await store.newest();
  if (!log) return null;
  // Read before the comparison: if another database is promoted in between, its trees do not become the note.
  const signed = await store.signed(log.log);
  const seen = await guardLog(store, lastSeen, log);
  const guard = await confirmLog(ports, log, seen);
  // Another process that replaced the note in between has compared it; the next run does it again.
  const hasGrown = signed !== null && isOlder(seen, log, signed.size);
  if (hasGrown) await lastSeen.replace(seen, treeOf(log, signed));
  return { guard, hasGrown };
}
