import { leafBytes } from '../../../domain/log/leaves/leaf.ts';
import { type Opening, type OutcomeOpening, openingOf } from '../../../domain/log/leaves/opening.ts';
import { isPlan, isStated, namesProducer, opensLeaf, ownerClaims } from '../../../domain/log/leaves/verify-opening.ts';
import { Malformed } from '../../../domain/log/malformed.ts';
import { checkpointOf } from '../../../domain/log/notes/checkpoint.ts';
import { type CheckpointTrust, judgeCheckpoint } from '../../../domain/log/notes/checkpoint-trust.ts';
import { noteOf } from '../../../domain/log/notes/note.ts';
import { type LogProof, proofOf } from '../../../domain/log/tree/tlog-proof.ts';
import { leafHash } from '../../../domain/log/tree/tree.ts';
import { isIncluded } from '../../../domain/log/tree/verify-proof.ts';
import { barsLine } from './bars-line.ts';
import { canonicalJson } from './canonical-json.ts';
import { ed25519Verify } from './ed25519.ts';
import { openingContent } from './opening-content.ts';
import { bucketLine, decisionLine, gradedOpening, isOutcome, type PlacedOpening } from './outcome-lines.ts';
import { sha256 } from './sha256.ts';
import { policyIn, signatureLine, witnessLine } from './signature-lines.ts';
import { timeLine } from './time-line.ts';
import { checked, type Line, line } from './verdict.ts';

/**
 * Verifies a proof file: each claim is a line, and no claim is left out.
 * @param proof the text of a tlog-proof
 * @param policy the text of a tlog-policy with the key of the log; null for none, and then no signature can be checked
 * @param others the texts of further proofs: an outcome is compared with its decision among them
 */
export async function verifyFile(
  proof: string,
  policy: string | null,
  others: readonly string[] = [],
): Promise<readonly Line[]> {
  try {
    const read = proofOf(proof);
    const known = policyIn(policy);
    const trust = await judgeCheckpoint(noteOf(read.checkpoint), known, ed25519Verify);
    const opening = openingIn(read);
    const lines = [signatureLine(trust, known), witnessLine(trust, known)];
    if (typeof opening === 'string') {
      return [...lines, line('not checked', 'inclusion', 'see opening'), line('FAILS', 'opening', opening)];
    }
    lines.push(...leafLines(read, opening, trust));
    const { origin } = trust.checkpoint;
    return isOutcome(opening) ? [...lines, ...outcomeLines({ origin, index: read.index, opening }, others)] : lines;
  } catch (error) {
    if (error instanceof Malformed) return [line('FAILS', 'form', error.message), ...UNREAD];
    throw error;
  }
}

/** Whether the lines say that the leaf was logged as it is shown. */
export function isProved(lines: readonly Line[]): boolean {
  const holds = (subject: string) => lines.some((each) => each.subject === subject && each.verdict === 'holds');
  return !lines.some(({ verdict }) => verdict === 'FAILS') && ['signature', 'inclusion', 'opening'].every(holds);
}

const UNREAD = ['signature', 'inclusion', 'opening'].map((subject) => line('not checked', subject, 'see form'));

function leafLines({ index, hashes }: LogProof, opening: Opening, trust: CheckpointTrust): readonly Line[] {
  const { t } = opening.leaf;
  const place = `leaf ${index} of ${trust.checkpoint.size}`;
  const hash = leafHash(leafBytes(opening.leaf), sha256);
  const included = isIncluded({ index, hash }, trust.checkpoint, hashes, sha256);
  const opens = opensLeaf(opening, canonicalJson, sha256);
  return [
    checked(
      included,
      'inclusion',
      `${place} is this ${t}`,
      `${place} is not this ${t}, or a hash of the proof is wrong`,
    ),
    checked(
      opens,
      'opening',
      `${openingContent(opening)} is that of the leaf`,
      `the ${t} in the file is not that of the leaf`,
    ),
    ...ownerLines(opening),
    ...timeLine(opening, trust),
  ];
}

/** The opening of a proof, or why it has none. */
function openingIn({ extra }: LogProof): Opening | string {
  if (extra === null) return 'the proof has no extra data';
  try {
    return openingOf(extra, canonicalJson);
  } catch (error) {
    if (error instanceof Malformed) return error.message;
    throw error;
  }
}

/** Null for a text that is no proof with an opening: the lines of that file say so. */
function placedIn(text: string): PlacedOpening | null {
  try {
    const proof = proofOf(text);
    const opening = openingIn(proof);
    const { origin } = checkpointOf(noteOf(proof.checkpoint).text);
    return typeof opening === 'string' ? null : { origin, index: proof.index, opening };
  } catch {
    return null;
  }
}

function outcomeLines(
  placed: PlacedOpening & { readonly opening: OutcomeOpening },
  others: readonly string[],
): readonly Line[] {
  const { opening } = placed;
  const decision = gradedOpening(
    placed,
    others.flatMap((other) => placedIn(other) ?? []),
  );
  const statement = decision && isStated(decision) ? decision.public_statement : null;
  return [bucketLine(opening), decisionLine(opening, decision), barsLine(opening, statement)];
}

function ownerLines(opening: Opening): readonly Line[] {
  if (isOutcome(opening) || opening.owner === undefined) return [];
  const { owner_id, agent_id } = opening.owner;
  const producer = `owner ${owner_id}, agent ${agent_id}`;
  if (isPlan(opening))
    return [checked(namesProducer(opening, sha256), 'producer', producer, `another one than ${producer}`)];
  const claims = ownerClaims(opening, opening.owner, canonicalJson, sha256);
  return [
    checked(
      claims.statement,
      'statement',
      'the commitment is that of the statement',
      'the commitment is of another statement',
    ),
    checked(claims.producer, 'producer', producer, `another one than ${producer}`),
    checked(claims.repeated, 'public statement', 'it repeats the statement', 'it does not repeat the statement'),
  ];
}
