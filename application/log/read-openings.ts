import { concatBytes, utf8 } from '../../domain/log/encoding.ts';
import { type LogLeaf, leafOf } from '../../domain/log/leaves/leaf.ts';
import { type OutcomeOpening, textWithFacts } from '../../domain/log/leaves/opening.ts';
import { withoutFacts } from '../../domain/log/leaves/public-statement.ts';
import type { PublicLeaves, PublicOutcomeLeaf } from '../../domain/log/log-evidence.ts';
import { noteText } from '../../domain/log/notes/note.ts';
import { bundleOfOpenings, leavesOfBundle, MOST_TILE_WIDTH } from '../../domain/log/tree/tile.ts';
import { shownJson } from '../../domain/shown-text.ts';
import type { Ports } from '../ports.ts';
import { notServed } from './read-log.ts';
import { decisionOpening, gradeOf } from './read-proof.ts';
import { signedCheckpoint } from './witness-checkpoint.ts';

type OpeningsPorts = Pick<Ports, 'logEvidence' | 'noteFault'>;

/**
 * What opens the leaves of an entry bundle whose records are public now, as lines of JSON in UTF-8: each checkpoint of their proofs
 * once, `{ note }`, then `{ index, opening }` in the order of the leaves, with the openings of `readPublicProof`. It never
 * goes beyond the published checkpoint.
 * @param path below the prefix of the log, such as `openings/x001/234`
 * @throws Problem NOT_FOUND
 */
export async function readOpenings(ports: OpeningsPorts, log: number, path: string): Promise<Uint8Array> {
  const bundle = bundleAt(path);
  const found = Number.isSafeInteger(log) ? await ports.logEvidence.publicLeaves(log, bundle) : null;
  if (!found) throw notServed();
  const notes = found.checkpoints.flatMap((checkpoint) => {
    const note = signedCheckpoint(checkpoint, checkpoint);
    if (!note) return [];
    return [JSON.stringify({ note: noteText({ ...note, signatures: [...note.signatures, ...checkpoint.further] }) })];
  });
  const lines = [...notes, ...openingsOf(ports, found, bundle * MOST_TILE_WIDTH)];
  return bytesOf(lines.map((line) => `${shownJson(line)}\n`));
}

/** Some lines at a time: a text of all is so long that the memory for it costs more than what is done with it. */
function bytesOf(lines: readonly string[]): Uint8Array {
  const parts: Uint8Array[] = [];
  for (let at = 0; at < lines.length; at += 16) parts.push(utf8(lines.slice(at, at + 16).join('')));
  return concatBytes(...parts);
}

function bundleAt(path: string): number {
  try {
    return bundleOfOpenings(path);
  } catch {
    throw notServed();
  }
}

/**
 * A line of JSON each, in the order of the leaves. A record that cannot be read has no opening, and is noted.
 * @param from the index of the first leaf of the bundle
 */
function openingsOf(
  { noteFault }: OpeningsPorts,
  { leaves: bundle, decisions, outcomes }: PublicLeaves,
  from: number,
): readonly string[] {
  const leaves = leavesOfBundle(bundle);
  const leafAt = (index: number): LogLeaf => leafOf(leaves[index - from] ?? Uint8Array.of());
  const opened: string[] = [];
  const open = (index: number, record_id: string, part: 'statement' | 'outcome', opening: () => string) => {
    try {
      opened[index - from] = `{"index":${index},"opening":${opening()}}`;
    } catch {
      noteFault(record_id, [part]);
    }
  };
  for (const { index, decision, ...shown } of decisions) {
    open(index, decision.record_id, 'statement', () => JSON.stringify(decisionOpening(decision, shown, leafAt(index))));
  }
  for (const { index, decision, ...shown } of outcomes) {
    open(index, decision.record_id, 'outcome', () => outcomeText(decision, shown, gradeOf(leafAt(index))));
  }
  return opened.filter((line) => line !== undefined);
}

function outcomeText(
  { record_id, evaluated_at, result_bucket, created_regime }: PublicOutcomeLeaf['decision'],
  { outcome_salt, evidence, facts }: Pick<PublicOutcomeLeaf, 'outcome_salt' | 'evidence' | 'facts'>,
  leaf: OutcomeOpening['leaf'],
): string {
  if (!evaluated_at || !result_bucket || facts === null) throw new Error(`The grade of ${record_id} is gone.`);
  const public_outcome = withoutFacts({ evaluated_at, result_bucket, created_regime }, evidence);
  return textWithFacts({ v: 1, leaf, outcome_salt, public_outcome }, facts);
}
