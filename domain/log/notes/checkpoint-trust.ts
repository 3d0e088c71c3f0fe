import { checkpointOf, type LogCheckpoint } from './checkpoint.ts';
import type { Ed25519Verify } from './ed25519.ts';
import type { SignedNote } from './note.ts';
import { checkSignatures } from './note-signatures.ts';
import { isQuorum, type LogPolicy } from './policy.ts';

/** What the signatures of a checkpoint are worth under a policy. */
export interface CheckpointTrust {
  readonly checkpoint: LogCheckpoint;
  /** A key of the policy, for this origin, signed it. */
  readonly signed: boolean;
  readonly cosignatures: readonly WitnessTime[];
  /** Those cosignatures are a quorum. */
  readonly witnessed: boolean;
  /** The names of known keys with a signature that does not verify: with one, nothing of the note counts. */
  readonly invalid: readonly string[];
}

/** When a witness of the policy saw the checkpoint: the latest of its valid cosignatures, in POSIX seconds. */
export interface WitnessTime {
  readonly witness: string;
  readonly time: number;
}

/**
 * Judges a checkpoint by a policy (tlog-proof, "Verifying a tlog proof", steps 2 and 3). @throws Malformed for a text
 * that is no checkpoint
 */
export async function judgeCheckpoint(
  note: SignedNote,
  policy: LogPolicy,
  verify: Ed25519Verify,
): Promise<CheckpointTrust> {
  const checkpoint = checkpointOf(note.text);
  const logKeys = policy.logs.map(({ key }) => key).filter(({ name }) => name === checkpoint.origin);
  const log = await checkSignatures(note, logKeys, verify);
  const witnessKeys = policy.witnesses.map(({ key }) => key);
  const { valid, invalid } = await checkSignatures(note, witnessKeys, verify);
  const isRejected = log.invalid.length + invalid.length > 0;
  const cosignatures = policy.witnesses.flatMap(({ name: witness, key }) => {
    const times = valid.filter((each) => each.key === key).map(({ time }) => time ?? 0);
    return times.length === 0 || isRejected ? [] : [{ witness, time: Math.max(...times) }];
  });
  const signed = log.valid.length > 0 && !isRejected;
  return {
    checkpoint,
    signed,
    cosignatures,
    witnessed: signed && isQuorum(policy, new Set(cosignatures.map(({ witness }) => witness))),
    invalid: [...log.invalid, ...invalid].map(({ name }) => name),
  };
}
