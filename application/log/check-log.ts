import { hexOf, utf8 } from '../../domain/log/encoding.ts';
import type { LogStore, StoredLog } from '../../domain/log/log-store.ts';
import type { LogWitnesses, LogWriter, SigningKey } from '../../domain/log/notes/log-key.ts';
import { noteText, type VerifierKey } from '../../domain/log/notes/note.ts';
import { sha256 } from '../sha256.ts';
import { LogChanged } from './append-batch.ts';
import { guardLog } from './guard-log.ts';
import { placeFaults } from './leaf-faults.ts';
import { type LeafReading, type LogCheckPorts, leafReading, type NoteFaults } from './read-leaves.ts';
import { logKeyOf } from './read-log.ts';
import { signedCheckpoint } from './witness-checkpoint.ts';

/** What was checked of a log. */
export interface CheckedLog {
  readonly origin: string;
  readonly leaves: number;
  /** False where the key that started the log is not known here. */
  readonly signatures: boolean;
}

/** The keys of the logs, and what was seen of them; null in a process that has neither. */
export interface LogGuard extends Pick<LogWriter, 'lastSeen'> {
  readonly logKey: Pick<SigningKey, 'publicKey'>;
  readonly previousKey: Pick<SigningKey, 'publicKey'> | null;
  readonly witnesses: Pick<LogWitnesses, 'policy'> | null;
}

/**
 * Checks every log from its first leaf on, those that share leaves together: the rules of leaves, the tree, its tiles,
 * checkpoints and signatures, and each leaf against the decision, the grade or the head of the audit log that it is about. Of
 * the newest log also that every decision has its leaves, or pending events, and the state that they lead to. The log may grow
 * meanwhile.
 */
export async function checkLog(
  ports: LogCheckPorts,
  known: LogGuard | null,
  note: NoteFaults,
): Promise<readonly CheckedLog[]> {
  const newest = (await ports.logEvidence.logs()).at(-1);
  const checked: CheckedLog[] = [];
  for (const { log } of await ports.logEvidence.logs()) {
    const logs = await ports.log.logsOfTree(log);
    if (logs[0]?.log === log) checked.push(...(await checkTree(ports, logs, { known, newest }, note)));
  }
  if (known && newest) note(newest.origin, await seenFaults(ports, known, newest));
  return checked;
}

interface Known {
  readonly known: LogGuard | null;
  readonly newest: StoredLog | undefined;
}

/** @param logs that share their leaves, the oldest first */
async function checkTree(
  ports: LogCheckPorts,
  logs: readonly StoredLog[],
  { known, newest }: Known,
  note: NoteFaults,
): Promise<readonly CheckedLog[]> {
  const sizes = await Promise.all(logs.map(async ({ log }) => (await ports.log.latest(log))?.size ?? 0));
  const parts = logs.map((log, n) => ({ log, until: sizes[n + 1] === undefined ? null : (sizes[n] ?? 0) }));
  const reading = leafReading(ports, parts, (log) => keysOf(known, log), note);
  await reading.readTo(Math.max(...sizes));
  const last = logs.at(-1);
  if (last && last.log === newest?.log) {
    await checkPlaces(ports, last, reading, note);
    await checkPlans(ports, last, note);
  }
  const [first] = logs;
  if (first) note(`leaf 0 of ${first.origin}`, await lastFaults(ports, first, reading));
  for (const log of logs) {
    noteHeads(log, reading, await ports.log.heads(), note);
    noteDatasets(log, reading, await ports.log.datasets(), note);
    noteNames(log, reading, await ports.log.names(), note);
  }
  return logs.map((log, n) => ({
    origin: log.origin,
    leaves: log === last ? reading.size() : (sizes[n] ?? 0),
    signatures: keysOf(known, log).some(({ id }) => id === log.key_id),
  }));
}

/** Those of the log that are configured, or named by the policy, and of the witnesses that are configured now. */
function keysOf(known: LogGuard | null, { origin }: StoredLog): readonly VerifierKey[] {
  if (known === null) return [];
  const { logs = [], witnesses = [] } = known.witnesses?.policy ?? {};
  const own = [known.logKey, ...(known.previousKey ? [known.previousKey] : [])].map((key) => logKeyOf(key, origin));
  const named = [...logs.filter(({ key }) => key.name === origin), ...witnesses].map(({ key }) => key);
  return [...own, ...named.filter(({ name, id }) => own.every((key) => key.name !== name || key.id !== id))];
}

const PAGE = 1_000;

/** The leaves are read up to the size that a page of decisions belongs to, so what was appended meanwhile is no fault. */
async function checkPlaces(
  { logEvidence }: LogCheckPorts,
  { log }: StoredLog,
  reading: LeafReading,
  note: NoteFaults,
): Promise<void> {
  for (let after: string | null = null; ; ) {
    const { size, places } = await logEvidence.placesAfter(log, after, PAGE);
    await reading.readTo(size);
    // The leaves that are not stored are reported.
    if (reading.size() < size) return;
    for (const place of places) {
      note(place.record_id, placeFaults(place, place.index === null ? null : reading.stateOf(place.index)));
    }
    const last = places.at(-1);
    if (last === undefined) return;
    after = last.record_id;
  }
}

async function checkPlans({ logEvidence }: LogCheckPorts, { log }: StoredLog, note: NoteFaults): Promise<void> {
  for (const plan_id of await logEvidence.lostPlans(log, PAGE)) {
    note(`plan ${plan_id}`, ['it has no leaf, and none is pending']);
  }
}

async function lastFaults({ log: store }: LogCheckPorts, { log }: StoredLog, { size, last }: LeafReading) {
  const expected = log === 1 ? null : await lastCheckpoint(store, log - 1);
  return size() === 0 || last() === expected ? [] : ['it does not name the last checkpoint of the log before'];
}

/** SHA-256, hex, of the last checkpoint that was signed up to a log: a log that ended unsigned has none. */
async function lastCheckpoint(store: Pick<LogStore, 'find' | 'signed'>, log: number): Promise<string | null> {
  const [stored, last] = [await store.find(log), await store.signed(log)];
  const note = stored && last && signedCheckpoint(stored, last);
  if (note) return hexOf(sha256(utf8(noteText(note))));
  return log <= 1 ? null : lastCheckpoint(store, log - 1);
}

/** Heads of the audit log whose leaf is another one. Those that were logged during the check are not among them. */
function noteHeads(
  { log, origin }: StoredLog,
  { size, isHead }: LeafReading,
  heads: Awaited<ReturnType<LogStore['heads']>>,
  note: NoteFaults,
): void {
  for (const { index, day } of heads.filter((head) => head.log === log && head.index < size() && !isHead(head.index))) {
    note(`leaf ${index} of ${origin}`, [`it is not that of the head of the audit log of ${day}`]);
  }
}

/** Public snapshots whose leaf is another one, as for heads. */
function noteDatasets(
  { log, origin }: StoredLog,
  { size, isDataset }: LeafReading,
  datasets: Awaited<ReturnType<LogStore['datasets']>>,
  note: NoteFaults,
): void {
  const read = datasets.filter((each) => each.log === log && each.index < size() && !isDataset(each.index));
  for (const { index, month } of read)
    note(`leaf ${index} of ${origin}`, [`it is not that of the public snapshot of ${month}`]);
}

/** Statements about names whose leaf is another one. */
function noteNames(
  { log, origin }: StoredLog,
  { size, isNames }: LeafReading,
  names: Awaited<ReturnType<LogStore['names']>>,
  note: NoteFaults,
): void {
  const read = names.filter((each) => each.log === log && each.index < size() && !isNames(each.index));
  for (const { index, learned_at } of read)
    note(`leaf ${index} of ${origin}`, [`it is not that of the statements about names of ${learned_at}`]);
}

async function seenFaults({ log: store }: LogCheckPorts, { lastSeen }: LogGuard, log: StoredLog) {
  try {
    await guardLog(store, lastSeen, log);
    return [];
  } catch (error) {
    if (error instanceof LogChanged) return [error.message];
    throw error;
  }
}
