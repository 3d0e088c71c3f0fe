import { sha256 } from '../../application/sha256.ts';
import { type AddCheckpoint, addCheckpointText, checkpointText } from '../../domain/log/notes/checkpoint.ts';
import { type NoteSigner, signText } from '../../domain/log/notes/note.ts';
import { consistencyPath, proofHashes } from '../../domain/log/tree/proof.ts';
import { aSigner, aTree, someLeaves } from './log.ts';

/** The log of `anAddCheckpoint`. */
export const GROWING_LOG = aSigner('log.example/1');
const leaves = someLeaves(20);
/** The tree of its first leaves, 20 at most. */
export const treeOf = (size: number) => aTree(leaves.slice(0, size));

export interface SpoiltCheckpoint extends Partial<AddCheckpoint> {
  readonly signer?: NoteSigner;
  readonly root?: Uint8Array;
}

/** The body of the request of a log that grew; the last argument spoils it. */
export async function anAddCheckpoint(
  oldSize: number,
  size: number,
  { signer = GROWING_LOG, root = treeOf(size).root, ...changes }: SpoiltCheckpoint = {},
): Promise<string> {
  const text = checkpointText({ origin: signer.key.name, size, root });
  const path = oldSize <= size ? consistencyPath(oldSize, size) : [];
  const hashes = proofHashes(path, treeOf(size).hashOf, sha256);
  return addCheckpointText({ oldSize, hashes, note: { text, signatures: [await signText(text, signer)] }, ...changes });
}
