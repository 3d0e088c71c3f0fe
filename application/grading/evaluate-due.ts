import type {
  ClaimedDecision,
  EvaluationEnd,
  EvaluationStore,
  Postponed,
} from '../../domain/decisions/evaluation-store.ts';
import { isVerified } from '../../domain/decisions/moderation/verification.ts';
import { JOBS } from '../../domain/jobs.ts';
import { EVALUATION } from '../../domain/limits.ts';
import { type Instrument, identityOf, instrumentKey } from '../../domain/market/instrument.ts';
import type { InstrumentRecord } from '../../domain/market/instrument-store.ts';
import { OutOfReach, SourceUnavailable } from '../../domain/market/market-data.ts';
import type { Millis } from '../../domain/time.ts';
import { currentListing } from '../market/current-listing.ts';
import type { Ports } from '../ports.ts';
import { barFileWindows } from './bar-file-windows.ts';
import { endOf, evaluateGroup, FAULT } from './evaluate-group.ts';

export interface EvaluationSweep {
  /** Records whose evaluation ended here, with any result. */
  readonly ended: number;
  /** Whether more may be due already. */
  readonly more: boolean;
  /** When the next record becomes due; null when none waits. */
  readonly next: Date | null;
}

/**
 * Grades the due records (evaluation.md): claims a batch under a lease, fetches each instrument's bars once, and ends
 * every record of the batch. The lease is as long as one instrument may take and is renewed for each: records that a
 * dead process leaves behind, or that wait behind a slow source, are soon taken over. A process that returns too late
 * finds its tokens void.
 */
export async function evaluateDue(ports: Ports): Promise<EvaluationSweep> {
  const { evaluations, clock } = ports;
  const now = await clock.now();
  const leaseUntil = new Date(now.getTime() + EVALUATION.lease);
  const claimed = await evaluations.claimDue(now, leaseUntil, EVALUATION.batch);
  const ending = evaluationEndWriter(ports);
  const waiting = byInstrument(claimed);
  const known = await knownInstruments(ports, waiting);
  for (let group = waiting.shift(); group; group = waiting.shift()) {
    const at = await clock.now();
    const held = at.getTime() - now.getTime() < FRESH ? group : await stillHeld(evaluations, group, at);
    const ends = held.length === 0 ? [] : await endsOf(ports, held, known, at);
    if (ends === 'apart') waiting.unshift(...halves(held));
    else if (!ending.add(ends)) break;
  }
  const ended = await ending.finish();
  const more = claimed.length === EVALUATION.batch;
  return { ended, more, next: more ? null : await evaluations.nextDue() };
}

/** A lease that is this young need not be renewed. */
const FRESH = EVALUATION.lease / 20;

/** The members of a group that no other process has taken over while they waited, with their leases renewed. */
async function stillHeld(
  evaluations: EvaluationStore,
  group: readonly ClaimedDecision[],
  now: Date,
): Promise<readonly ClaimedDecision[]> {
  const leases = group.map(({ decision: { record_id }, token }) => ({ record_id, token }));
  const held = new Set(await evaluations.renewLeases(leases, new Date(now.getTime() + EVALUATION.lease)));
  return group.filter(({ decision }) => held.has(decision.record_id));
}

/** The stored records of the groups' instruments. */
async function knownInstruments({ instruments }: Ports, groups: readonly (readonly ClaimedDecision[])[]) {
  const known = await instruments.find(groups.flatMap(([first]) => first?.decision ?? []));
  return new Map(known.map((record) => [instrumentKey(record.instrument), record]));
}

/**
 * A source that is down, or fails by a fault of ours, defers the records of this instrument only. If no source verified
 * it within a day, or the source does not reach back so far, the bar files grade what they have of it.
 * @returns `apart` when the source cannot reach back to the bars of all of them together: it may for some alone
 */
async function endsOf(
  ports: Ports,
  group: readonly ClaimedDecision[],
  known: Map<string, InstrumentRecord>,
  now: Date,
): Promise<readonly EvaluationEnd[] | 'apart'> {
  const [first] = group;
  if (!first) throw new RangeError('A group has a member');
  const instrument = identityOf(first.decision);
  const key = instrumentKey(instrument);
  let leftList = false;
  try {
    const current = await currentListing(ports, instrument, known.get(key) ?? null, now);
    // Asked once per sweep, however many groups the records are in.
    if (current) known.set(key, current.record);
    leftList = current?.leftList ?? false;
    if (current) return await evaluateGroup(ports, current, group, now);
    const unknown = (claimed: ClaimedDecision) => outOfReach(claimed, 'No source knows this instrument any more.', now);
    return await gradeFromFiles(ports, instrument, group, now, (rest) => rest.map(unknown));
  } catch (error) {
    if (error instanceof OutOfReach) {
      if (group.length > 1) return 'apart';
      const { message } = error;
      return gradeFromFiles(ports, instrument, group, now, (rest) =>
        rest.map((each) => outOfReach(each, message, now, leftList)),
      );
    }
    if (!(error instanceof SourceUnavailable)) ports.report(error, { instrument: key });
    const postponed = (rest: readonly ClaimedDecision[]) => postponedEnds(rest, postponement(error, now));
    if (isVerified(known.get(key) ?? null, now)) return postponed(group);
    return gradeFromFiles(ports, instrument, group, now, postponed);
  }
}

function postponedEnds(group: readonly ClaimedDecision[], result: Postponed): readonly EvaluationEnd[] {
  return group.map(({ decision: { record_id }, token }) => ({ record_id, token, result, retry_at: null }));
}

/** A source will not recover what it no longer has, but another source may have it. */
function outOfReach(claimed: ClaimedDecision, detail: string, now: Date, leftList = false): EvaluationEnd {
  return endOf(claimed, { kind: 'deferred', reason: 'out_of_reach', detail }, now, leftList);
}

function halves(group: readonly ClaimedDecision[]): ClaimedDecision[][] {
  const middle = Math.ceil(group.length / 2);
  return [group.slice(0, middle), group.slice(middle)];
}

function postponement(error: unknown, now: Date): Postponed {
  const later = (wait: Millis) => ({ kind: 'postponed', until: new Date(now.getTime() + wait) }) as const;
  if (error instanceof SourceUnavailable) {
    return { ...later(EVALUATION.sourceRetry), reason: 'source_unavailable', detail: error.message };
  }
  return { ...later(EVALUATION.faultRetry), reason: 'fault', detail: FAULT };
}

function byInstrument(claimed: readonly ClaimedDecision[]): ClaimedDecision[][] {
  const key = ({ decision }: ClaimedDecision) => instrumentKey(decision);
  return [...Map.groupBy(claimed, key).values()];
}

/** Writes the ends of evaluations while others continue. */
interface EvaluationEndWriter {
  /** Never waits, and never throws: false after a fault, which `finish` throws. Then nothing more is written. */
  add(ends: readonly EvaluationEnd[]): boolean;
  /** How many ended, once all of them have been tried. */
  finish(): Promise<number>;
}

/**
 * Ends are written at once when no write is under way, and otherwise together with all that arrive meanwhile: no end
 * waits for a slow source, and a busy sweep pays for few transactions.
 */
export function evaluationEndWriter({ evaluations, clock }: Pick<Ports, 'evaluations' | 'clock'>): EvaluationEndWriter {
  let waiting: EvaluationEnd[] = [];
  let ended = 0;
  let writing: Promise<void> | null = null;
  let fault: { readonly error: unknown } | null = null;

  // Returns in the very moment in which it finds nothing left, so that a later addition starts it anew.
  async function write(): Promise<void> {
    try {
      while (waiting.length > 0) {
        const together = waiting;
        waiting = [];
        ended += (await evaluations.endEvaluations(together, await clock.now())).length;
      }
    } catch (error) {
      fault = { error };
    } finally {
      writing = null;
    }
  }

  return {
    add(ends) {
      if (fault !== null) return false;
      waiting.push(...ends);
      if (ends.length > 0) writing ??= write();
      return true;
    },
    async finish() {
      while (writing !== null) await writing;
      if (fault !== null) throw fault.error;
      return ended;
    },
  };
}

type FilePorts = Pick<Ports, 'barFiles' | 'circuits' | 'report'>;

/**
 * Ends the evaluations of records whose instrument no source verifies: what lies wholly inside the bar files is graded
 * from them, and its outcome names them as its source. A fault of ours is reported.
 * @param others ends the evaluations of all other records of the group
 */
async function gradeFromFiles(
  ports: FilePorts,
  instrument: Instrument,
  group: readonly ClaimedDecision[],
  now: Date,
  others: (rest: readonly ClaimedDecision[]) => readonly EvaluationEnd[],
): Promise<readonly EvaluationEnd[]> {
  const graded = await gradedOf(ports, instrument, group, now);
  if (graded === null) return others(group);
  return [...graded.ends, ...others(group.filter((each) => !graded.covered.includes(each)))];
}

interface GradedByFiles {
  readonly covered: readonly ClaimedDecision[];
  readonly ends: readonly EvaluationEnd[];
}

/** null if the files have none of the windows, or cannot be read after all. */
async function gradedOf(
  ports: FilePorts,
  instrument: Instrument,
  group: readonly ClaimedDecision[],
  now: Date,
): Promise<GradedByFiles | null> {
  const { barFiles: marketData, circuits, report } = ports;
  try {
    const isCovered = await barFileWindows(ports, instrument, now);
    const covered = isCovered === null ? [] : group.filter(({ decision }) => isCovered(decision));
    const listing = covered.length === 0 ? null : await marketData.describe(instrument);
    if (listing === null) return null;
    return {
      covered,
      ends: await evaluateGroup({ marketData, circuits, report }, { listing, leftList: false }, covered, now),
    };
  } catch (error) {
    if (!(error instanceof SourceUnavailable)) report(error, { instrument: instrumentKey(instrument) });
    return null;
  }
}

/**
 * Runs the sweeps of everything that became due while no process ran, without waiting for the schedule.
 * @param alone no other process evaluates on this storage, so a remaining lease belongs to a dead process
 */
export async function resumeSweeps({ evaluations, clock, jobs }: Ports, alone: boolean): Promise<void> {
  if (alone) await evaluations.endLeases(await clock.now());
  for (const job of JOBS) await jobs.enqueue(job);
}
