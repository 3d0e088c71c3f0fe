import type { Direction } from '../../../domain/decisions/call.ts';
import { derivedFacts } from '../../../domain/grading/had-said.ts';
import { RESULT_BUCKETS, type ResultBucket } from '../../../domain/grading/outcome.ts';
import { LOG } from '../../../domain/limits.ts';
import { LEAF_STATE } from '../../../domain/log/leaves/leaf-audit.ts';
import type { RecordDecision } from '../../../domain/log/record-file.ts';

/** What became of a decision of a record, as the log and the file say. */
export type Fate = ResultBucket | 'open' | 'closed' | 'hidden';

/** A decision of a record with what is known of it. */
export interface JudgedDecision {
  readonly line: RecordDecision;
  readonly fate: Fate;
  /** When others had seen its leaf, in POSIX seconds; null: nobody says. */
  readonly seen: number | null;
}

/** @param state of its leaf, one of `LEAF_STATE` */
export function fateOf({ outcome }: RecordDecision, state: number): Fate {
  const { open, graded } = LEAF_STATE;
  if (state !== open && state !== graded) return 'closed';
  if (state === open) return 'open';
  return outcome?.public_outcome.result_bucket ?? 'hidden';
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
  const graded = decisions.filter(({ fate }) => isGraded(fate));
  const apart = (isApart: (each: JudgedDecision) => boolean) => graded.filter(isApart);
  const [retroactive, late] = [apart(isRetroactive), apart((each) => !isRetroactive(each) && isLate(each))];
  const counted = graded.filter((each) => !isRetroactive(each) && !isLate(each));
  const [open, closed] = ['open', 'closed'].map((fate) => decisions.filter((each) => each.fate === fate));
  return [
    `${counted.length} graded ${buckets(counted)}${hadSaid(counted)}`,
    ...(retroactive.length > 0 ? [`${retroactive.length} retroactive ${buckets(retroactive)}`] : []),
    ...(late.length > 0 ? [`${late.length} late ${buckets(late)}`] : []),
    `${open?.length} open${oldest(open ?? [])}`,
    `${closed?.length} closed`,
  ].join(', ');
}

function isGraded(fate: Fate): fate is ResultBucket {
  return RESULT_BUCKETS.some((bucket) => bucket === fate);
}

function isRetroactive({ line }: JudgedDecision): boolean {
  return line.public_statement?.submission_origin === 'retroactive';
}

/** Seen more than five minutes after the end of its minute. */
function isLate({ line, seen }: JudgedDecision): boolean {
  const { public_statement } = line;
  return seen !== null && public_statement !== undefined && seen * 1_000 > latest(public_statement.submission_time);
}

function latest(minute: string): number {
  return Date.parse(minute) + 60_000 + LOG.includedWithin;
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
  const times = open.flatMap(({ seen }) => seen ?? []);
  return times.length === 0 ? '' : `, the oldest since ${dayOf(Math.min(...times))}`;
}

/** The UTC day of a time in POSIX seconds. */
export function dayOf(seconds: number): string {
  return new Date(seconds * 1_000).toISOString().slice(0, 'YYYY-MM-DD'.length);
}
