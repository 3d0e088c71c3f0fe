import { isOlder } from '../../domain/log/last-seen.ts';
import { guardLog, treeOf } from './guard-log.ts';
import type { LogPorts, LogProgress } from './keep-log.ts';
import { confirmLog } from './witness-log.ts';

/**
 * Makes the comparisons that precede a signature, and notes the newest signed tree if the note is older: so a worker knows
 * what the others signed before its own turn comes. Null while there is no log.
 * @throws LogChanged as `keepLog`; nothing is noted then
 */
export async function noteLog(
  ports: Pick<LogPorts, 'transaction' | 'clock' | 'log' | 'signatures' | 'witnesses' | 'lastSeen'>,
): Promise<Pick<LogProgress, 'guard'> | null> {
  const { log: store, lastSeen } = ports;
  const log = await store.newest();
  if (!log) return null;
  // Read before the comparison: if another database is promoted in between, its trees do not become the note.
  const signed = await store.signed(log.log);
  const seen = await guardLog(store, lastSeen, log);
  const guard = await confirmLog(ports, log, seen);
  // Another process that replaced the note in between has compared it; the next run does it again.
  if (signed && isOlder(seen, log, signed.size)) await lastSeen.replace(seen, treeOf(log, signed));
  return { guard };
}
