import { LOG } from '../../../domain/limits.ts';
import { Malformed } from '../../../domain/log/encoding.ts';
import { countedLeaves, leafBytes } from '../../../domain/log/leaves/leaf.ts';
import type { DecisionOpening } from '../../../domain/log/leaves/opening.ts';
import { type CheckpointTrust, checkpointOf } from '../../../domain/log/notes/checkpoint.ts';
import { noteOf, type SignedNote } from '../../../domain/log/notes/note.ts';
import { isIncluded, type LogProof, type TreeHead } from '../../../domain/log/tree/proof.ts';
import { leafHash } from '../../../domain/log/tree/tree.ts';
import { MINUTE, type Millis, rfc3339 } from '../../../domain/time.ts';
import { sha256 } from './sha256.ts';
import {
  type CheckStamps,
  isTimed,
  type LogRead,
  type Seen,
  seenOf,
  type TimeFinding,
  timeFinding,
} from './time-line.ts';
import { type Line, line } from './verdict.ts';

/** A decision that an audit opened, with the proof that it got. */
export interface OpenedDecision {
  readonly opening: DecisionOpening;
  readonly proof: Pick<LogProof, 'index' | 'checkpoint'> & {
    /** Null for a leaf of the tree that was read: it is in every tree with which that one starts. */
    readonly hashes: LogProof['hashes'] | null;
  };
}

/** What the times of opened decisions are judged by. */
export interface TimeJudges {
  /** What the signatures of a checkpoint are worth, by the policy of the reader. */
  readonly trustOf: (note: SignedNote) => Promise<CheckpointTrust>;
  readonly stamps: CheckStamps | null;
  readonly reads: readonly LogRead[];
  /** The leaves of the log that was read. */
  readonly size: number;
  /** Whether its tree starts with another one. */
  readonly startsWith: (head: TreeHead) => Promise<boolean>;
}

/** The lines `order` and `time` of an audit. */
export interface AuditedTimes {
  readonly lines: readonly Line[];
  /** The indexes of leaves that were late. */
  readonly late: readonly number[];
}

/** Judges when decisions were logged, as far as an audit opened them. */
export async function auditedTimes(opened: readonly OpenedDecision[], judges: TimeJudges): Promise<AuditedTimes> {
  const reading = timesReading(judges);
  for (const each of opened) await reading.add(each);
  return reading.audited();
}

/** Judges one decision after the other, in any order, and keeps some numbers of each. */
export interface TimesReading {
  add(opened: OpenedDecision): Promise<void>;
  audited(): AuditedTimes;
}

export function timesReading(judges: TimeJudges): TimesReading {
  const seen = seenCheckpoints(judges);
  const minutes: IndexedMinute[] = [];
  const findings: TimeFinding[] = [];
  const late: number[] = [];
  let fault: string | null = null;
  return {
    async add({ opening, proof }) {
      const { index } = proof;
      if (opening.leaf.t === 'decision') minutes.push({ index, minute: minuteIn(opening) });
      if (fault !== null || !isTimed(opening)) return;
      try {
        const finding = timeFinding(opening, { ...(await seen(opening, proof)), index, reads: judges.reads });
        findings.push(finding);
        if (finding.kind === 'late') late.push(index);
      } catch (error) {
        fault = error instanceof Malformed ? error.message : 'a statement has no possible window';
      }
    },
    audited() {
      const times = fault === null ? timesLine(findings) : line('FAILS', 'time', fault);
      return { lines: [orderLine(minutes), times], late: fault === null ? late : [] };
    },
  };
}

interface IndexedMinute {
  readonly index: number;
  readonly minute: Millis;
}

/** When the checkpoint of each proof was seen: it must have the leaf, and be one of the log that was read. */
export function seenCheckpoints({ trustOf, stamps, size, startsWith }: TimeJudges) {
  const known = new Map<string, { readonly size: number; readonly seen: Seen }>();
  return async ({ leaf }: DecisionOpening, { index, hashes, checkpoint }: OpenedDecision['proof']): Promise<Seen> => {
    const before = known.get(checkpoint);
    if (before && hashes === null && index < before.size) return before.seen;
    const note = noteOf(checkpoint);
    const head = checkpointOf(note.text);
    const isIn = hashes
      ? isIncluded({ index, hash: leafHash(leafBytes(leaf), sha256) }, head, hashes, sha256)
      : index < head.size;
    if (!isIn)
      throw new Malformed(`the proof of leaf ${index} does not lead to its checkpoint of ${countedLeaves(head.size)}`);
    if (before) return before.seen;
    // The log grew since it was read: whether this is its tree is for the next audit to find.
    if (head.size > size) return { quorum: null, timestamp: null };
    if (!(await startsWith(head)))
      throw new Malformed(
        `the proof of leaf ${index} is of another tree of ${countedLeaves(head.size)}: the log has two trees`,
      );
    const seen = seenOf(await trustOf(note), (await stamps?.(note))?.valid ?? []);
    known.set(checkpoint, { size: head.size, seen });
    return seen;
  };
}

/** A pause delays all decisions alike; one that is held back comes after those that are newer. */
function orderLine(minutes: readonly IndexedMinute[]): Line {
  const decisions = minutes.toSorted((a, b) => a.index - b.index);
  let newest = { index: 0, minute: Number.NEGATIVE_INFINITY };
  for (const each of decisions) {
    if (each.minute < newest.minute - LOG.includedWithin) {
      const detail = `leaf ${each.index} is of ${rfc3339(each.minute)}, after leaf ${newest.index} of ${rfc3339(newest.minute)}`;
      return line('FAILS', 'order', `${detail}: it was held back, or backdated`);
    }
    if (each.minute > newest.minute) newest = each;
  }
  if (decisions.length < 2) return line('not checked', 'order', 'fewer than two decisions were opened');
  return line('holds', 'order', `${decisions.length} opened decisions were logged in the order of their minutes`);
}

function minuteIn({ public_statement }: DecisionOpening): Millis {
  return Date.parse(public_statement.submission_time);
}

/** What the times of several decisions say together. */
export function timesLine(findings: readonly TimeFinding[]): Line {
  if (findings.length === 0) return line('not checked', 'time', 'no realtime decision was opened');
  const count = (kind: TimeFinding['kind']) => findings.filter((each) => each.kind === kind).length;
  const imported = count('imported') > 0 ? `, ${count('imported')} older than the log` : '';
  const detail =
    `${count('held')} of ${findings.length} held, ${count('short')} too short for a log of minutes, ${count('late')} late, ` +
    `${count('nobody')} seen by nobody${imported}`;
  const late = findings.flatMap((each) => (each.kind === 'late' ? [each] : []));
  if (late.length > 0) return line('late', 'time', `${detail}; late: ${stretches(late)}`);
  const isChecked = count('held') > 0 && count('nobody') === 0;
  const byTimestamp = findings.some((each) => each.kind === 'held' && each.by === 'timestamp');
  return { ...line(isChecked ? 'holds' : 'not checked', 'time', detail), ...(byTimestamp && { byTimestamp }) };
}

const MOST_STRETCHES = 3;

/** From the minute of the first decision of each stretch until the last of it was seen. */
function stretches(late: readonly Extract<TimeFinding, { readonly kind: 'held' | 'short' | 'late' }>[]): string {
  const joined: { from: Millis; until: Millis; count: number }[] = [];
  for (const { minute, seen } of [...late].sort((a, b) => a.minute - b.minute)) {
    const last = joined.at(-1);
    if (last && minute <= last.until + MINUTE) {
      last.until = Math.max(last.until, seen);
      last.count += 1;
    } else joined.push({ from: minute, until: seen, count: 1 });
  }
  const shown = joined.slice(0, MOST_STRETCHES).map(({ from, until, count }) => {
    return `${count} from ${rfc3339(from)} seen by ${rfc3339(until)}`;
  });
  const more = joined.length - shown.length;
  return `${shown.join(', ')}${more > 0 ? `, and ${more} stretches more` : ''}`;
}
