import { equalBytes } from '../../domain/log/encoding.ts';
import { type addCheckpointOf, judgeAddCheckpoint, type WitnessStatus } from '../../domain/log/notes/add-checkpoint.ts';
import { checkpointOf } from '../../domain/log/notes/checkpoint.ts';
import { type NoteSignature, noteOf, noteText, type SignedNote } from '../../domain/log/notes/note.ts';
import { checkSignatures, cosign, type NoteSigner } from '../../domain/log/notes/note-signatures.ts';
import type { VerifierKey } from '../../domain/log/notes/verifier-key.ts';
import { ed25519Verify } from '../ed25519.ts';
import { sha256 } from '../sha256.ts';

/** The latest checkpoint of each log that a witness cosigned, as a signed note. */
export interface CosignedCheckpoints {
  /** Null for a log that the witness never cosigned. */
  latest(origin: string): string | null;
  /**
   * Stores `next` if `before` is still the latest, as one step that survives a crash of the machine; returns whether it
   * did.
   */
  replace(origin: string, before: string | null, next: string): boolean;
}

/** What a witness answers with. */
export interface Witnessing {
  /** Of every known log; the name of each is the origin. */
  readonly logKeys: readonly VerifierKey[];
  readonly signer: NoteSigner;
  readonly checkpoints: CosignedCheckpoints;
  /** POSIX seconds. */
  now(): number;
}

/** The answer to a request. `fork` is a checkpoint that the log signed at a size where it had signed another root. */
export type WitnessAnswer =
  | { readonly status: 200; readonly cosignature: NoteSignature }
  | { readonly status: 409; readonly size: number }
  | { readonly status: 422; readonly fork: string | null }
  | { readonly status: Exclude<WitnessStatus, 200 | 409 | 422> };

/**
 * Answers a log that asks for a cosignature (tlog-witness, "add-checkpoint"). The cosignature is returned after its
 * checkpoint is stored. Concurrent requests for one log are judged one after the other: a request that finds another
 * checkpoint stored since its start is judged again.
 */
export async function witnessCheckpoint(
  request: ReturnType<typeof addCheckpointOf>,
  witnessing: Witnessing,
): Promise<WitnessAnswer> {
  const { checkpoint, note } = request;
  const { logKeys, signer, checkpoints, now } = witnessing;
  for (;;) {
    const before = checkpoints.latest(checkpoint.origin);
    const latest = before === null ? null : checkpointOf(noteOf(before).text);
    const status = await judgeAddCheckpoint(request, logKeys, latest, { verify: ed25519Verify, sha256 });
    if (status === 409) return { status, size: latest?.size ?? 0 };
    if (status !== 200 && status !== 422) return { status };
    const signatures = await logSignatures(note, logKeys);
    if (status === 422) {
      const isFork = checkpoint.size === latest?.size && !equalBytes(checkpoint.root, latest.root);
      return { status, fork: isFork ? noteText({ text: note.text, signatures }) : null };
    }
    const cosignature = await cosign(note.text, now(), signer);
    const next = noteText({ text: note.text, signatures: [...signatures, cosignature] });
    if (next === before || checkpoints.replace(checkpoint.origin, before, next)) return { status, cosignature };
  }
}

/** The valid signatures of the log, one by key: so that what is stored stays a note that can be read. */
async function logSignatures(note: SignedNote, logKeys: readonly VerifierKey[]): Promise<readonly NoteSignature[]> {
  const keys = logKeys.filter(({ name }) => name === checkpointOf(note.text).origin);
  const { valid } = await checkSignatures(note, keys, ed25519Verify);
  return [...new Map(valid.map(({ key, line }) => [key, line])).values()];
}
