import { checkpointText } from '../../domain/log/checkpoint.ts';
import type { LogKey } from '../../domain/log/log-key.ts';
import type { StoredCheckpoint, StoredLog } from '../../domain/log/log-store.ts';
import type { SignedNote } from '../../domain/log/note.ts';
import { signText } from '../../domain/log/note-signatures.ts';
import { ED25519, type VerifierKey, verifierKey } from '../../domain/log/verifier-key.ts';
import { sha256 } from '../sha256.ts';

/** The note of a checkpoint as it is served; null until it is signed. */
export function signedCheckpoint({ origin, key_id }: StoredLog, checkpoint: StoredCheckpoint): SignedNote | null {
  const { signature } = checkpoint;
  if (signature === null) return null;
  return { text: checkpointText({ origin, ...checkpoint }), signatures: [{ name: origin, id: key_id, signature }] };
}

/** The signature of a tree by the log's key: the same bytes for the same tree. */
export async function signatureOf({ origin }: StoredLog, tree: StoredCheckpoint, logKey: LogKey): Promise<Uint8Array> {
  const text = checkpointText({ origin, ...tree });
  return (await signText(text, { key: logKeyOf(logKey, origin), sign: logKey.sign })).signature;
}

/** The key by which a log of this origin is verified. */
export function logKeyOf({ publicKey }: Pick<LogKey, 'publicKey'>, origin: string): VerifierKey {
  return verifierKey(origin, ED25519, publicKey, sha256);
}
