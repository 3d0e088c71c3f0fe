import type { Direction } from '../../../domain/decisions/call.ts';
import { derivedFacts } from '../../../domain/grading/bucket.ts';
import { RESULT_BUCKETS, type ResultBucket } from '../../../domain/grading/outcome.ts';
import type { ClosingReason } from '../../../domain/log/leaves/leaf.ts';
import { LEAF_STATE, type LeafAudit } from '../../../domain/log/leaves/leaf-audit.ts';
import type { RecordDecision } from '../../../domain/log/record-file.ts';
import { type Millis, utcDate } from '../../../domain/time.ts';
import type { Seen, TimeFinding } from './time-line.ts';

/** What became of a decision of a record, as the log and the file say. `hidden`: it is not open, as far as is known, and no grade is shown. */
export type Fate = ResultBucket | 'open' | 'closed' | 'hidden';

/** A decision of a record with what is known of it. */
export interface JudgedDecision {
  readonly line: RecordDecision;
  readonly fate: Fate;
  /** Of a closed one; null where the log does not say why. */
  readonly reason: ClosingReason | null;
  /** Of a closed one: it had a grade before. */
  readonly wasGraded: boolean;
  /** When others had seen its leaf. */
  readonly seen: Seen;
  /** What the times say of a realtime decision that others see; null for every other one. */
  readonly finding: TimeFinding | null;
}

/** @param log what it says of the leaf; null where it is not at hand */
export function fateOf(
  { index, outcome }: RecordDecision,
  log: Pick<LeafAudit, 'stateOf' | 'reasonOf'> | null,
): Pick<JudgedDecision, 'fate' | 'reason' | 'wasGraded'> {
  const shown = { fate: outcome?.public_outcome.result_bucket ?? 'hidden', reason: null, wasGraded: false } as const;
  if (log === null) return shown;
  const state = log.stateOf(index);
  if (state === LEAF_STATE.graded) return shown;
  if (state === LEAF_STATE.open) return { ...shown, fate: 'open' };
  return { fate: 'closed', reason: log.reasonOf(index), wasGraded: state === LEAF_STATE.closedGraded };
}

const SIGNS: Readonly<Record<Fate, string>> = {
  ...{ strong_correct: '#', weak_correct: '+', weak_incorrect: '-', strong_incorrect: '=' },
  ...{ open: '.', closed: 'x', hidden: '?' },
};

/** One sign for each decision, by their numbers. */
export function drawing(decisions: readonly JudgedDecision[]): string {
  return decisions.map(({ fate }) => SIGNS[fate]).join('');
}

export const LEGEND =
  '# strong_correct, + weak_correct, - weak_incorrect, = strong_incorrect, . open, x closed, ? not shown';

/** The counts of a record: realtime ones first, retroactive and late ones apart. */
export function recordCounts(decisions: readonly JudgedDecision[]): string {
  const { counted: inTime, retroactive, late } = gradedParts(decisions);
  const [open, closed] = (['open', 'closed'] as const).map((fate) => decisions.filter((each) => each.fate === fate));
  return [
    `${inTime.length} graded ${buckets(inTime)}${hadSaid(inTime)}`,
    ...(retroactive.length > 0 ? [`${retroactive.length} retroactive ${buckets(retroactive)}`] : []),
    ...(late.length > 0 ? [`${late.length} late ${buckets(late)}`] : []),
    `${open?.length} open${oldest(open ?? [])}`,
    closedCounts(closed ?? []),
    ...furtherCounts(decisions),
  ].join(', ');
}

/** A decision over several horizons is graded once for each: those that others see marked are counted, where there are some. */
function furtherCounts(decisions: readonly JudgedDecision[]): readonly string[] {
  const shown = decisions.flatMap(({ line: { public_statement } }) => public_statement ?? []);
  const further = shown.filter(({ further_horizon }) => further_horizon === true).length;
  return further === 0 ? [] : [`further horizons of the same decisions: ${further} of ${shown.length} public ones`];
}

/** Those with a grade that is shown: a retroactive or a late one says nothing about foresight, and is counted apart. */
export function gradedParts(decisions: readonly JudgedDecision[]) {
  const graded = decisions.filter(({ fate }) => isGraded(fate));
  const retroactive = graded.filter(isRetroactive);
  const late = graded.filter(({ finding }) => finding?.kind === 'late');
  return { counted: graded.filter((each) => !retroactive.includes(each) && !late.includes(each)), retroactive, late };
}

/** A decision that lost can be closed, so that each reason is counted, and those that had a grade. */
function closedCounts(closed: readonly JudgedDecision[]): string {
  if (closed.length === 0) return '0 closed';
  const reasons = new Map<string, number>();
  for (const { reason } of closed) {
    const name = reason ?? 'unknown';
    reasons.set(name, (reasons.get(name) ?? 0) + 1);
  }
  const after = closed.filter(({ wasGraded }) => wasGraded).length;
  const words = [...reasons].sort().map(([reason, count]) => `${count} ${reason}`);
  return `${closed.length} closed by reason (${words.join(', ')}${after > 0 ? `; ${after} after a grade` : ''})`;
}

function isGraded(fate: Fate): fate is ResultBucket {
  return RESULT_BUCKETS.some((bucket) => bucket === fate);
}

function isRetroactive({ line }: JudgedDecision): boolean {
  return line.public_statement?.submission_origin === 'retroactive';
}

function buckets(decisions: readonly JudgedDecision[]): string {
  return RESULT_BUCKETS.map((bucket) => decisions.filter(({ fate }) => fate === bucket).length).join('/');
}

const DIRECTIONS: readonly Direction[] = ['bullish', 'bearish', 'neutral'];

/** What each direction, said at each of them, would have got. */
function hadSaid(decisions: readonly JudgedDecision[]): string {
  const facts = decisions.flatMap(({ line: { public_statement, outcome } }) => {
    return public_statement && outcome
      ? [derivedFacts(public_statement.direction, outcome.public_outcome.outcome)]
      : [];
  });
  if (facts.length === 0) return '';
  const of = (direction: Direction) =>
    RESULT_BUCKETS.map((bucket) => facts.filter(({ had_said }) => had_said[direction] === bucket).length).join('/');
  return ` (had said ${DIRECTIONS.map((direction) => `${direction} ${of(direction)}`).join(', ')})`;
}

function oldest(open: readonly JudgedDecision[]): string {
  const times = open.flatMap(({ seen }) => firstSeen(seen) ?? []);
  return times.length === 0 ? '' : `, the oldest since ${utcDate(Math.min(...times))}`;
}

function firstSeen({ quorum, timestamp }: Seen): Millis | null {
  const times = [quorum, timestamp?.time ?? null].filter((time) => time !== null);
  return times.length === 0 ? null : Math.min(...times);
}
