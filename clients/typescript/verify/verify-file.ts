import { LOG } from '../../../domain/limits.ts';
import { Malformed } from '../../../domain/log/encoding.ts';
import { leafBytes } from '../../../domain/log/leaves/leaf.ts';
import { type Opening, type OutcomeOpening, openingOf, type PlanOpening } from '../../../domain/log/leaves/opening.ts';
import type { PublicStatement } from '../../../domain/log/leaves/public-statement.ts';
import { isPlan, isStated, namesProducer, opensLeaf, ownerClaims } from '../../../domain/log/leaves/verify-opening.ts';
import { type CheckpointTrust, checkpointOf, judgeCheckpoint } from '../../../domain/log/notes/checkpoint.ts';
import { noteOf } from '../../../domain/log/notes/note.ts';
import { isIncluded, type LogProof, proofOf } from '../../../domain/log/tree/proof.ts';
import { leafHash } from '../../../domain/log/tree/tree.ts';
import type { PlanStatement } from '../../../domain/plans/plan.ts';
import { rfc3339 } from '../../../domain/time.ts';
import { ed25519Verify, policyIn, signatureLine, witnessLine } from './audit.ts';
import { barsLine, isApproximate, statedWindows } from './bars-line.ts';
import { canonicalJson } from './decisions-line.ts';
import { bucketLine, decisionLine, gradedOpening, isOutcome, type PlacedOpening } from './outcome-lines.ts';
import { sha256 } from './sha256.ts';
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

/** What an opening says, so that the reader sees of what the proof is. Its values may be anything. */
function openingContent(opening: Opening): string {
  if (isOutcome(opening)) {
    const { result_bucket, evaluated_at } = opening.public_outcome;
    return texts`${result_bucket}, graded at ${evaluated_at},`;
  }
  if (isPlan(opening)) return planContent(opening);
  const said = opening.public_statement;
  const horizon = texts`${said.horizon_value} ${said.horizon_kind}`;
  const received = texts`${said.submission_origin}, received at ${said.submission_time},`;
  return texts`${said.record_id}, ${said.direction} ${said.symbol} (${said.market}, ${said.venue}), ${horizon}, ${received}`;
}

function planContent({ statement }: PlanOpening): string {
  try {
    const { sentence, query, stated_at, asked_before } = JSON.parse(statement) as PlanStatement;
    const before = asked_before === false ? 'not asked before' : 'asked before';
    return texts`${JSON.stringify(sentence)} for ${query}, stated at ${stated_at}, ${before},`;
  } catch {
    // A statement of another form says what it says.
    return texts`${statement},`;
  }
}

function texts(parts: readonly string[], ...values: readonly unknown[]): string {
  const text = (value: unknown) => (typeof value === 'string' ? value : JSON.stringify(value));
  return parts.map((part, i) => (i < values.length ? `${part}${text(values[i])}` : part)).join('');
}

/**
 * When a witness first saw the leaf of a realtime decision, or of a plan. A decision that is first proved after the end of
 * its window proves no foresight; a plan was stated when it was seen at the latest.
 */
function timeLine(opening: Opening, { signed, cosignatures }: CheckpointTrust): readonly Line[] {
  if (!isPlan(opening) && !(isStated(opening) && opening.public_statement.submission_origin === 'realtime')) return [];
  if (opening.leaf.t === 'imported')
    return [line('not checked', 'time', 'imported: its age before the log is not proved')];
  if (!signed || cosignatures.length === 0) return [line('not checked', 'time', 'no known witness saw the checkpoint')];
  const seen = Math.min(...cosignatures.map(({ time }) => time)) * 1_000;
  try {
    return [isPlan(opening) ? statedLine(opening, seen) : seenLine(opening.public_statement, seen)];
  } catch {
    return [line('FAILS', 'time', `the statement has no possible ${isPlan(opening) ? 'time' : 'window'}`)];
  }
}

/** Nobody but a witness says when a plan was stated, so that is its time. */
function statedLine({ statement }: PlanOpening, seen: number): Line {
  const stated_at = Date.parse((JSON.parse(statement) as PlanStatement).stated_at);
  const promise = seen <= stated_at + LOG.includedWithin ? 'within 5 minutes' : 'more than 5 minutes later';
  return line('holds', 'time', `seen at ${rfc3339(seen)}, stated at ${rfc3339(stated_at)}: ${promise}`);
}

/** The receipt is known to the minute, and so is the end of a window of seconds. */
function seenLine(statement: PublicStatement, seen: number): Line {
  const { submission_time } = statement;
  const [first, last] = statedWindows(statement);
  if (!first || !last) throw new TypeError('A realtime decision has an earliest and a latest window.');
  const isPrompt = seen <= last.anchor_time + LOG.includedWithin;
  const promise = isPrompt ? 'within the 5 minutes of the receipt' : 'later than the 5 minutes of the receipt';
  const detail = `seen at ${rfc3339(seen)}, submitted in the minute of ${submission_time}: ${promise}`;
  if (seen <= first.end_time) return line('holds', 'time', `${detail}, before the end of its window`);
  if (seen <= last.end_time) return line('not checked', 'time', `${detail}; its window ended in the same minute`);
  if (isApproximate(statement, last)) return line('not checked', 'time', `${detail}; its calendar is not known here`);
  return line('FAILS', 'time', `${detail}, after the end of its window`);
}
