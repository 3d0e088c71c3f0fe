import { equalBytes, hexOf } from '../../domain/log/encoding.ts';
import type { LogEvidence, SignedCheckpoint } from '../../domain/log/log-evidence.ts';
import type { StoredCheckpoint, StoredLog } from '../../domain/log/log-store.ts';
import {
  type addCheckpointOf,
  checkpointOf,
  checkpointText,
  judgeAddCheckpoint,
  type WitnessStatus,
} from '../../domain/log/notes/checkpoint.ts';
import {
  checkSignatures,
  cosign,
  type NoteSignature,
  type NoteSigner,
  noteOf,
  noteText,
  type SignedNote,
  signText,
  type VerifierKey,
} from '../../domain/log/notes/note.ts';
import { ed25519Verify } from '../ed25519.ts';
import type { Ports } from '../ports.ts';
import { sha256 } from '../sha256.ts';

const PAGE = 500;

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

/** Reads the checkpoints of a log, and of those whose leaves it shares, in their order. */
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
