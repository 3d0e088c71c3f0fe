import { DIRECTIONS, HORIZON_KINDS } from '../../../domain/decisions/call.ts';
import { RESULT_BUCKETS } from '../../../domain/grading/outcome.ts';
import type { ClosingReason } from '../../../domain/log/leaves/leaf.ts';
import { LEAF_STATE } from '../../../domain/log/leaves/leaf-audit.ts';
import type { DecisionOpening, Opening, OutcomeOpening, PlanOpening } from '../../../domain/log/leaves/opening.ts';
import { isPlan, isStated } from '../../../domain/log/leaves/verify-opening.ts';
import { MINUTE, type Millis } from '../../../domain/time.ts';
import { gradedOpening, isOutcome } from './outcome-lines.ts';
import { percentText } from './time-line.ts';
import { counted, escaped, type Line } from './verdict.ts';
import type { ProofContent, VerifiedProof } from './verify-file.ts';

/** A proof with the name of its file. */
export interface NamedProof extends VerifiedProof {
  readonly name: string;
}

/** What an earlier audit read of a decision. */
export interface ReadState {
  /** One of `LEAF_STATE`. */
  readonly state: number;
  readonly reason: ClosingReason | null;
}

export interface SentenceMeans {
  /** The witnesses are those that the log names itself. */
  readonly isLearnt: boolean;
  /** Null where no audit read the leaf. */
  readonly stateOf: (content: ProofContent) => ReadState | null;
}

export const NO_STATES: SentenceMeans = { isLearnt: false, stateOf: () => null };

/** One sentence for each decision, plan and lonely grade of some proofs. None says what a line does not show. */
export function sentencesOf(proofs: readonly NamedProof[], means: SentenceMeans = NO_STATES): readonly string[] {
  const grades = gradesOf(proofs);
  const joined = new Set(grades.of.values());
  const alone = proofs.filter((each) => !joined.has(each));
  const isAlone = alone.length === 1;
  return alone.map((proof) => {
    const isUnsure = grades.unsure.has(proof);
    return escaped(sentenceOf({ proof, grade: grades.of.get(proof), isAlone, isUnsure }, means));
  });
}

/** Which files are of the same decision. */
interface Grades {
  /** By the proof of the decision. */
  readonly of: ReadonlyMap<NamedProof, NamedProof>;
  /** Decisions and grades of logs that may have one tree, which their files alone do not show. */
  readonly unsure: ReadonlySet<NamedProof>;
}

/** Each grade is of the first proof of its decision's leaf, with which its lines compare it. */
function gradesOf(proofs: readonly NamedProof[]): Grades {
  const placed = proofs.flatMap((proof) => (proof.content ? [{ ...proof.content, proof }] : []));
  const decisions = placed.filter(({ opening }) => isStated(opening));
  const of = new Map<NamedProof, NamedProof>();
  const unsure = new Set<NamedProof>();
  for (const { opening, proof, ...place } of placed) {
    const graded = isOutcome(opening) ? gradedOpening({ ...place, opening }, decisions) : null;
    if (graded?.isSameTree && !of.has(graded.of.proof)) of.set(graded.of.proof, proof);
    if (graded?.isSameTree === false) unsure.add(graded.of.proof).add(proof);
  }
  return { of, unsure };
}

interface Joined {
  readonly proof: NamedProof;
  readonly grade: NamedProof | undefined;
  readonly isAlone: boolean;
  /** Whether another file is of the same decision is not known. */
  readonly isUnsure: boolean;
}

function sentenceOf({ proof, grade, isAlone, isUnsure }: Joined, means: SentenceMeans): string {
  const { name, lines, content } = proof;
  const missing = unshown(lines);
  if (content === null || missing !== undefined) return `Nothing in ${name} is shown: ${missing ?? 'see its lines'}.`;
  const { opening } = content;
  const failed = [...lines, ...(grade?.lines ?? [])].filter(({ verdict }) => verdict === 'FAILS');
  const end = failed.length === 0 ? '.' : `; FAILS: ${[...new Set(failed.map(({ subject }) => subject))].join(', ')}.`;
  if (isOutcome(opening)) {
    const among = isUnsure ? `may be among the files: ${SHOWN_BY_LOG}` : 'is not among the files';
    return `This grade${lonely(opening)}, is of a decision whose proof ${among}${end}`;
  }
  const time = timeClause(lines, content, opening, means);
  if (isPlan(opening)) return `This question, ${quoted(opening)}, ${time}${end}`;
  const graded =
    grade === undefined && isUnsure
      ? `, and a grade among the files may be of it: ${SHOWN_BY_LOG}`
      : gradeClause(grade, content, means, time);
  return `${named(opening, isAlone)}${said(opening, lines)} ${time}${graded}${end}`;
}

const SHOWN_BY_LOG = 'verify them with --log, as their logs may go on with each other';

const PROVED = ['signature', 'inclusion', 'opening'];

/** Why nothing of a file counts; undefined where it does. */
function unshown(lines: readonly Line[]): string | undefined {
  const holds = (subject: string) => lines.some((each) => each.subject === subject && each.verdict === 'holds');
  if (PROVED.every(holds)) return undefined;
  const open = lines.filter(({ subject, verdict }) => ['form', ...PROVED].includes(subject) && verdict !== 'holds');
  const worst = open.find(({ verdict }) => verdict === 'FAILS') ?? open[0];
  return worst?.verdict === 'FAILS' ? `${worst.subject} FAILS` : `${worst?.subject ?? 'it'} is not checked`;
}

const RECORD_ID = /^dec_\d{8}_[0-9a-f]{8}$/;
const SYMBOL = /^[A-Z0-9][A-Z0-9.^/_-]{0,31}$/i;

/** What the decision says. An opening may have any values, which must not read as words of the verifier. */
function said({ public_statement }: DecisionOpening, lines: readonly Line[]): string {
  const { direction, symbol, horizon_kind, horizon_value } = public_statement;
  const isRepeated = lines.every(({ subject, verdict }) => subject !== 'public statement' || verdict !== 'FAILS');
  const isKnown = DIRECTIONS.includes(direction) && HORIZON_KINDS.includes(horizon_kind);
  if (!isRepeated || !isKnown || !SYMBOL.test(String(symbol)) || !Number.isSafeInteger(horizon_value)) return '';
  const unit = horizon_kind === 'trading_days' ? 'trading day' : 'second';
  return `, ${direction} on ${symbol} over ${counted(horizon_value, unit)},`;
}

/** Its id where there are several. */
function named({ public_statement: { record_id } }: DecisionOpening, isAlone: boolean): string {
  return isAlone || !RECORD_ID.test(String(record_id)) ? 'This decision' : `The decision ${record_id}`;
}

function quoted({ statement }: PlanOpening): string {
  try {
    const { sentence } = JSON.parse(statement);
    return JSON.stringify(String(sentence));
  } catch {
    return 'of another form';
  }
}

function lonely({ public_outcome: { result_bucket } }: OutcomeOpening): string {
  return RESULT_BUCKETS.includes(result_bucket) ? `, ${result_bucket}` : '';
}

const TIME_LINES = ['witnesses', 'timestamp', 'time'];

function timeClause(
  lines: readonly Line[],
  content: ProofContent,
  opening: DecisionOpening | PlanOpening,
  means: SentenceMeans,
): string {
  if (isRetroactive(opening)) return 'is retroactive: its prices could be known when it was submitted';
  const failed = lines.some(({ subject, verdict }) => TIME_LINES.includes(subject) && verdict === 'FAILS');
  const { finding } = content;
  if (failed || finding === null) return 'is in the log, and when it was stated is not shown';
  const claim = `says that it was stated ${claimedAt(opening)}`;
  if (finding.kind === 'imported') return `${claim}, and is older than its log, which does not show when`;
  if (finding.kind === 'nobody') return `${claim}, and nobody else saw when`;
  const seen = `on ${dayText(finding.seen)} before ${clockAfter(finding.seen)} UTC`;
  if (finding.kind === 'held') return `was stated ${seen}, ${seenBy(content, means)}`;
  const share = `${percentText(finding.share)} of its window was over`;
  if (finding.kind === 'short')
    return `was stated ${seen}, ${seenBy(content, means)}, when up to ${share}: a log of minutes shows no more of so short a window`;
  const late = 'late, so that somebody could have chosen it knowing prices until then';
  if (finding.by === 'reading') return `${claim}, and was not in the log yet when it was read ${seen}: ${late}`;
  return `${claim}, and was only seen ${seen}, ${seenBy(content, means)}: ${late}`;
}

function isRetroactive(opening: DecisionOpening | PlanOpening): boolean {
  return isStated(opening) && opening.public_statement.submission_origin === 'retroactive';
}

function claimedAt(opening: Opening): string {
  const text = isStated(opening) ? opening.public_statement.submission_time : statedAt(opening);
  const time = Date.parse(text);
  return Number.isNaN(time) ? 'at no possible time' : `on ${dayText(time)} at ${clock(time)} UTC`;
}

function statedAt(opening: Opening): string {
  return isPlan(opening) ? String(JSON.parse(opening.statement).stated_at) : '';
}

/** The witnesses of a policy that the reader brings count as others; the name of an authority is what the log wrote. */
function seenBy({ seen: { quorum, timestamp }, witnesses }: ProofContent, { isLearnt }: SentenceMeans): string {
  const stamped = 'as a time-stamp authority shows';
  if (quorum === null) return stamped;
  const others = isLearnt
    ? `${countWord(witnesses)} ${witnesses === 1 ? 'witness' : 'witnesses'} that the log itself names`
    : `${countWord(witnesses)} ${witnesses === 1 ? 'other' : 'others'}`;
  return timestamp !== null && timestamp.time < quorum ? `${stamped}, and then seen by ${others}` : `seen by ${others}`;
}

const SMALL = ['no', 'one', 'two', 'three', 'four', 'five', 'six', 'seven', 'eight', 'nine', 'ten'];

function countWord(count: number): string {
  return SMALL[count] ?? String(count);
}

const GRADE_LINES = ['form', ...PROVED, 'bucket', 'decision', 'bars'];

function gradeClause(grade: NamedProof | undefined, content: ProofContent, means: SentenceMeans, time: string): string {
  const read = means.stateOf(content);
  if (grade?.content && isOutcome(grade.content.opening)) {
    const { public_outcome, evidence } = grade.content.opening;
    const verdictOf = (subject: string) => grade.lines.find((each) => each.subject === subject)?.verdict;
    const fails = grade.lines.some(({ subject, verdict }) => GRADE_LINES.includes(subject) && verdict === 'FAILS');
    const isShown = !fails && unshown(grade.lines) === undefined && verdictOf('bucket') === 'holds';
    if (!isShown || verdictOf('decision') !== 'holds') return ', and its grade is not shown';
    const unchecked = evidence ? 'were not checked' : 'are not in the files';
    const prices = verdictOf('bars') === 'holds' ? 'are in the file' : unchecked;
    const closed = read?.state === LEAF_STATE.closedGraded ? `, then closed${reasonText(read)}` : '';
    const graded = time.startsWith('was') ? 'graded' : 'was graded';
    return `, and ${graded} ${public_outcome.result_bucket} from prices that ${prices}${closed}`;
  }
  if (read?.state === LEAF_STATE.open) return ', and was not graded yet when the log was read';
  if (read?.state === LEAF_STATE.graded) return ', and was graded, which is not among the files';
  if (read?.state === LEAF_STATE.closedOpen) return `, and was closed before a grade${reasonText(read)}`;
  if (read?.state === LEAF_STATE.closedGraded) return `, and was closed after a grade${reasonText(read)}`;
  return ', and no grade of it is among the files';
}

function reasonText({ reason }: ReadState): string {
  return reason === null ? '' : ` (${reason})`;
}

const MONTHS = [
  ...['January', 'February', 'March', 'April', 'May', 'June', 'July'],
  ...['August', 'September', 'October', 'November', 'December'],
];

/** `28 November 2026`, in UTC. */
export function dayText(time: Millis): string {
  const date = new Date(time);
  return `${date.getUTCDate()} ${MONTHS[date.getUTCMonth()]} ${date.getUTCFullYear()}`;
}

function clock(time: Millis): string {
  return new Date(time).toISOString().slice('YYYY-MM-DDT'.length, 'YYYY-MM-DDTHH:MM'.length);
}

/** The minute that follows: what was seen was there before it began. The last of a day ends at 24:00. */
function clockAfter(time: Millis): string {
  const next = clock((Math.floor(time / MINUTE) + 1) * MINUTE);
  return next === '00:00' ? '24:00' : next;
}
