import { base64Of, equalBytes, hashOfBase64, Malformed, numberOfDecimal } from '../encoding.ts';
import { isConsistent, type TreeHead } from '../tree/proof.ts';
import type { Sha256 } from '../tree/tree.ts';
import { checkSignatures, type Ed25519Verify, noteOf, noteText, type SignedNote, type VerifierKey } from './note.ts';
import { isQuorum, type LogPolicy } from './policy.ts';

const MOST_HASHES = 63;

/** What a log signs: its identity, its size and its root (tlog-checkpoint, "Note text"). */
interface LogCheckpoint extends TreeHead {
  readonly origin: string;
  /** Ours have none; those of other logs are signed with the rest. */
  readonly extensions: readonly string[];
}

/** The text of a checkpoint without extension lines, with its final newline. @throws Malformed for an impossible origin */
export function checkpointText({ origin, size, root }: Omit<LogCheckpoint, 'extensions'>): string {
  const text = `${origin}\n${size}\n${base64Of(root)}\n`;
  if (checkpointOf(text).origin !== origin) throw new Malformed(`${JSON.stringify(origin)} is not an origin.`);
  return text;
}

/** The checkpoint of a note's text. @throws Malformed */
export function checkpointOf(text: string): LogCheckpoint {
  if (!text.endsWith('\n')) throw new Malformed('The checkpoint does not end with a newline.');
  const lines = text.slice(0, -1).split('\n');
  const [origin = '', size = '', root = '', ...extensions] = lines;
  if (lines.length < 3 || lines.includes('')) {
    throw new Malformed('The checkpoint is not at least three lines that are not empty.');
  }
  return { origin, size: numberOfDecimal(size), root: hashOfBase64(root), extensions };
}

/** What a log asks of a witness: to cosign a checkpoint that follows one of `oldSize` (tlog-witness, "add-checkpoint"). */
export interface AddCheckpoint {
  readonly oldSize: number;
  /** The consistency proof from the old size. */
  readonly hashes: readonly Uint8Array[];
  readonly note: SignedNote;
}

/** The body of the request. */
export function addCheckpointText({ oldSize, hashes, note }: AddCheckpoint): string {
  return `old ${oldSize}\n${hashes.map((hash) => `${base64Of(hash)}\n`).join('')}\n${noteText(note)}`;
}

/** The request of a body, without any check of its proof and signatures. @throws Malformed */
export function addCheckpointOf(body: string): AddCheckpoint & { readonly checkpoint: LogCheckpoint } {
  const end = body.indexOf('\n\n');
  const [first = '', ...lines] = body.slice(0, Math.max(end, 0)).split('\n');
  if (!first.startsWith('old '))
    throw new Malformed('The request does not start with an old size, or has no empty line.');
  if (lines.length > MOST_HASHES) throw new Malformed(`The request has more than ${MOST_HASHES} hashes.`);
  const note = noteOf(body.slice(end + 2));
  const oldSize = numberOfDecimal(first.slice('old '.length));
  return { oldSize, hashes: lines.map(hashOfBase64), note, checkpoint: checkpointOf(note.text) };
}

/**
 * What a witness answers: 200 with its cosignature once the checkpoint is stored, 400 for an impossible old size, 403
 * without a valid signature of the log, 404 for an unknown log, 409 with the size that it cosigned last, 422 for a
 * checkpoint that does not follow that one.
 */
export type WitnessStatus = 200 | 400 | 403 | 404 | 409 | 422;

/**
 * Judges a request (tlog-witness, "add-checkpoint"). The caller reads `latest`, judges and stores the checkpoint as one
 * step, so that no other request comes between.
 * @param logKeys the keys that the witness knows for any log; the name of each is the origin of its log
 * @param latest what the witness cosigned last for this origin; null for nothing yet
 */
export async function judgeAddCheckpoint(
  { oldSize, hashes, note, checkpoint }: ReturnType<typeof addCheckpointOf>,
  logKeys: readonly VerifierKey[],
  latest: TreeHead | null,
  { verify, sha256 }: { readonly verify: Ed25519Verify; readonly sha256: Sha256 },
): Promise<WitnessStatus> {
  const keys = logKeys.filter(({ name }) => name === checkpoint.origin);
  if (keys.length === 0) return 404;
  const { valid, invalid } = await checkSignatures(note, keys, verify);
  if (valid.length === 0 || invalid.length > 0) return 403;
  if (oldSize > checkpoint.size) return 400;
  const before = latest ?? { size: 0, root: sha256() };
  if (oldSize !== before.size) return 409;
  if (checkpoint.size === 0 && !equalBytes(checkpoint.root, sha256())) return 422;
  return isConsistent(before, checkpoint, hashes, sha256) ? 200 : 422;
}

/** What the signatures of a checkpoint are worth under a policy. */
export interface CheckpointTrust {
  readonly checkpoint: LogCheckpoint;
  /** A key of the policy, for this origin, signed it. */
  readonly signed: boolean;
  readonly cosignatures: readonly WitnessTime[];
  /** Those cosignatures are a quorum. */
  readonly witnessed: boolean;
  /** When a quorum had cosigned it, in POSIX seconds; null without one, and where the policy names none. */
  readonly quorumAt: number | null;
  /** The names of known keys with a signature that does not verify: with one, nothing of the note counts. */
  readonly invalid: readonly string[];
}

/** When a witness of the policy saw the checkpoint: the latest of its valid cosignatures, in POSIX seconds. */
interface WitnessTime {
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
    quorumAt: signed ? quorumTime(policy, cosignatures) : null,
    invalid: [...log.invalid, ...invalid].map(({ name }) => name),
  };
}

/** One witness that is early is not enough where the quorum needs two: each time counts only with those before it. */
function quorumTime(policy: LogPolicy, cosignatures: readonly WitnessTime[]): number | null {
  if (policy.quorum === null) return null;
  const times = cosignatures.map(({ time }) => time).sort((a, b) => a - b);
  const seenAt = (time: number) =>
    new Set(cosignatures.filter((each) => each.time <= time).map(({ witness }) => witness));
  return times.find((time) => isQuorum(policy, seenAt(time))) ?? null;
}
