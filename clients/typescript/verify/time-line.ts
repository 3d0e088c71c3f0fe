import { LOG } from '../../../domain/limits.ts';
import type { DecisionOpening, Opening, PlanOpening } from '../../../domain/log/leaves/opening.ts';
import type { PublicStatement } from '../../../domain/log/leaves/public-statement.ts';
import { isPlan, isStated } from '../../../domain/log/leaves/verify-opening.ts';
import type { CheckpointTrust } from '../../../domain/log/notes/checkpoint.ts';
import type { SignedNote } from '../../../domain/log/notes/note.ts';
import type { PlanStatement } from '../../../domain/plans/plan.ts';
import { type Millis, rfc3339, SECOND } from '../../../domain/time.ts';
import { isApproximate, statedWindows } from './bars-line.ts';
import { type Line, line } from './verdict.ts';

/** How many leaves a reader saw in a log, and when, in POSIX seconds: later leaves were not there yet. */
export type LogRead = readonly [size: number, time: number];

/** When others had seen a checkpoint; null for nobody. */
export interface Seen {
  /** A quorum of the witnesses of the policy. */
  readonly quorum: Millis | null;
  /** The earliest valid timestamp, with its accuracy; its name is that of the authority. */
  readonly timestamp: { readonly name: string; readonly time: Millis } | null;
}

/** What proves the time of a leaf. */
export interface TimeProof extends Seen {
  readonly index: number;
  /** Earlier readings of the same log. */
  readonly reads: readonly LogRead[];
}

/** A stamp of a checkpoint that was found to be valid. */
export interface ValidStamp {
  readonly name: string;
  /** When it was made, plus its accuracy. */
  readonly time: Millis;
}

/** Checks the timestamps of a checkpoint, by the authorities that the reader trusts. */
export type CheckStamps = (note: SignedNote) => Promise<{ readonly line: Line; readonly valid: readonly ValidStamp[] }>;

/** What the reader brings to judge times, in addition to a policy. */
export interface TimeSources {
  /** Of a log that has the leaves of these origins below these indexes: its own, and those of logs with which it goes on. */
  readonly reads: {
    readonly origins: readonly (readonly [origin: string, below: number])[];
    readonly each: readonly LogRead[];
  };
  /** Null without trusted authorities. */
  readonly stamps: CheckStamps | null;
  /** Texts of proofs whose leaves are in one tree, whichever log signed their checkpoints; none where no log was asked. */
  readonly inTree?: ReadonlySet<string>;
}

export const NO_SOURCES: TimeSources = { reads: { origins: [], each: [] }, stamps: null };

/** None for a leaf that was lost before the log that was read went on: that it is not there says nothing about when it was. */
export function readsOf({ reads }: TimeSources, origin: string, index: number): readonly LogRead[] {
  return reads.origins.some(([of, below]) => of === origin && index < below) ? reads.each : [];
}

export function seenOf({ signed, quorumAt }: CheckpointTrust, stamps: readonly ValidStamp[]): Seen {
  if (!signed) return { quorum: null, timestamp: null };
  const [timestamp = null] = [...stamps].sort((a, b) => a.time - b.time);
  return { quorum: quorumAt === null ? null : quorumAt * SECOND, timestamp };
}

/** What the times say of a realtime decision. */
export type TimeFinding =
  | { readonly kind: 'nobody' }
  | { readonly kind: 'imported' }
  | {
      /** `short`: in time for a log of minutes, and not for its window. */
      readonly kind: 'held' | 'short' | 'late';
      /** When it says that it was submitted, the start of that minute; of a plan the time at which it was stated. */
      readonly minute: Millis;
      readonly seen: Millis;
      /** Of the window, at the most: 1 is all of it. A plan has none. */
      readonly share: number;
      readonly isApproximate: boolean;
      readonly by: 'quorum' | 'timestamp' | 'reading';
    };

/** Whether an opening claims a time that a log can show: a realtime decision, or a plan. */
export function isTimed(opening: Opening): opening is DecisionOpening | PlanOpening {
  return isPlan(opening) || (isStated(opening) && opening.public_statement.submission_origin === 'realtime');
}

/**
 * Judges when the leaf of a realtime decision was seen. What an earlier reading did not contain was not there, whatever
 * others signed.
 * @throws TypeError for a statement without a possible window
 */
export function timeFinding(
  { leaf, public_statement }: Pick<DecisionOpening, 'public_statement'> & { readonly leaf: { readonly t: string } },
  proof: TimeProof,
): TimeFinding {
  if (leaf.t === 'imported') return { kind: 'imported' };
  const [first, last] = statedWindows(public_statement);
  if (!first || !last) throw new TypeError('A realtime decision has an earliest and a latest window.');
  const promised = last.anchor_time + LOG.includedWithin;
  const found = (seen: Millis, by: 'quorum' | 'timestamp' | 'reading'): TimeFinding => {
    const share = Math.max(0, seen - first.anchor_time) / Math.max(1, first.end_time - first.anchor_time);
    const kind = seen > promised ? 'late' : share <= LOG.promptShare ? 'held' : 'short';
    const minute = first.anchor_time;
    return { kind, minute, seen, share, isApproximate: isApproximate(public_statement, last), by };
  };
  const absent = absentAt(proof);
  if (absent !== null && absent > promised) return found(absent, 'reading');
  const { quorum, timestamp } = proof;
  if (quorum !== null && (timestamp === null || quorum <= Math.max(timestamp.time, promised)))
    return found(Math.min(quorum, timestamp?.time ?? quorum), 'quorum');
  return timestamp === null ? { kind: 'nobody' } : found(timestamp.time, 'timestamp');
}

/** When the leaf was last seen to be missing; null for never. */
function absentAt({ index, reads }: Pick<TimeProof, 'index' | 'reads'>): Millis | null {
  const times = reads.filter(([size]) => size <= index).map(([, time]) => time * SECOND);
  return times.length === 0 ? null : Math.max(...times);
}

/** What the times say of a realtime decision or a plan; null for everything else, and for one without a possible time. */
export function findingOf(opening: Opening, proof: TimeProof): TimeFinding | null {
  if (!isTimed(opening)) return null;
  try {
    return isPlan(opening) ? planFinding(opening, proof) : timeFinding(opening, proof);
  } catch {
    return null;
  }
}

/** The line `time` of a realtime decision or a plan; none for everything else. */
export function timeLine(opening: Opening, proof: TimeProof): readonly Line[] {
  if (!isTimed(opening)) return [];
  const impossible = line('FAILS', 'time', `the statement has no possible ${isPlan(opening) ? 'time' : 'window'}`);
  const finding = findingOf(opening, proof);
  if (finding === null) return [impossible];
  try {
    return [isPlan(opening) ? planLine(finding) : decisionTime(finding, opening.public_statement)];
  } catch {
    return [impossible];
  }
}

const NOBODY = 'no quorum of witnesses and no known time-stamp authority saw the checkpoint';

function decisionTime(finding: TimeFinding, { submission_time }: PublicStatement): Line {
  if (finding.kind === 'imported')
    return line('not checked', 'time', 'imported: the decision is older than its log, which does not prove its age');
  if (finding.kind === 'nobody') return line('not checked', 'time', NOBODY);
  const { kind, seen, share, by } = finding;
  const about = finding.isApproximate ? 'by weekdays ' : '';
  const over = `${about}${percentText(share)} of its window was over`;
  const submitted = `submitted in the minute of ${submission_time}`;
  if (by === 'reading') {
    return line(
      'late',
      'time',
      `not yet logged at ${rfc3339(seen)}, when --since was written, and ${submitted}: ${over}; ${CHOSEN}`,
    );
  }
  const detail = `seen at ${rfc3339(seen)}${by === 'timestamp' ? ' by a timestamp alone' : ''}, ${submitted}: ${over}`;
  if (kind === 'late') return line('late', 'time', `${detail}, later than the 5 minutes of the log; ${CHOSEN}`);
  if (kind === 'short')
    return line('not checked', 'time', `${detail}; a log of minutes cannot show it for so short a window`);
  return { ...line('holds', 'time', detail), ...(by === 'timestamp' && { byTimestamp: true }) };
}

const CHOSEN = 'somebody could have chosen it knowing prices until then';

/** Upwards to a tenth of a percent. */
export function percentText(share: number): string {
  return share > 1 ? 'all' : `${Math.ceil(1_000 * share - 1e-9) / 10} %`;
}

/** Only those who saw a plan say when it was stated, so that is its time. @throws TypeError for a statement without a time */
function planFinding({ statement }: PlanOpening, { quorum, timestamp }: TimeProof): TimeFinding {
  const minute = Date.parse((JSON.parse(statement) as PlanStatement).stated_at);
  if (Number.isNaN(minute)) throw new TypeError('The plan was stated at no time.');
  const times = [quorum, timestamp?.time ?? null].filter((time) => time !== null);
  if (times.length === 0) return { kind: 'nobody' };
  const by = quorum === null ? 'timestamp' : 'quorum';
  return { kind: 'held', minute, seen: Math.min(...times), share: 0, isApproximate: false, by };
}

function planLine(finding: TimeFinding): Line {
  if (finding.kind === 'nobody' || finding.kind === 'imported') return line('not checked', 'time', NOBODY);
  const { minute, seen, by } = finding;
  const promise = seen <= minute + LOG.includedWithin ? 'within 5 minutes' : 'more than 5 minutes later';
  const alone = by === 'timestamp' ? ' by a timestamp alone' : '';
  const detail = `seen at ${rfc3339(seen)}${alone}, stated at ${rfc3339(minute)}: ${promise}`;
  return { ...line('holds', 'time', detail), ...(by === 'timestamp' && { byTimestamp: true }) };
}
