import { LOG } from '../../domain/limits.ts';
import { equalBytes, hexOf } from '../../domain/log/encoding.ts';
import type { Continues, LogLeaf } from '../../domain/log/leaves/leaf.ts';
import type { LogStore, StoredCheckpoint, StoredLog } from '../../domain/log/log-store.ts';
import { isOlder, type SeenTree } from '../../domain/log/notes/last-seen.ts';
import type { LogKey, LogWriter } from '../../domain/log/notes/log-key.ts';
import type { NoteSigner } from '../../domain/log/notes/note.ts';
import type { Ports, Stores } from '../ports.ts';
import { sha256 } from '../sha256.ts';
import { appendBatch, appendLeaves, LogChanged } from './append-batch.ts';
import { stampLatest, type TimestampRound } from './ask-timestamps.ts';
import type { WitnessRound } from './ask-witnesses.ts';
import {
  assertPolicy,
  confirmLog,
  guardLog,
  isNotedKey,
  noteNewest,
  noteTree,
  patienceOf,
  treeToNote,
  witnessLatest,
} from './guard-log.ts';
import { logKeyOf, originOf, signersOf, storedKey } from './read-log.ts';
import { signatureOf } from './witness-checkpoint.ts';

/** What the sequencer works with. */
export type LogPorts = Pick<Ports, 'transaction' | 'canonicalJson' | 'clock' | 'log' | 'signatures'> &
  Partial<Pick<Ports, 'noteFault'>> &
  Omit<LogWriter, 'interval'>;

export interface KeepLogOptions extends Pick<LogWriter, 'interval'> {
  /** The most leaves of a batch. */
  readonly limit?: number;
  /** When this process last asked time-stamp authorities; null for never. */
  readonly stampedAt?: Date | null;
}

export interface LogProgress {
  /** Leaves that were appended. */
  readonly leaves: number;
  /** `unguarded`: there was a log before, and no note of it; see `guardLog`. */
  readonly guard: 'guarded' | 'unguarded';
  /** What witnesses say of the newest checkpoint; null where no policy is configured. */
  readonly witnessed: WitnessRound | null;
  /** What time-stamp authorities say of it; null where none was asked now. */
  readonly stamped: TimestampRound | null;
  /** When the next leaves can be appended; in the past: there are more now. */
  readonly next: Date;
}

/**
 * Starts the first log, appends everything that is ready, signs each tree, and has the last one cosigned. Safe to run in
 * several processes, and to be killed at any line: a tree is signed after the transaction that stored it, what was seen is
 * noted before that, and witnesses are asked after the signature is stored.
 * @throws LogChanged when the stored log is not the one that was signed, or witnesses know another; nothing is signed then
 */
export async function keepLog(
  ports: LogPorts,
  { interval, limit = LOG.batch, stampedAt = null }: KeepLogOptions,
): Promise<LogProgress> {
  const { log: store, clock } = ports;
  const existing = await store.newest();
  const log = existing ?? (await startLog(ports));
  const signers = await signersOf(ports, log);
  assertPolicy(ports, signers);
  const compared = await confirmLog(ports, log, await guardLog(store, ports.lastSeen, log));
  await signLatest(ports, log, signers);
  const before = new Date(Math.floor(((await clock.now()).getTime() - LOG.settling) / interval) * interval);
  let total = 0;
  let more = true;
  for (let i = 0; more && i < MOST_BATCHES; i += 1) {
    const leaves = await appendBatch(ports, log, { before, limit });
    await signLatest(ports, log, signers);
    total += leaves;
    more = leaves >= limit;
  }
  const witnessed = await witnessLatest(ports, log);
  const stamped = ports.timestamps && (await stampLatest(ports, ports.timestamps, log, stampedAt));
  const guard = existing ? compared : 'guarded';
  return {
    leaves: total,
    guard,
    witnessed,
    stamped,
    next: more ? before : new Date(before.getTime() + interval + LOG.settling),
  };
}

/** Small enough that a sweep ends in time: an import has millions of leaves. */
const MOST_BATCHES = 20;

/** Starts the first log; of two processes one does. */
function startLog({ transaction, logKey }: Pick<LogPorts, 'transaction' | 'logKey'>): Promise<StoredLog> {
  return transaction(async (stores) => {
    await stores.log.lock();
    return (await stores.log.newest()) ?? addLog(stores, logKey, { log: 1, continued: null, latest: null }, FIRST);
  });
}

const FIRST = { t: 'log', last: null, v: 1 } as const;

/** A log that goes on with the stored leaves of another one. */
export interface NextLog extends StoredLog {
  /** How many leaves it goes on with. */
  readonly kept: number;
  /** The tree of the log before it that others can have seen. */
  readonly seen: Pick<Continues, 'of' | 'size'>;
}

/** The configured key of the log signed one already: it needs another one. */
export class KeyUsed extends Error {
  override readonly name = 'KeyUsed';
}

/**
 * Ends the newest log and starts the next one, which goes on with its stored leaves; null while there is no log to follow. For a
 * log that cannot go on, because its storage lost leaves that others have seen, or its key is lost or stolen. Its first own leaf
 * says which tree was signed before, or about to be. Its number is larger than that of any log that was seen: a restored database
 * may lack whole logs.
 * @param actor whom an entry of the audit log names, written with the log; null for no entry
 * @throws KeyUsed for a key that signed a log which shares the leaves, or one that was seen here: a policy cannot name a key twice
 * @throws LogChanged when the stored nodes do not have the root of the newest checkpoint
 */
export async function startNextLog(ports: LogPorts, actor: string | null = null): Promise<NextLog | null> {
  const seen = await ports.lastSeen.read();
  const next = await ports.transaction(async (stores) => {
    await stores.log.lock();
    const ended = await stores.log.newest();
    if (!ended) return null;
    await assertNewKey(stores, ports.logKey, { ended, seen });
    const latest = await stores.log.latest(ended.log);
    if (!latest) throw new LogChanged(`${ended.origin} has no checkpoint, so no log can go on with its leaves.`);
    const place = { log: Math.max(ended.log, seen?.log ?? 0) + 1, continued: ended.log, latest };
    const leaf = await continuesLeaf(stores.log, ended, seen);
    const started = { ...(await addLog(stores, ports.logKey, place, leaf)), kept: latest.size, seen: leaf };
    const detail = { log: started.log, kept: started.kept, seen: leaf.size };
    if (actor !== null) await stores.audit.append({ actor, action: 'log_new', subject: started.origin, detail });
    return started;
  });
  if (next) await noteTree(ports, next);
  return next;
}

async function assertNewKey(
  { log: store, signatures }: Pick<Stores, 'log' | 'signatures'>,
  { publicKey }: LogKey,
  { ended, seen }: { readonly ended: StoredLog; readonly seen: SeenTree | null },
): Promise<void> {
  for (const { log, origin } of await store.logsOfTree(ended.log)) {
    const used = (await signatures.keys(log)).some(({ public_key }) => equalBytes(public_key, publicKey));
    if (used && log === ended.log && (await store.signed(log)) === null) {
      throw new KeyUsed(`${origin} was started with the configured key, and is not signed yet: restart the worker.`);
    }
    if (used) throw keyUsed(`${origin} already`);
  }
  if (isNotedKey(seen, publicKey)) {
    throw keyUsed(`a log that LOG_LAST_SEEN has seen and this database lacks (the newest seen is ${seen?.origin})`);
  }
}

function keyUsed(signed: string): KeyUsed {
  return new KeyUsed(
    `The configured key signed ${signed}, and a policy cannot name a key twice. Make one (openssl genpkey ` +
      '-algorithm ed25519 -out log-key-2.pem && chmod 600 log-key-2.pem), set LOG_KEY_FILE to it, and run log-new again.',
  );
}

/** The largest tree that others can have seen: one that was signed, or noted right before that. */
async function continuesLeaf(
  store: Pick<LogStore, 'signed'>,
  { log, origin }: StoredLog,
  seen: SeenTree | null,
): Promise<Continues> {
  const signed = await store.signed(log);
  const isNoted = seen !== null && (seen.log > log || (seen.origin === origin && seen.size >= (signed?.size ?? 0)));
  const { size, root } = (isNoted ? seen : signed) ?? { size: 0, root: sha256() };
  return { t: 'continues', of: isNoted ? seen.origin : origin, root: hexOf(root), size, v: 1 };
}

/**
 * Lets the newest log go on as it is stored, whatever was seen of it; null while there is none. A witness that refuses the
 * next checkpoint as well stops it again.
 */
export async function resumeLog(ports: Pick<LogPorts, 'log' | 'signatures' | 'lastSeen'>) {
  const { log: store, signatures } = ports;
  const log = await store.newest();
  if (!log) return null;
  await noteTree(ports, log);
  for (const report of await signatures.reports(log.log)) {
    if (report.refused) await signatures.report(log.log, { ...report, refused: false });
  }
  return log;
}

interface LogPlace {
  readonly log: number;
  /** The log with whose leaves it goes on; null for the first one. */
  readonly continued: number | null;
  /** The newest checkpoint of that one. */
  readonly latest: StoredCheckpoint | null;
}

async function addLog(
  { log: store, signatures }: Pick<Stores, 'log' | 'signatures'>,
  logKey: LogKey,
  { log, continued, latest }: LogPlace,
  leaf: LogLeaf,
): Promise<StoredLog> {
  const origin = originOf(logKey, log);
  const key = logKeyOf(logKey, origin);
  const started = { log, origin, key_id: key.id };
  await store.start(started, continued);
  await signatures.addKey(log, storedKey(key));
  await appendLeaves(store, log, latest, [{ leaf, event: null }]);
  return started;
}

/** Signs the newest tree by each key that has not. The same tree has the same signature, whichever process signs it. */
async function signLatest(ports: LogPorts, log: StoredLog, signers: readonly NoteSigner[]): Promise<void> {
  const latest = await noteNewest(ports, log);
  const [first] = signers;
  if (!latest || !first) return;
  if (latest.signature === null && !(await sign(ports, log, latest, first))) return;
  const own = latest.signature === null ? first.key.id : (latest.key_id ?? log.key_id);
  const further = signers.filter(({ key }) => key.id !== own);
  if (further.length > 0) await signFurther(ports, log, latest, further);
}

/** Signs a tree that is still stored, of a log that has not ended; returns whether it is. */
function sign(ports: LogPorts, log: StoredLog, { size, root }: StoredCheckpoint, signer: NoteSigner): Promise<boolean> {
  return ports.transaction(async ({ log: store }) => {
    await store.lock();
    const [newest, latest] = [await store.newest(), await store.latest(log.log)];
    const isNewest = newest?.log === log.log && latest?.size === size && equalBytes(latest.root, root);
    if (isNewest) await store.sign(log.log, size, await signatureOf(log, latest, signer), patienceOf(ports));
    return isNewest;
  });
}

/** A worker that was not restarted yet may have signed by the older key alone. */
async function signFurther(
  { signatures }: LogPorts,
  log: StoredLog,
  latest: StoredCheckpoint,
  signers: readonly NoteSigner[],
): Promise<void> {
  const has = await signatures.signatures(log.log, latest.size);
  for (const signer of signers.filter(({ key }) => has.every(({ id }) => id !== key.id))) {
    await signatures.addSignature(log.log, latest.size, await signatureOf(log, latest, signer));
  }
}

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
  const compared = await confirmLog(ports, log, seen);
  // A log that its first run has started, and has not signed yet, has lost nothing that a note could say was seen.
  const guard = seen === null && signed === null ? 'guarded' : compared;
  // Another process that replaced the note in between has compared it; the next run does it again.
  if (signed && isOlder(seen, log, signed.size))
    await lastSeen.replace(seen, await treeToNote(ports, log, signed, seen));
  return { guard };
}
