import { LOG } from '../../domain/limits.ts';
import { countedLeaves } from '../../domain/log/leaves/leaf.ts';
import type { LogStore, StoredCheckpoint, StoredLog } from '../../domain/log/log-store.ts';
import { isOlder, type LastSeen, reasonToStop, type SeenTree, UnusableNote } from '../../domain/log/notes/last-seen.ts';
import type { LogWitnesses } from '../../domain/log/notes/log-key.ts';
import { type NoteSigner, type VerifierKey, vkeyText } from '../../domain/log/notes/note.ts';
import type { LogPolicy } from '../../domain/log/notes/policy.ts';
import { rootHash } from '../../domain/log/tree/tree.ts';
import type { Stores } from '../ports.ts';
import { sha256, sha256Hex } from '../sha256.ts';
import { assertRoot, edgeOf, LogChanged } from './append-batch.ts';
import { askWitnesses, refusingWitnesses, type WitnessPorts, type WitnessRound } from './ask-witnesses.ts';

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
export async function noteNewest(ports: NotePorts, log: StoredLog): Promise<StoredCheckpoint | null> {
  const { log: store, lastSeen } = ports;
  for (;;) {
    const seen = await lastSeen.read();
    const latest = await store.latest(log.log);
    if (!latest) return null;
    await assertSeen(store, log, seen, latest.size);
    if (latest.signature === null) assertRoot(latest, await edgeOf(store, log.log, latest.size));
    if (await lastSeen.replace(seen, await treeToNote(ports, log, latest, seen))) return latest;
  }
}

type NotePorts = Pick<Stores, 'log' | 'signatures'> & { readonly lastSeen: LastSeen };

/** Notes the newest tree, whatever was seen, so that no shorter and no other one is signed here later. */
export async function noteTree(ports: NotePorts, log: StoredLog): Promise<void> {
  const latest = await ports.log.latest(log.log);
  if (latest) await ports.lastSeen.write(await treeToNote(ports, log, latest, await readable(ports.lastSeen)));
}

/** Null for a damaged note, which is written again. */
async function readable(lastSeen: LastSeen): Promise<SeenTree | null> {
  try {
    return await lastSeen.read();
  } catch (error) {
    if (error instanceof UnusableNote) return null;
    throw error;
  }
}

/** The tree of a checkpoint, as it is noted: with every key that the storage or the note before it knows to have signed a log. */
export async function treeToNote(
  { log: store, signatures }: Pick<Stores, 'log' | 'signatures'>,
  { log, origin }: StoredLog,
  { size, root }: StoredCheckpoint,
  seen: SeenTree | null,
): Promise<SeenTree> {
  const keys = new Set(seen?.keys);
  for (const { log: number } of await store.logsOfTree(log)) {
    for (const { public_key } of await signatures.keys(number)) keys.add(sha256Hex(public_key));
  }
  return { log, origin, size, root, keys: [...keys] };
}

/** Whether a key was seen to sign a log, which the storage may lack. */
export function isNotedKey(seen: SeenTree | null, publicKey: Uint8Array): boolean {
  return seen?.keys?.includes(sha256Hex(publicKey)) ?? false;
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

type WitnessedPorts = WitnessPorts & { readonly witnesses: LogWitnesses | null };

/**
 * Asks witnesses before anything is signed, where that decides: after one of them refused a checkpoint; where the note is
 * older than the log, as another machine signed since; and where no note says what was seen of the log. In the last case a
 * quorum must confirm that the log has not lost leaves.
 * @param seen what was noted of it
 * @returns whether the log is guarded against that
 * @throws LogChanged while a witness refuses, or no quorum confirms
 */
export async function confirmLog(
  ports: WitnessedPorts,
  log: StoredLog,
  seen: SeenTree | null,
): Promise<'guarded' | 'unguarded'> {
  const { witnesses } = ports;
  const guard = seen === null ? 'unguarded' : 'guarded';
  const latest = witnesses && (await ports.log.signed(log.log));
  if (!witnesses || !latest) return guard;
  const { policy } = witnesses;
  const mustConfirm = seen === null && policy.quorum !== null;
  if (!isOlder(seen, log, latest.size) && (await refusingWitnesses(ports, policy, log)).length === 0) return guard;
  const round = await askWitnesses(ports, witnesses, log, latest, 0);
  assertNoRefusal(round, log);
  if (!mustConfirm) return guard;
  if (round.met) return 'guarded';
  throw new LogChanged(
    `There is no note of what was seen of ${log.origin}, and no quorum of witnesses confirms its ${countedLeaves(latest.size)}: ` +
      `${reasons(round)}. Nothing is signed until they do, or log-resume.`,
  );
}

/** Has the newest signed checkpoint cosigned; null where no policy is configured. @throws LogChanged */
export async function witnessLatest(ports: WitnessedPorts, log: StoredLog): Promise<WitnessRound | null> {
  const latest = ports.witnesses && (await ports.log.signed(log.log));
  if (!ports.witnesses || !latest) return null;
  const round = await askWitnesses(ports, ports.witnesses, log, latest, LOG.witnessAgain);
  assertNoRefusal(round, log);
  return round;
}

/** How long a checkpoint waits for a quorum before it is published without one. */
export function patienceOf({ witnesses }: Pick<WitnessedPorts, 'witnesses'>): number {
  return (witnesses?.policy.quorum ?? null) === null ? 0 : LOG.witnessPatience;
}

/** The reason why a policy cannot be that of a log; null for none: it must have a line with the key that signs. */
export function policyFault({ logs }: LogPolicy, { name, id, ...key }: VerifierKey): string | null {
  if (logs.some((each) => each.key.name === name && each.key.id === id)) return null;
  return `LOG_POLICY_FILE has no line with the key of this log: add "log ${vkeyText({ name, id, ...key })}".`;
}

/** @throws LogChanged */
export function assertPolicy({ witnesses }: Pick<WitnessedPorts, 'witnesses'>, signers: readonly NoteSigner[]): void {
  const [fault] = signers.flatMap(({ key }) => (witnesses && policyFault(witnesses.policy, key)) ?? []);
  if (fault) throw new LogChanged(`${fault} Nothing is signed until then.`);
}

function assertNoRefusal({ refusing, missing }: WitnessRound, { origin }: StoredLog): void {
  const [first] = refusing;
  if (first === undefined) return;
  throw new LogChanged(
    `The witness ${first} refuses ${origin}: ${missing.get(first)}. Nothing is signed until it cosigns, log-resume or log-new.`,
  );
}

function reasons({ missing }: WitnessRound): string {
  return [...missing].map(([name, reason]) => `${name}: ${reason}`).join(', ') || 'too few';
}
