import { Malformed, textOfUtf8, utf8 } from '../../../domain/log/encoding.ts';
import { isNewerLeaf, leafBytes } from '../../../domain/log/leaves/leaf.ts';
import { type Opening, type OutcomeOpening, openingOf, type PlanOpening } from '../../../domain/log/leaves/opening.ts';
import { isPlan, isStated, namesProducer, opensLeaf, ownerClaims } from '../../../domain/log/leaves/verify-opening.ts';
import { type CheckpointTrust, checkpointOf, judgeCheckpoint } from '../../../domain/log/notes/checkpoint.ts';
import { noteOf } from '../../../domain/log/notes/note.ts';
import { isIncluded, type LogProof, proofOf, type TreeHead } from '../../../domain/log/tree/proof.ts';
import { leafHash } from '../../../domain/log/tree/tree.ts';
import type { PlanStatement } from '../../../domain/plans/plan.ts';
import { ed25519Verify, policyIn, signatureLine, witnessLine } from './audit.ts';
import { barsLine } from './bars-line.ts';
import { canonicalJson } from './decisions-line.ts';
import { bucketLine, decisionLine, gradedOpening, isOutcome, type PlacedOpening } from './outcome-lines.ts';
import { sha256 } from './sha256.ts';
import {
  findingOf,
  NO_SOURCES,
  readsOf,
  type Seen,
  seenOf,
  type TimeFinding,
  type TimeProof,
  type TimeSources,
  timeLine,
} from './time-line.ts';
import { checked, type Line, line } from './verdict.ts';

/** What a proof is of. It may be said only as far as the lines of the proof hold. */
export interface ProofContent extends PlacedOpening {
  readonly seen: Seen;
  /** How many witnesses of the policy had cosigned the checkpoint when they were a quorum. */
  readonly witnesses: number;
  /** Null for what claims no time. */
  readonly finding: TimeFinding | null;
}

export interface VerifiedProof {
  readonly lines: readonly Line[];
  /** Null for a file without an opening. */
  readonly content: ProofContent | null;
}

/**
 * Verifies a proof file: each claim is a line, and no claim is left out.
 * @param proof the text of a tlog-proof
 * @param policy the text of a tlog-policy with the key of the log; null for none, and then no signature can be checked
 * @param others the texts of further proofs: an outcome is compared with its decision among them
 * @param sources what proves times, in addition to the witnesses of the policy
 */
export async function verifyProof(
  proof: string,
  policy: string | null,
  others: readonly string[] = [],
  sources: TimeSources = NO_SOURCES,
): Promise<VerifiedProof> {
  try {
    const read = proofOf(proof);
    const known = policyIn(policy);
    const note = noteOf(read.checkpoint);
    const trust = await judgeCheckpoint(note, known, ed25519Verify);
    const stamps = await sources.stamps?.(note);
    const opening = openingIn(read);
    const lines = [signatureLine(trust, known), ...seenLines(witnessLine(trust, known), stamps?.line)];
    if (typeof opening === 'string') {
      const isNewer = opensNewerLeaf(read, trust.checkpoint);
      const found = isNewer ? line('not checked', 'opening', NEWER) : line('FAILS', 'opening', opening);
      return { lines: [...lines, line('not checked', 'inclusion', 'see opening'), found], content: null };
    }
    const { origin } = trust.checkpoint;
    const seen = seenOf(trust, stamps?.valid ?? []);
    const time = { ...seen, index: read.index, reads: readsOf(sources, origin, read.index) };
    lines.push(...leafLines(read, opening, trust, time));
    const { inTree = new Set() } = sources;
    const isInTree = inTree.has(proof);
    if (isOutcome(opening)) {
      const placed = others.flatMap((other) => placedIn(other, inTree) ?? []);
      lines.push(...outcomeLines({ origin, index: read.index, opening, isInTree }, placed));
    }
    const finding = findingOf(opening, time);
    const placed = { origin, index: read.index, opening, isInTree };
    return { lines, content: { ...placed, seen, witnesses: quorumOf(trust), finding } };
  } catch (error) {
    if (error instanceof Malformed) return { lines: [formLine(proof, error), ...UNREAD], content: null };
    throw error;
  }
}

/** The lines of `verifyProof`. */
export async function verifyFile(...proof: Parameters<typeof verifyProof>): Promise<readonly Line[]> {
  return (await verifyProof(...proof)).lines;
}

function quorumOf({ cosignatures, quorumAt }: CheckpointTrust): number {
  return quorumAt === null ? 0 : cosignatures.filter(({ time }) => time <= quorumAt).length;
}

/** A proof keeps its first checkpoint with a quorum or a timestamp: one with a timestamp alone says nothing against the log. */
export function seenLines(witnesses: Line, timestamp: Line | undefined): readonly Line[] {
  if (timestamp?.verdict !== 'holds' || witnesses.verdict !== 'FAILS')
    return timestamp ? [witnesses, timestamp] : [witnesses];
  return [line('not checked', 'witnesses', `${witnesses.detail}; it has a timestamp alone`), timestamp];
}

/** Editors and mail programs change line ends; nobody has to suspect the log of it. */
function formLine(proof: string, { message }: Malformed): Line {
  const get = 'nothing in it was checked: get the file again, or restore that';
  if (isProof(proof.replaceAll('\r\n', '\n')))
    return line('not checked', 'form', `the lines of the file end with CR LF, as a program changed them; ${get}`);
  if (isProof(`${proof}\n`)) return line('not checked', 'form', `the last newline of the file is gone; ${get}`);
  if (isProof(`${proof.replaceAll('\r\n', '\n')}\n`))
    return line('not checked', 'form', `the lines end with CR LF, and the last newline is gone; ${get}`);
  return line('FAILS', 'form', message);
}

function isProof(text: string): boolean {
  try {
    const { checkpoint } = proofOf(text);
    return checkpointOf(noteOf(checkpoint).text).size > 0;
  } catch {
    return false;
  }
}

/**
 * Whether the lines say that the leaf was logged as it is shown, and in time where the reader brought who could see that: a
 * policy with a quorum, or trusted time-stamp authorities.
 */
export function isProved(lines: readonly Line[]): boolean {
  const verdictOf = (subject: string) => lines.find((each) => each.subject === subject)?.verdict;
  if (lines.some(({ verdict }) => verdict === 'FAILS' || verdict === 'late')) return false;
  const isTimed = verdictOf('witnesses') === 'holds' || verdictOf('timestamp') !== undefined;
  if (isTimed && (verdictOf('time') ?? 'holds') !== 'holds') return false;
  return ['signature', 'inclusion', 'opening'].every((subject) => verdictOf(subject) === 'holds');
}

const UNREAD = ['signature', 'inclusion', 'opening'].map((subject) => line('not checked', subject, 'see form'));

function leafLines(
  { index, hashes }: LogProof,
  opening: Opening,
  trust: CheckpointTrust,
  time: TimeProof,
): readonly Line[] {
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
    ...timeLine(opening, time),
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

const NEWER = 'get a newer verifier: this one does not know leaves of this kind';

/** Of a leaf that is in the tree: any other one was changed. */
function opensNewerLeaf({ extra, index, hashes }: LogProof, head: TreeHead): boolean {
  try {
    const leaf = utf8(canonicalJson(JSON.parse(textOfUtf8(extra ?? Uint8Array.of())).leaf));
    return isNewerLeaf(leaf) && isIncluded({ index, hash: leafHash(leaf, sha256) }, head, hashes, sha256);
  } catch {
    return false;
  }
}

/** Null for a text that is no proof with an opening: the lines of that file say so. */
function placedIn(text: string, inTree: ReadonlySet<string>): PlacedOpening | null {
  try {
    const proof = proofOf(text);
    const opening = openingIn(proof);
    const { origin } = checkpointOf(noteOf(proof.checkpoint).text);
    return typeof opening === 'string' ? null : { origin, index: proof.index, opening, isInTree: inTree.has(text) };
  } catch {
    return null;
  }
}

function outcomeLines(
  placed: PlacedOpening & { readonly opening: OutcomeOpening },
  others: readonly PlacedOpening[],
): readonly Line[] {
  const { opening } = placed;
  const graded = gradedOpening(placed, others);
  const decision = graded?.isSameTree ? graded.of.opening : null;
  const statement = decision && isStated(decision) ? decision.public_statement : null;
  return [bucketLine(opening), decisionLine(placed, graded), barsLine(opening, statement)];
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
