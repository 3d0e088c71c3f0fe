import { LOG } from '../../domain/limits.ts';
import { hexOf, utf8 } from '../../domain/log/encoding.ts';
import type { LogKey, LogWriter } from '../../domain/log/log-key.ts';
import type { LogStore, StoredLog } from '../../domain/log/log-store.ts';
import { noteText } from '../../domain/log/note.ts';
import type { Ports } from '../ports.ts';
import { sha256 } from '../sha256.ts';
import { appendBatch, appendLeaves, assertRoot, edgeOf, LogChanged } from './append-batch.ts';
import { guardLog, noteTree } from './guard-log.ts';
import { logKeyOf, signatureOf, signedCheckpoint } from './signed-checkpoint.ts';

/** What the sequencer works with. */
export type LogPorts = Pick<Ports, 'transaction' | 'canonicalJson' | 'clock' | 'log'> &
  Pick<LogWriter, 'logKey' | 'lastSeen'>;

export interface KeepLogOptions extends Pick<LogWriter, 'interval'> {
  /** The most leaves of a batch. */
  readonly limit?: number;
}

export interface LogProgress {
  /** Leaves that were appended. */
  readonly leaves: number;
  /** `unguarded`: there was a log before, and no note of it; see `guardLog`. */
  readonly guard: 'guarded' | 'unguarded';
  /** When the next leaves can be appended; in the past: there are more now. */
  readonly next: Date;
}

/**
 * Starts the first log, appends everything that is ready, and signs each tree. Safe to run in several processes, and to be
 * killed at any line: a tree is signed after the transaction that stored it, and what was seen is noted before that.
 * @throws LogChanged when the stored log is not the one that was signed; nothing is signed then
 */
export async function keepLog(ports: LogPorts, { interval, limit = LOG.batch }: KeepLogOptions): Promise<LogProgress> {
  const { log: store, clock } = ports;
  const existing = await store.newest();
  const log = existing ?? (await startLog(ports));
  assertKey(ports, log);
  const compared = await guardLog(store, ports.lastSeen, log);
  await signLatest(ports, log);
  const before = new Date(Math.floor(((await clock.now()).getTime() - LOG.settling) / interval) * interval);
  let total = 0;
  let more = true;
  for (let i = 0; more && i < MOST_BATCHES; i += 1) {
    const leaves = await appendBatch(ports, log, { before, limit });
    await signLatest(ports, log);
    total += leaves;
    more = leaves >= limit;
  }
  const guard = existing ? compared : 'guarded';
  return { leaves: total, guard, next: more ? before : new Date(before.getTime() + interval + LOG.settling) };
}

/** Small enough that a sweep ends in time: an import has millions of leaves. */
const MOST_BATCHES = 20;

function assertKey({ logKey }: Pick<LogPorts, 'logKey'>, { origin, key_id }: StoredLog): void {
  const { id } = logKeyOf(logKey, origin);
  if (id !== key_id) throw new LogChanged(`The key ${key_id} signs the log ${origin}; the configured one is ${id}.`);
}

/** Starts the first log; of two processes one does. */
function startLog({ transaction, logKey }: Pick<LogPorts, 'transaction' | 'logKey'>): Promise<StoredLog> {
  return transaction(async ({ log: store }) => {
    await store.lock();
    return (await store.newest()) ?? addLog(store, logKey, 1, null);
  });
}

/**
 * Ends the newest log and starts the next one, which imports all decisions; null while there is no log to follow. For a log
 * that cannot go on, because its storage lost leaves that others have seen.
 */
export async function startNextLog(ports: LogPorts): Promise<StoredLog | null> {
  const next = await ports.transaction(async ({ log: store }) => {
    await store.lock();
    const ended = await store.newest();
    const last = ended && (await store.published(ended.log));
    if (!ended) return null;
    const note = last && signedCheckpoint(ended, last);
    return addLog(store, ports.logKey, ended.log + 1, note && hexOf(sha256(utf8(noteText(note)))));
  });
  if (next) await noteTree(ports.log, ports.lastSeen, next);
  return next;
}

/** Lets the newest log go on as it is stored, whatever was seen of it; null while there is none. */
export async function resumeLog({ log: store, lastSeen }: Pick<LogPorts, 'log' | 'lastSeen'>) {
  const log = await store.newest();
  if (log) await noteTree(store, lastSeen, log);
  return log;
}

/** @param last SHA-256 of the last checkpoint of the log before it, hex */
async function addLog(store: LogStore, logKey: LogKey, log: number, last: string | null): Promise<StoredLog> {
  const origin = `${logKey.host}/log/${log}`;
  const started = { log, origin, key_id: logKeyOf(logKey, origin).id };
  await store.start(started);
  await appendLeaves(store, log, null, [{ leaf: { t: 'log', last, v: 1 }, event: null }]);
  return started;
}

/** Signs the newest tree if it is not. The same tree has the same signature, whoever signs it. */
async function signLatest({ log: store, logKey, lastSeen }: LogPorts, log: StoredLog): Promise<void> {
  const latest = await store.latest(log.log);
  if (!latest) return;
  if (latest.signature === null) assertRoot(latest, await edgeOf(store, log.log, latest.size));
  await noteTree(store, lastSeen, log);
  if (latest.signature === null) await store.sign(log.log, latest.size, await signatureOf(log, latest, logKey));
}
