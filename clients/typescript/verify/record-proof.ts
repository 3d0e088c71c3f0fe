import { equalBytes, hashOfBase64, Malformed, textOfUtf8 } from '../../../domain/log/encoding.ts';
import { type CheckpointTrust, checkpointOf, judgeCheckpoint } from '../../../domain/log/notes/checkpoint.ts';
import { noteOf } from '../../../domain/log/notes/note.ts';
import { isQuorum, type LogPolicy } from '../../../domain/log/notes/policy.ts';
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
import { ed25519Verify, policyIn, signatureLine, witnessLine } from './audit.ts';
import { canonicalJson } from './decisions-line.ts';
import type { ReadServed } from './read-log.ts';
import { dayOf, drawing, fateOf, type JudgedDecision, recordCounts } from './record-counts.ts';
import { type MarkReading, readMarks } from './record-reading.ts';
import { sha256 } from './sha256.ts';
import { checked, counted, type Line, line } from './verdict.ts';

export interface VerifiedRecord {
  readonly lines: readonly Line[];
  /** `proved: ...`, `not proved: ...` or `FAILS: ...`: whether the file has all of it. */
  readonly whole: string;
  /** One sign for each decision; null where it is not known what became of them. */
  readonly drawn: string | null;
}

/**
 * Verifies the file of a whole record of an agent.
 * @param policy the text of a tlog-policy; null for none
 * @param served reads the log; null where it is not at hand: later decisions are not seen then
 */
export async function verifyRecord(
  text: string,
  policy: string | null,
  served: ReadServed | null,
): Promise<VerifiedRecord> {
  try {
    return await verified(recordFileOf(text), policyIn(policy), served);
  } catch (error) {
    if (!(error instanceof Malformed)) throw error;
    return { lines: [line('FAILS', 'form', error.message)], whole: `FAILS: ${error.message}`, drawn: null };
  }
}

async function verified(file: RecordFile, policy: LogPolicy, served: ReadServed | null): Promise<VerifiedRecord> {
  const note = noteOf(file.head.checkpoint);
  const trust = await judgeCheckpoint(note, policy, ed25519Verify);
  const head = checkpointOf(note.text);
  const own = [signatureLine(trust, policy), witnessLine(trust, policy), ...fileLines(file, head)];
  if (hasFailed(own)) return { lines: own, whole: `FAILS: ${failureOf(own)}`, drawn: null };
  if (served === null) {
    const whole = 'not proved: later ones are not seen';
    return { lines: own, whole, drawn: null };
  }
  const read = await readingOf(file, head, policy, served);
  const lines = [...own, ...read.lines];
  if (!read.marks || hasFailed(lines)) return { lines, whole: `FAILS: ${failureOf(lines)}`, drawn: null };
  const judged = await judgedDecisions(file, read.marks, policy);
  const words = { file, head, trust, marks: read.marks, judged };
  const signed = own.every(({ subject, verdict }) => subject !== 'signature' || verdict === 'holds');
  return {
    lines,
    whole: signed ? wholeOf(words) : 'not proved: the signature was not checked',
    drawn: drawing(judged),
  };
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
      `${placed.length} leaves are in the tree`,
      `the leaf ${torn?.index} is not in the tree`,
    ),
    checked(!closed, 'opening', `${count} open their leaves`, `number ${numberOf(closed)} does not open its leaf`),
    checked(!other, 'producer', `all are of ${agent_id}`, `number ${numberOf(other)} is of another agent`),
  ];
}

function numberOf(each: RecordDecision | undefined): number | undefined {
  return each?.producer.number;
}

function isPlaced(each: RecordLeaf, head: TreeHead): boolean {
  const { index, path } = each;
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
  const detail = `the log has ${newest.size} leaves as ${newest.origin}; the file has ${head.size} of ${head.origin}`;
  if (newest.size < head.size || (policy.logs.length > 0 && !signed)) {
    return { lines: [line('FAILS', 'log', signed ? detail : `${detail}; its checkpoint is not signed`)], marks: null };
  }
  const receipts = file.decisions.flatMap(({ note: receipt }) => checkpointOf(noteOf(receipt).text));
  const sizes = new Set([newest.size, head.size, ...receipts.map(({ size }) => size)]);
  const wanted = new Set(file.decisions.flatMap((each) => [markOf(each), each.producer.next_mark]));
  const marks = await readMarks(served, newest, wanted, sizes, head.size);
  const { faults, continued } = marks;
  const origins = [newest.origin, ...continued.map(({ of }) => of)];
  const by = continued.find(({ of }) => of === head.origin);
  if (!origins.includes(head.origin) || (by && by.index < head.size)) {
    const goesOn = by ? `${detail}, and the log goes on with ${by.index} of these` : detail;
    return { lines: [line('FAILS', 'log', goesOn)], marks: null };
  }
  const others = [newest, head, ...receipts].filter(
    ({ size, root, origin }) =>
      !origins.includes(origin) || !equalBytes(root, marks.roots.get(size) ?? Uint8Array.of()),
  );
  return {
    marks,
    lines: [
      checked(
        others.length === 0,
        'leaves',
        `${newest.size} leaves have the roots of all checkpoints`,
        `the leaves do not have the root of the checkpoint of ${others[0]?.size} leaves`,
      ),
      checked(faults.length === 0, 'rules', 'every leaf may follow those before it', `${faults.length}: ${faults[0]}`),
    ],
  };
}

function markOf({ leaf }: RecordDecision): string {
  return leaf.v === 2 ? leaf.mark : '';
}

async function judgedDecisions(
  { decisions }: RecordFile,
  { states }: MarkReading,
  policy: LogPolicy,
): Promise<readonly JudgedDecision[]> {
  const seen = new Map<string, number | null>();
  for (const { note } of decisions) {
    if (!seen.has(note)) seen.set(note, seenAt(await judgeCheckpoint(noteOf(note), policy, ed25519Verify), policy));
  }
  return decisions.map((each) => ({
    line: each,
    fate: fateOf(each, states(each.index)),
    seen: seen.get(each.note) ?? null,
  }));
}

/** When a quorum of the policy had cosigned a checkpoint, in POSIX seconds; null without one. */
function seenAt({ witnessed, cosignatures }: CheckpointTrust, policy: LogPolicy): number | null {
  if (!witnessed || policy.quorum === null) return null;
  const inTurn = cosignatures.toSorted((a, b) => a.time - b.time);
  const enough = inTurn.findIndex((_, n) =>
    isQuorum(policy, new Set(inTurn.slice(0, n + 1).map((each) => each.witness))),
  );
  return inTurn[enough]?.time ?? null;
}

interface Whole {
  readonly file: RecordFile;
  readonly head: ReturnType<typeof checkpointOf>;
  readonly trust: CheckpointTrust;
  readonly marks: MarkReading;
  readonly judged: readonly JudgedDecision[];
}

/** Whether the numbers have no gap, each mark is there once, and that of the next number nowhere. */
function wholeOf({ file, head, trust, marks, judged }: Whole): string {
  const fault = gapOf(file, head, marks);
  if (fault !== null) return fault;
  const { decisions, end } = file;
  const hidden = judged.filter(({ fate }) => fate === 'hidden').map(({ line: each }) => each.producer.number);
  const seen = trust.cosignatures.length === 0 ? null : Math.max(...trust.cosignatures.map(({ time }) => time));
  const to = `to leaf ${head.size - 1}${seen === null ? '' : ` (${dayOf(seen)})`}`;
  const all = `${decisions.length} of ${decisions.length} decisions of ${file.head.agent_id}, ${to}: ${recordCounts(judged)}`;
  if (hidden.length > 0)
    return `not proved: the grades of the numbers ${hidden.join(', ')} are logged and not shown; ${all}`;
  if (end.imported > 0)
    return `not proved: ${counted(end.imported, 'decision')} of the agent are older than this log; ${all}`;
  return `proved: ${all}${since(file)}`;
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
    if (places.length !== 1) return `FAILS: number ${number} is logged ${places.length} times, at ${places.join(', ')}`;
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

function failureOf(lines: readonly Line[]): string {
  return lines.find(({ verdict }) => verdict === 'FAILS')?.detail ?? '';
}
