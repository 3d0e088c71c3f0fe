import { equalBytes, hexOf } from '../../domain/log/encoding.ts';
import type { LogEvidence, SignedCheckpoint } from '../../domain/log/log-evidence.ts';
import type { StoredLog } from '../../domain/log/log-store.ts';
import { checkSignatures } from '../../domain/log/notes/note-signatures.ts';
import type { VerifierKey } from '../../domain/log/notes/verifier-key.ts';
import { ed25519Verify } from '../ed25519.ts';
import { signedCheckpoint } from './signed-checkpoint.ts';

/** Reads the checkpoints of a log in their order. */
export function checkpointReader({ checkpointsAfter }: LogEvidence, log: number) {
  let page: readonly SignedCheckpoint[] = [];
  let at = 0;
  let last = 0;
  return {
    /** The first of more than `size` leaves, which never becomes fewer; null while there is none. */
    async after(size: number): Promise<SignedCheckpoint | null> {
      for (; ; at += 1) {
        if (at >= page.length) [page, at] = [await checkpointsAfter(log, size, PAGE), 0];
        const checkpoint = page[at];
        if (!checkpoint || checkpoint.size > size) return checkpoint ?? null;
        last = checkpoint.size;
      }
    },
    /** The size of the largest one that was passed: where the batch under way started. */
    lastSize: () => last,
  };
}

const PAGE = 500;

/**
 * @param computed the root of the leaves
 * @param keys those that are known, of the log and of witnesses; a signature by another one is not checked
 */
export async function checkpointFaults(
  log: StoredLog,
  checkpoint: SignedCheckpoint,
  computed: Uint8Array,
  keys: readonly VerifierKey[],
): Promise<readonly string[]> {
  const { root, further } = checkpoint;
  const isRoot = equalBytes(computed, root);
  return [
    ...(isRoot ? [] : [`its root is ${hexOf(root)}, and its leaves have ${hexOf(computed)}`]),
    ...(await signatureFaults(log, checkpoint, keys)),
    ...(checkpoint.signature === null && further.length > 0
      ? ['it has cosignatures, and no signature of the log']
      : []),
  ];
}

async function signatureFaults(
  log: StoredLog,
  checkpoint: SignedCheckpoint,
  keys: readonly VerifierKey[],
): Promise<readonly string[]> {
  const note = signedCheckpoint(log, checkpoint);
  if (note === null) return [];
  const signatures = [...note.signatures, ...checkpoint.further];
  const { invalid } = await checkSignatures({ ...note, signatures }, keys, ed25519Verify);
  return invalid.map(({ name }) => {
    return name === log.origin
      ? 'its signature is not that of the key of the log'
      : `its cosignature is not that of the key of the witness ${name}`;
  });
}
