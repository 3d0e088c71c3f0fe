import { LOG } from '../../domain/limits.ts';
import type { StoredLog } from '../../domain/log/log-store.ts';
import { isOlder, type SeenTree } from '../../domain/log/notes/last-seen.ts';
import type { LogWitnesses } from '../../domain/log/notes/log-key.ts';
import type { NoteSigner } from '../../domain/log/notes/note-signatures.ts';
import type { LogPolicy } from '../../domain/log/notes/policy.ts';
import { type VerifierKey, vkeyText } from '../../domain/log/notes/verifier-key.ts';
import { LogChanged } from './append-batch.ts';
import { askWitnesses, refusingWitnesses, type WitnessPorts, type WitnessRound } from './ask-witnesses.ts';

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
    `There is no note of what was seen of ${log.origin}, and no quorum of witnesses confirms its ${latest.size} leaves: ` +
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
