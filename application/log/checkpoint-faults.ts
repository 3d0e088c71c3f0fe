import { checkpointText } from '../../domain/log/checkpoint.ts';
import { equalBytes, hexOf, utf8 } from '../../domain/log/encoding.ts';
import type { LogEvidence } from '../../domain/log/log-evidence.ts';
import type { StoredCheckpoint, StoredLog } from '../../domain/log/log-store.ts';
import { ed25519Verify } from '../ed25519.ts';

/** Reads the checkpoints of a log in their order. */
export function checkpointReader({ checkpointsAfter }: LogEvidence, log: number) {
  let page: readonly StoredCheckpoint[] = [];
  let at = 0;
  let last = 0;
  return {
    /** The first of more than `size` leaves, which never becomes fewer; null while there is none. */
    async after(size: number): Promise<StoredCheckpoint | null> {
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
 * @param keys the public keys that are known, by their IDs; a signature by another one is not checked
 */
export function checkpointFaults(
  { origin, key_id }: StoredLog,
  { size, root, signature, ...checkpoint }: StoredCheckpoint,
  computed: Uint8Array,
  keys: ReadonlyMap<string, Uint8Array>,
): readonly string[] {
  const publicKey = keys.get(checkpoint.key_id ?? key_id);
  const text = checkpointText({ origin, size, root });
  const isSigned = publicKey === undefined || signature === null || ed25519Verify(publicKey, utf8(text), signature);
  return [
    ...(equalBytes(computed, root) ? [] : [`its root is ${hexOf(root)}, and its leaves have ${hexOf(computed)}`]),
    ...(isSigned ? [] : ['its signature is not that of the key of the log']),
  ];
}
