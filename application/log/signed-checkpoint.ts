import type { StoredCheckpoint, StoredLog } from '../../domain/log/log-store.ts';
import { checkpointText } from '../../domain/log/notes/checkpoint.ts';
import type { NoteSignature, SignedNote } from '../../domain/log/notes/note.ts';
import { type NoteSigner, signText } from '../../domain/log/notes/note-signatures.ts';
import type { Ports } from '../ports.ts';

/** A signed checkpoint with the signature that it got first; null until it is signed. */
export function signedCheckpoint({ origin, key_id }: StoredLog, checkpoint: StoredCheckpoint): SignedNote | null {
  const { signature } = checkpoint;
  if (signature === null) return null;
  const own = { name: origin, id: checkpoint.key_id ?? key_id, signature };
  return { text: checkpointText({ origin, ...checkpoint }), signatures: [own] };
}

/**
 * A signed checkpoint with all signatures of the log and of witnesses; null until it is signed.
 * @param cosignatures the first of each witness, for proofs, which stay the same; or the newest
 */
export async function witnessedCheckpoint(
  { signatures: store }: Pick<Ports, 'signatures'>,
  log: StoredLog,
  checkpoint: StoredCheckpoint,
  cosignatures: 'first' | 'newest',
): Promise<SignedNote | null> {
  const note = signedCheckpoint(log, checkpoint);
  if (note === null) return null;
  const first = await store.signatures(log.log, checkpoint.size);
  const newest = cosignatures === 'first' ? [] : await newestOf(store, log, checkpoint);
  const further = new Map([...first, ...newest].map((each) => [`${each.name}+${each.id}`, each]));
  return { text: note.text, signatures: [...note.signatures, ...further.values()] };
}

async function newestOf(
  store: Ports['signatures'],
  { log }: StoredLog,
  { size }: StoredCheckpoint,
): Promise<readonly NoteSignature[]> {
  const reports = await store.reports(log);
  return reports.flatMap((report) =>
    report.size === size && report.signature !== null ? [{ ...report, signature: report.signature }] : [],
  );
}

/** The signature of a tree by a key of the log: the same bytes for the same tree. */
export function signatureOf({ origin }: StoredLog, tree: StoredCheckpoint, signer: NoteSigner): Promise<NoteSignature> {
  return signText(checkpointText({ origin, ...tree }), signer);
}
