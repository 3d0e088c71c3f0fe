import { LOG } from '../../domain/limits.ts';
import { checkpointText } from '../../domain/log/checkpoint.ts';
import type { LogKey } from '../../domain/log/log-key.ts';
import type { LogStore, StoredCheckpoint, StoredLog } from '../../domain/log/log-store.ts';
import { signText } from '../../domain/log/note-signatures.ts';
import { ED25519, verifierKey } from '../../domain/log/verifier-key.ts';
import type { Millis } from '../../domain/time.ts';
import type { Ports } from '../ports.ts';
import { sha256 } from '../sha256.ts';
import { appendBatch, appendLeaves, assertRoot, edgeOf, LogChanged } from './append-batch.ts';

export interface LogPorts extends Pick<Ports, 'transaction' | 'canonicalJson' | 'clock' | 'log'> {
  /** Null where the log is off. */
  readonly logKey: LogKey | null;
}

export interface KeepLogOptions {
  /** Milliseconds; events of an interval are appended together, 5 s after its end. */
  readonly interval: Millis;
  readonly limit?: number;
}

/**
 * Starts the first log, appends everything that is ready, and signs each tree. Returns the number of leaves. Safe to run
 * in several processes, and to be killed at any line: a tree is signed only after the transaction that stored it.
 * @throws LogChanged
 */
export async function keepLog(ports: LogPorts, { interval, limit = LOG.batch }: KeepLogOptions): Promise<number> {
  const { logKey, log: store, clock } = ports;
  if (!logKey) return 0;
  const log = (await store.newest()) ?? (await startLog(ports, logKey));
  if (keyOf(logKey, log.origin).id !== log.key_id) {
    throw new LogChanged(`The log ${log.origin} is signed by the key ${log.key_id}, which is not the configured one.`);
  }
  const before = new Date(Math.floor(((await clock.now()).getTime() - LOG.settling) / interval) * interval);
  await signLatest(store, log, logKey);
  let total = 0;
  for (let leaves = limit; leaves === limit; total += leaves) {
    leaves = await appendBatch(ports, log, { before, limit });
    await signLatest(store, log, logKey);
  }
  return total;
}

/** Starts the first log; of two processes one does. */
async function startLog({ transaction }: Pick<Ports, 'transaction'>, logKey: LogKey): Promise<StoredLog> {
  return transaction(async ({ log: store }) => {
    await store.lock();
    return (await store.newest()) ?? addLog(store, logKey, 1, null);
  });
}

/** @param last of the log before it, hex */
async function addLog(store: LogStore, logKey: LogKey, log: number, last: string | null): Promise<StoredLog> {
  const origin = `${logKey.host}/log/${log}`;
  const started = { log, origin, key_id: keyOf(logKey, origin).id };
  await store.start(started);
  await appendLeaves(store, log, null, [{ leaf: { t: 'log', last, v: 1 }, event: null }]);
  return started;
}

/** Signs the newest tree if it is not. The same tree has the same signature, whoever signs it. */
async function signLatest(store: LogStore, log: StoredLog, logKey: LogKey): Promise<void> {
  const latest = await store.latest(log.log);
  if (!latest || latest.signature !== null) return;
  assertRoot(latest, await edgeOf(store, log.log, latest.size));
  await store.sign(log.log, latest.size, await signatureOf(log, latest, logKey));
}

async function signatureOf({ origin }: StoredLog, { size, root }: StoredCheckpoint, logKey: LogKey) {
  const text = checkpointText({ origin, size, root });
  return (await signText(text, { key: keyOf(logKey, origin), sign: logKey.sign })).signature;
}

function keyOf({ publicKey }: LogKey, origin: string) {
  return verifierKey(origin, ED25519, publicKey, sha256);
}
