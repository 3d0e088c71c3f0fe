import { equalBytes, hashOfBase64, Malformed, textOfUtf8 } from '../../../domain/log/encoding.ts';
import { checkpointOf, judgeCheckpoint } from '../../../domain/log/notes/checkpoint.ts';
import { noteOf } from '../../../domain/log/notes/note.ts';
import type { LogPolicy } from '../../../domain/log/notes/policy.ts';
import {
  leafOfLine,
  opensRecordLeaf,
  type RecordDecision,
  type RecordFile,
  type RecordLeaf,
  recordFileOf,
} from '../../../domain/log/record-file.ts';
import { isIncluded, type TreeHead } from '../../../domain/log/tree/proof.ts';
import { leafHash } from '../../../domain/log/tree/tree.ts';
import { type Millis, SECOND, utcDate } from '../../../domain/time.ts';
import { ed25519Verify, namesLog, policyIn, signatureLine, unnamedText, witnessLine } from './audit.ts';
import { timesLine } from './audit-times.ts';
import { canonicalJson } from './decisions-line.ts';
import { bucketLine, gradesDecision } from './outcome-lines.ts';
import type { ReadServed } from './read-log.ts';
import { drawing, fateOf, gradedParts, type JudgedDecision, recordCounts } from './record-counts.ts';
import { type MarkReading, readMarks } from './record-reading.ts';
import { dayText } from './sentences.ts';
import { sha256 } from './sha256.ts';
import { type CheckStamps, type Seen, seenOf, type TimeFinding, timeFinding } from './time-line.ts';
import { checked, counted, type Line, line } from './verdict.ts';

export interface VerifiedRecord {
  /** In plain words. */
  readonly sentence: string;
  readonly lines: readonly Line[];
  /** `proved: ...`, `not proved: ...` or `FAILS: ...`: whether the file has all of it. */
  readonly whole: string;
  /** By their numbers; none where the file, or the log, is not what it says. Without the log nobody knows which are open or closed. */
  readonly decisions: readonly JudgedDecision[];
  /** One sign for each decision; null where the log is not at hand. */
  readonly drawn: string | null;
}

/** What a record is verified by, in addition to a policy. */
export interface RecordMeans {
  /** Reads the log; null where it is not at hand: later decisions are not seen then. */
  readonly served: ReadServed | null;
  /** Null without trusted time-stamp authorities. */
  readonly stamps: CheckStamps | null;
  /** Whether the witnesses are those that the log names itself. */
  readonly isLearnt?: boolean;
}

/**
 * Verifies the file of a whole record of an agent.
 * @param policy the text of a tlog-policy; null for none
 */
export async function verifyRecord(text: string, policy: string | null, means: RecordMeans): Promise<VerifiedRecord> {
  try {
    return await verified(recordFileOf(text), policyIn(policy), means);
  } catch (error) {
    if (!(error instanceof Malformed)) throw error;
    return nothing([line('FAILS', 'form', error.message)]);
  }
}

async function verified(file: RecordFile, policy: LogPolicy, means: RecordMeans): Promise<VerifiedRecord> {
  const note = noteOf(file.head.checkpoint);
  const trust = await judgeCheckpoint(note, policy, ed25519Verify);
  const head = checkpointOf(note.text);
  const own = [signatureLine(trust, policy), witnessLine(trust, policy), ...fileLines(file, head)];
  if (hasFailed(own)) return nothing(own);
  const read = means.served === null ? null : await readingOf(file, head, policy, means.served);
  const content = [...own, ...(read?.lines ?? [])];
  if (hasFailed(content)) return nothing(content);
  const marks = read?.marks ?? null;
  const decisions = await judgedDecisions(file, marks, policy, means.stamps);
  const lines = [...content, timesLineOf(decisions)];
  const seen = trust.quorumAt === null ? null : trust.quorumAt * SECOND;
  const words = { file, head, seen, isLearnt: means.isLearnt ?? false, judged: decisions };
  const whole = trust.signed ? wholeOf(words, marks) : `not proved: ${UNSIGNED}`;
  return { sentence: sentenceOf(words, whole), lines, whole, decisions, drawn: marks && drawing(decisions) };
}

const UNSIGNED = 'the signature was not checked';

/** Of a file that is not what it says. */
function nothing(lines: readonly Line[]): VerifiedRecord {
  const failure = lines.find(({ verdict }) => verdict === 'FAILS');
  const sentence = `Nothing in this file counts: ${failure?.subject} FAILS.`;
  return { sentence, lines, whole: `FAILS: ${failure?.detail}`, decisions: [], drawn: null };
}

/** What the file says by itself. */
function fileLines({ head: { agent_id }, decisions, end }: RecordFile, head: TreeHead): readonly Line[] {
  const placed = decisions.flatMap((each): readonly RecordLeaf[] => (each.outcome ? [each, each.outcome] : [each]));
  const torn = placed.find((each) => !isPlaced(each, head));
  const closed = decisions.find((each) => !opensRecordLeaf(each, canonicalJson, sha256));
  const other = decisions.find(({ producer }) => producer.agent_id !== agent_id);
  const count = counted(decisions.length, 'decision');
  const isWhole = decisions.length === end.decisions;
  return [
    checked(
      isWhole,
      'file',
      count,
      `its last line says ${counted(end.decisions, 'decision')}, and it has ${decisions.length}`,
    ),
    checked(
      !torn,
      'inclusion',
      `${counted(placed.length, 'leaf is', 'leaves are')} in the tree`,
      `leaf ${torn?.index} is not in the tree, or not in that of its receipt`,
    ),
    checked(
      !closed,
      'opening',
      counted(decisions.length, 'decision opens its leaf', 'decisions open their leaves'),
      `number ${numberOf(closed)} does not open its leaf`,
    ),
    checked(
      !other,
      'producer',
      `${decisions.length === 1 ? 'it is' : 'all are'} of ${agent_id}`,
      `number ${numberOf(other)} is of another agent`,
    ),
    ...bucketLines(decisions),
  ];
}

/** Whether the bucket of each grade follows from its facts, as for single receipts; nothing without a grade. */
function bucketLines(decisions: readonly RecordDecision[]): readonly Line[] {
  const graded = decisions.filter(({ outcome }) => outcome);
  const fault = graded.map(bucketFault).find((each) => each !== null);
  if (graded.length === 0) return [];
  const count = counted(graded.length, 'bucket follows from its facts', 'buckets follow from their facts');
  return [checked(fault === undefined, 'bucket', count, fault ?? '')];
}

function bucketFault({ producer: { number }, outcome, public_statement }: RecordDecision): string | null {
  if (!outcome) return null;
  const { verdict, detail } = bucketLine(outcome);
  if (verdict !== 'holds') return `number ${number}: ${detail}`;
  if (!public_statement) return `number ${number} has a grade, and does not say what it is of`;
  return gradesDecision(outcome, { public_statement }) ? null : `number ${number} does not fit its grade`;
}

function numberOf(each: RecordDecision | undefined): number | undefined {
  return each?.producer.number;
}

/** A receipt from before its leaf was there would show an earlier time. */
function isPlaced(each: RecordLeaf, head: TreeHead): boolean {
  const { index, path, note } = each;
  if (checkpointOf(noteOf(note).text).size <= index) return false;
  return isIncluded({ index, hash: leafHash(leafOfLine(each), sha256) }, head, path.map(hashOfBase64), sha256);
}

/** The lines about the log, and what it says of the marks; null where it is another log. */
async function readingOf(
  file: RecordFile,
  head: ReturnType<typeof checkpointOf>,
  policy: LogPolicy,
  served: ReadServed,
): Promise<{ readonly lines: readonly Line[]; readonly marks: MarkReading | null }> {
  const note = noteOf(textOfUtf8(await served('checkpoint')));
  const newest = checkpointOf(note.text);
  const { signed } = await judgeCheckpoint(note, policy, ed25519Verify);
  const detail = `the log has ${counted(newest.size, 'leaf', 'leaves')} as ${newest.origin}; the file has ${head.size} of ${head.origin}`;
  if (policy.logs.length > 0 && !namesLog(policy, newest.origin))
    return { lines: [line('not checked', 'log', unnamedText(newest.origin))], marks: null };
  if (newest.size < head.size || (policy.logs.length > 0 && !signed)) {
    return { lines: [line('FAILS', 'log', signed ? detail : `${detail}; its checkpoint is not signed`)], marks: null };
  }
  const receipts = file.decisions.flatMap(({ note: receipt }) => checkpointOf(noteOf(receipt).text));
  const sizes = new Set([newest.size, head.size, ...receipts.map(({ size }) => size)]);
  const wanted = new Set(file.decisions.flatMap((each) => [markOf(each), each.producer.next_mark]));
  const marks = await readMarks(served, newest, wanted, sizes, head.size);
  const { faults, continued } = marks;
  // A restored log may not name one of before, whose receipts are of its tree all the same.
  const isHere = ({ size, root }: TreeHead) => equalBytes(root, marks.roots.get(size) ?? Uint8Array.of());
  const isNamed = [newest, ...continued.map(({ of }) => ({ origin: of }))].some(({ origin }) => origin === head.origin);
  const by = continued.find(({ of }) => of === head.origin);
  if ((!isNamed && !isHere(head)) || (by && by.index < head.size)) {
    const goesOn = by ? `${detail}, and the log goes on with ${by.index} of these` : detail;
    return { lines: [line('FAILS', 'log', goesOn)], marks: null };
  }
  const others = [newest, head, ...receipts].filter((each) => !isHere(each));
  return {
    marks,
    lines: [
      checked(
        others.length === 0,
        'leaves',
        `${counted(newest.size, 'leaf has', 'leaves have')} the roots of all checkpoints`,
        `the leaves do not have the root of the checkpoint of ${counted(others[0]?.size ?? 0, 'leaf', 'leaves')}`,
      ),
      checked(faults.length === 0, 'rules', 'every leaf may follow those before it', `${faults.length}: ${faults[0]}`),
    ],
  };
}

function markOf({ leaf }: RecordDecision): string {
  return leaf.v === 2 ? leaf.mark : '';
}

const UNSEEN: Seen = { quorum: null, timestamp: null };

/** @param marks null where the log is not at hand */
async function judgedDecisions(
  { decisions, head }: RecordFile,
  marks: MarkReading | null,
  policy: LogPolicy,
  stamps: CheckStamps | null,
): Promise<readonly JudgedDecision[]> {
  const { origin } = checkpointOf(noteOf(head.checkpoint).text);
  const known = new Map<string, Seen>();
  const judged: JudgedDecision[] = [];
  for (const each of decisions) {
    // Only the log shows that a log which it goes on with had the leaf.
    const isOther = marks === null && checkpointOf(noteOf(each.note).text).origin !== origin;
    const seen = isOther ? UNSEEN : (known.get(each.note) ?? (await seenIn(each.note, policy, stamps)));
    known.set(each.note, seen);
    judged.push({ line: each, ...fateOf(each, marks?.states ?? null), seen, finding: findingIn(each, seen) });
  }
  return judged;
}

async function seenIn(text: string, policy: LogPolicy, stamps: CheckStamps | null): Promise<Seen> {
  const note = noteOf(text);
  return seenOf(await judgeCheckpoint(note, policy, ed25519Verify), (await stamps?.(note))?.valid ?? []);
}

/** The time verdict of a realtime decision. @throws Malformed for a statement without a possible window */
function findingIn({ index, leaf, public_statement }: RecordDecision, seen: Seen): TimeFinding | null {
  if (public_statement?.submission_origin !== 'realtime') return null;
  try {
    return timeFinding({ leaf, public_statement }, { ...seen, index, reads: [] });
  } catch {
    throw new Malformed(`The statement of leaf ${index} has no possible window.`);
  }
}

function timesLineOf(decisions: readonly JudgedDecision[]): Line {
  return timesLine(decisions.flatMap(({ finding }) => finding ?? []));
}

interface Whole {
  readonly file: RecordFile;
  readonly head: ReturnType<typeof checkpointOf>;
  /** When a quorum of the witnesses of the policy had seen the head; null for no quorum. */
  readonly seen: Millis | null;
  readonly isLearnt: boolean;
  readonly judged: readonly JudgedDecision[];
}

/**
 * Whether the numbers have no gap, each mark is there once, and that of the next number nowhere.
 * @param marks null where the log is not at hand
 */
function wholeOf({ file, head, seen, judged }: Whole, marks: MarkReading | null): string {
  if (marks === null) return 'not proved: later ones are not seen';
  const fault = gapOf(file, head, marks);
  if (fault !== null) return fault;
  const { decisions, end } = file;
  const hidden = judged.filter(({ fate }) => fate === 'hidden').map(({ line: each }) => each.producer.number);
  const to = `to leaf ${head.size - 1}${seen === null ? '' : ` (${utcDate(seen)})`}`;
  const count = `${decisions.length} of ${counted(decisions.length, 'decision')}`;
  const all = `${count} of ${file.head.agent_id}, ${to}: ${recordCounts(judged)}`;
  if (hidden.length > 0) {
    const grades = hidden.length === 1 ? 'the grade of the number' : 'the grades of the numbers';
    const are = hidden.length === 1 ? 'is' : 'are';
    return `not proved: ${grades} ${hidden.join(', ')} ${are} logged and not shown; ${all}`;
  }
  if (end.imported > 0) {
    const older = counted(end.imported, 'decision of the agent is', 'decisions of the agent are');
    return `not proved: ${older} older than this log; ${all}`;
  }
  return `proved: ${all}${since(file)}`;
}

const AGENT_ID = /^agt_[0-9a-f]{12}$/;

/** @param whole whether the file has all of it, as `wholeOf` says it */
function sentenceOf({ file, head, seen, isLearnt, judged }: Whole, whole: string): string {
  const { agent_id } = file.head;
  const agent = AGENT_ID.test(agent_id) ? agent_id : 'an agent';
  const [verdict = '', reason = ''] = whole.split(/: (.*)/s);
  const others = isLearnt ? 'witnesses that the log itself names' : 'others';
  const until = seen === null ? '' : `, seen by ${others} on ${dayText(seen)}`;
  const count = counted(judged.length, 'decision');
  if (verdict === 'FAILS') return `This is not the whole record of ${agent}: ${reason}.`;
  if (verdict === 'proved')
    return `This is the whole record of ${agent} up to leaf ${head.size - 1}${until}: ${count}, ${fatesText(judged)}.`;
  if (reason === UNSIGNED) return `Nothing in this file counts: ${reason}.`;
  const are = judged.length === 1 ? 'is' : 'are';
  return `The ${count} in this file ${are} of ${agent}, and ${are} not shown to be all: ${reason.split(';')[0]}.`;
}

function fatesText(judged: readonly JudgedDecision[]): string {
  const count = (isOne: (each: JudgedDecision) => boolean) => judged.filter(isOne).length;
  const { counted: inTime, retroactive, late } = gradedParts(judged);
  const unseen = count(({ finding }) => finding?.kind === 'nobody');
  return [
    `${inTime.length} graded`,
    ...(retroactive.length > 0 ? [`${retroactive.length} graded that are retroactive`] : []),
    ...(late.length > 0 ? [`${late.length} graded that were logged late`] : []),
    `${count(({ fate }) => fate === 'open')} open`,
    `${count(({ fate }) => fate === 'closed')} closed by reason`,
    ...(unseen > 0 ? [`and nobody else saw when ${unseen} of them ${unseen === 1 ? 'was' : 'were'} stated`] : []),
  ].join(', ');
}

function gapOf({ decisions, end }: RecordFile, head: TreeHead, { marks }: MarkReading): string | null {
  const logged = (mark: string) => marks.get(mark) ?? [];
  const numbers = decisions.map(({ producer }) => producer.number);
  const twice = numbers.find((number, n) => numbers[n + 1] === number);
  if (twice !== undefined) return `FAILS: number ${twice} is given twice`;
  let expected = end.imported + 1;
  let next: string | null = null;
  for (const each of decisions) {
    const { number, next_mark } = each.producer;
    if (number < expected) return `FAILS: number ${number} is logged, and the file calls it older than the log`;
    if (number > expected) return missing(expected, next, head, logged);
    if (next !== null && markOf(each) !== next)
      return `FAILS: number ${number} has another mark than the one before it names`;
    const places = logged(markOf(each));
    if (places.length === 0) return `FAILS: number ${number} is not logged`;
    if (places.length > 1) return `FAILS: number ${number} is logged ${places.length} times, at ${places.join(', ')}`;
    [expected, next] = [number + 1, next_mark];
  }
  if (next === null) return 'not proved: the file has no numbered decision';
  return logged(next).length === 0 ? null : missing(expected, next, head, logged);
}

/** @param mark that of the number; null where no line names it */
function missing(
  number: number,
  mark: string | null,
  { size }: TreeHead,
  logged: (mark: string) => readonly number[],
): string {
  if (mark === null) return `FAILS: number ${number} is not shown`;
  const [index] = logged(mark);
  if (index === undefined) return `FAILS: number ${number} is not shown, and the log does not have it`;
  if (index < size) return `FAILS: number ${number} is logged and not shown`;
  return `not proved: number ${number} was logged after this file was made, at leaf ${index}; ask for a newer file`;
}

/** Decisions from before there were numbers are in no such file. */
function since({ decisions, end }: RecordFile): string {
  if (!end.earlier) return '';
  const first = decisions[0]?.public_statement?.submission_time.slice(0, 'YYYY-MM-DD'.length);
  return `; earlier ones have no number: from ${first ?? 'number 1'} on`;
}

function hasFailed(lines: readonly Line[]): boolean {
  return lines.some(({ verdict }) => verdict === 'FAILS');
}
