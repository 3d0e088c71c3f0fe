import { canonicalJson } from '../../adapters/formats/canonical-json.ts';
import { sha256 } from '../../application/sha256.ts';
import { verifyFile } from '../../clients/typescript/verify/verify-file.ts';
import { equalBytes, utf8 } from '../../domain/log/encoding.ts';
import { leafBytes } from '../../domain/log/leaves/leaf.ts';
import { type Opening, openingBytes } from '../../domain/log/leaves/opening.ts';
import { checkpointText } from '../../domain/log/notes/checkpoint.ts';
import { COSIGNATURE, cosign, noteText, signText, vkeyText } from '../../domain/log/notes/note.ts';
import { inclusionPath, proofHashes, proofText } from '../../domain/log/tree/proof.ts';
import { entryBundle, nodesOfTile, tileBytes, tilePath, tilesOf } from '../../domain/log/tree/tile.ts';
import { aSigner, aTree, someLeaves } from './log.ts';

/** The log of `aProofFile`, and the witness that saw it. */
export const LOG = aSigner('stancebook.example/log/1');
const WITNESS = aSigner('w.example', COSIGNATURE, 2);
export const LOG_KEYS = `log ${vkeyText(LOG.key)}\nwitness W ${vkeyText(WITNESS.key)}\n`;
export const LOG_POLICY = `${LOG_KEYS}quorum W\n`;
/** A minute after the decision of `aDecisionOpening` was received, in POSIX seconds. */
export const SEEN = Date.parse('2026-03-02T12:01:41Z') / 1_000;

/** A proof file of a leaf at index 3 of a log of 9 leaves. @param seen when the witness saw it, in POSIX seconds */
export function aProofFile(opening: Opening, seen: number = SEEN): Promise<string> {
  const leaves = someLeaves(9).map((leaf, i) => (i === 3 ? leafBytes(opening.leaf) : leaf));
  return aProofOf(opening, leaves, LOG, seen);
}

/** A proof file of the leaf of an opening, which is one of these leaves of a log. */
export async function aProofOf(
  opening: Opening,
  leaves: readonly Uint8Array[],
  log = LOG,
  seen: number = SEEN,
): Promise<string> {
  const index = leaves.findIndex((leaf) => equalBytes(leaf, leafBytes(opening.leaf)));
  const { size, root, hashOf } = aTree(leaves);
  const checkpoint = await aCheckpoint(size, root, seen, log);
  const hashes = proofHashes(inclusionPath(index, size), hashOf, sha256);
  return proofText({ extra: openingBytes(opening, canonicalJson), index, hashes, checkpoint });
}

/** The files that a log of these leaves serves, by their paths. */
export async function servedFiles(leaves: readonly Uint8Array[], log = LOG): Promise<Map<string, Uint8Array>> {
  const { size, root, hashOf } = aTree(leaves);
  const files = new Map([['checkpoint', utf8(await aCheckpoint(size, root, SEEN, log))]]);
  for (const tile of tilesOf(size)) {
    files.set(tilePath(tile), tileBytes(nodesOfTile(tile).map(hashOf)));
    const { level, index, width } = tile;
    const bundle = leaves.slice(256 * index, 256 * index + width);
    if (level === 0) files.set(tilePath({ level: 'entries', index, width }), entryBundle(bundle));
  }
  return files;
}

/** A checkpoint of a log that the witness saw. */
export async function aCheckpoint(size: number, root: Uint8Array, seen: number = SEEN, log = LOG): Promise<string> {
  const text = checkpointText({ origin: log.key.name, size, root });
  return noteText({ text, signatures: [await signText(text, log), await cosign(text, seen, WITNESS)] });
}

/** The verdict of each line, by its subject. */
export async function verdictsOf(
  proof: string,
  policy: string | null = LOG_POLICY,
): Promise<Readonly<Record<string, string>>> {
  const lines = await verifyFile(proof, policy);
  return Object.fromEntries(lines.map(({ subject, verdict }) => [subject, verdict]));
}
