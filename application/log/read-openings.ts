import { type LogLeaf, leafOf } from '../../domain/log/leaves/leaf.ts';
import type { Opening } from '../../domain/log/leaves/opening.ts';
import type { PublicLeaves } from '../../domain/log/log-evidence.ts';
import { noteText } from '../../domain/log/notes/note.ts';
import { bundleOfOpenings, leavesOfBundle, MOST_TILE_WIDTH } from '../../domain/log/tree/tile.ts';
import { shownJson } from '../../domain/shown-text.ts';
import type { Ports } from '../ports.ts';
import { notServed } from './read-log.ts';
import { decisionOpening, gradeOf, outcomeOpening } from './read-proof.ts';
import { signedCheckpoint } from './witness-checkpoint.ts';

type OpeningsPorts = Pick<Ports, 'logEvidence' | 'noteFault'>;

/**
 * What opens the leaves of an entry bundle whose records are public now, as lines of JSON: each checkpoint of their proofs
 * once, `{ note }`, then `{ index, opening }` in the order of the leaves, with the openings of `readPublicProof`. It never
 * goes beyond the published checkpoint.
 * @param path below the prefix of the log, such as `openings/x001/234`
 * @throws Problem NOT_FOUND
 */
export async function readOpenings(ports: OpeningsPorts, log: number, path: string): Promise<string> {
  const bundle = bundleAt(path);
  const found = Number.isSafeInteger(log) ? await ports.logEvidence.publicLeaves(log, bundle) : null;
  if (!found) throw notServed();
  const notes = found.checkpoints.flatMap((checkpoint) => {
    const note = signedCheckpoint(checkpoint, checkpoint);
    return note ? [{ note: noteText({ ...note, signatures: [...note.signatures, ...checkpoint.further] }) }] : [];
  });
  const lines = [...notes, ...openingsOf(ports, found, bundle * MOST_TILE_WIDTH)];
  return shownJson(lines.map((line) => `${JSON.stringify(line)}\n`).join(''));
}

function bundleAt(path: string): number {
  try {
    return bundleOfOpenings(path);
  } catch {
    throw notServed();
  }
}

interface OpenedLeaf {
  readonly index: number;
  readonly opening: Opening;
}

/** A record that cannot be read has no opening, and is noted. @param from the index of the first leaf of the bundle */
function openingsOf(
  { noteFault }: OpeningsPorts,
  { leaves: bundle, decisions, outcomes }: PublicLeaves,
  from: number,
): readonly OpenedLeaf[] {
  const leaves = leavesOfBundle(bundle);
  const leafAt = (index: number): LogLeaf => leafOf(leaves[index - from] ?? Uint8Array.of());
  const opened: OpenedLeaf[] = [];
  for (const { index, decision, ...secrets } of decisions) {
    try {
      opened.push({ index, opening: decisionOpening(decision, secrets, leafAt(index)) });
    } catch {
      noteFault(decision.record_id, ['statement']);
    }
  }
  for (const { index, decision, ...secrets } of outcomes) {
    try {
      opened.push({ index, opening: outcomeOpening(decision, secrets, gradeOf(leafAt(index))) });
    } catch {
      noteFault(decision.record_id, ['outcome']);
    }
  }
  return opened.sort((a, b) => a.index - b.index);
}
