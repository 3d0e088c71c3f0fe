import { base64Of, equalBytes, hashOfBase64, numberOfDecimal } from '../encoding.ts';
import { Malformed } from '../malformed.ts';
import type { Sha256 } from '../tree/sha256.ts';
import { isConsistent, type TreeHead } from '../tree/verify-proof.ts';
import { checkpointOf, type LogCheckpoint } from './checkpoint.ts';
import type { Ed25519Verify } from './ed25519.ts';
import { noteOf, noteText, type SignedNote } from './note.ts';
import { checkSignatures } from './note-signatures.ts';
import type { VerifierKey } from './verifier-key.ts';

/** What a log asks of a witness: to cosign a checkpoint that follows one of `oldSize` (tlog-witness, "add-checkpoint"). */
export interface AddCheckpoint {
  readonly oldSize: number;
  /** The consistency proof from the old size. */
  readonly hashes: readonly Uint8Array[];
  readonly note: SignedNote;
}

const MOST_HASHES = 63;

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
