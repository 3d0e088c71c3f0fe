import { sha256 } from '../../../application/sha256.ts';
import { type AddCheckpoint, checkpointText } from '../../../domain/log/notes/checkpoint.ts';
import { type NoteSignature, type NoteSigner, noteText, signText } from '../../../domain/log/notes/note.ts';
import { consistencyPath, inclusionPath, proofHashes } from '../../../domain/log/tree/proof.ts';
import { appendedNodes, leafHash, type NodeHash, rootHash } from '../../../domain/log/tree/tree.ts';

/** A log in memory that keeps every node. */
export interface MemoryLog {
  readonly size: () => number;
  readonly leaves: (from: number, to: number) => readonly Uint8Array[];
  readonly hashOf: NodeHash;
  append(leaves: readonly Uint8Array[]): void;
  /** The checkpoint of the present size, signed by the log and cosigned by the witness. */
  checkpoint(): Promise<string>;
  inclusion(index: number, size: number): readonly Uint8Array[];
  consistency(oldSize: number, size: number): readonly Uint8Array[];
}

/** @param witness what asks the witness for its cosignatures */
export function memoryLog(
  log: NoteSigner,
  witness: (request: AddCheckpoint) => Promise<readonly NoteSignature[]>,
): MemoryLog {
  let witnessed = 0;
  const all: Uint8Array[] = [];
  const levels: Uint8Array[][] = [];
  const hashOf: NodeHash = ({ level, index }) => {
    const hash = levels[level]?.[index];
    if (!hash) throw new Error(`The node ${level}/${index} is not stored.`);
    return hash;
  };
  const consistency = (oldSize: number, size: number) => proofHashes(consistencyPath(oldSize, size), hashOf, sha256);
  return {
    size: () => all.length,
    leaves: (from, to) => all.slice(from, to),
    hashOf,
    append(leaves) {
      const hashes = leaves.map((leaf) => leafHash(leaf, sha256));
      for (const run of appendedNodes(all.length, hashes, hashOf, sha256)) {
        const level = levels[run.level] ?? [];
        levels[run.level] = level;
        for (const hash of run.hashes) level.push(hash);
      }
      for (const leaf of leaves) all.push(leaf);
    },
    async checkpoint() {
      const size = all.length;
      const text = checkpointText({ origin: log.key.name, size, root: rootHash(size, hashOf, sha256) });
      const note = { text, signatures: [await signText(text, log)] };
      const cosignatures = await witness({ oldSize: witnessed, hashes: consistency(witnessed, size), note });
      witnessed = size;
      return noteText({ text, signatures: [...note.signatures, ...cosignatures] });
    },
    inclusion: (index, size) => proofHashes(inclusionPath(index, size), hashOf, sha256),
    consistency,
  };
}
