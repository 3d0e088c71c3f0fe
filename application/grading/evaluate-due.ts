import {
  type ClaimedDecision,
  type EvaluationEnd,
  type EvaluationStore,
  type GradableDecision,
  type Graded,
  type Lease,
  type Postponed,
  RefusedEnds,
  type UnevaluatedDecision,
} from '../../domain/decisions/evaluation-store.ts';
import { isVerified } from '../../domain/decisions/moderation/verification.ts';
import { JOBS } from '../../domain/jobs.ts';
import { EVALUATION } from '../../domain/limits.ts';
import { type Instrument, identityOf, instrumentKey } from '../../domain/market/instrument.ts';
import type { InstrumentRecord } from '../../domain/market/instrument-store.ts';
import { OutOfReach, SourceUnavailable } from '../../domain/market/market-data.ts';
import type { Millis } from '../../domain/time.ts';
import { currentListing } from '../market/current-listing.ts';
import { currentNames, newestNames } from '../market/names.ts';
import type { Ports } from '../ports.ts';
import { barFileWindows } from './bar-file-windows.ts';
import { endOf, evaluateGroup, FAULT, type GradeCall, gradeRecord } from './evaluate-group.ts';

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
  const newest = await namesToPlanBy(ports);
  // The next run is on schedule, or requested by the import.
  if (newest === null) return { ended: 0, more: false, next: null };
  const now = await clock.now();
  const leaseUntil = new Date(now.getTime() + EVALUATION.lease);
  const claimed = await evaluations.claimDue(now, leaseUntil, EVALUATION.batch);
  const ending = evaluationEndWriter(ports, newest);
  const waiting = byInstrument(claimed);
  const known = await knownInstruments(ports, waiting);
  let may: Awaited<ReturnType<EvaluationStore['mayEnd']>> = 'end';
  for (let group = waiting.shift(); group; group = waiting.shift()) {
    const at = await clock.now();
    may = await evaluations.mayEnd(newest);
    if (may !== 'end') {
      await evaluations.renewLeases(leasesOf([group, ...waiting].flat()), at);
      break;
    }
    const held = at.getTime() - now.getTime() < FRESH ? group : await stillHeld(evaluations, group, at);
    const ends = held.length === 0 ? [] : await endsOf(ports, held, known, at, RECORDS);
    if (ends === 'apart') waiting.unshift(...halves(held));
    else if (!ending.add(ends)) break;
  }
  const ended = await ending.finish();
  // Perhaps because a statement was learned meanwhile: what is due again is planned by the newest ones.
  if (ended < claimed.length) await newestNames(ports.names);
  if (may === 'wait') return { ended, more: false, next: null };
  const more = claimed.length === EVALUATION.batch;
  return { ended, more, next: more ? null : await evaluations.nextDue() };
}

/** How the calls of a sweep are graded. */
export interface Grading<Call extends GradableDecision, Grade extends { readonly kind: 'evaluated' }> {
  /** What becomes of one whose bars are there. */
  readonly gradeCall: GradeCall<Call, Grade>;
  /** How one ends whose instrument no source knows. */
  readonly unknown: (claimed: ClaimedDecision<Call>, now: Date) => UngradedEnd;
}

const RECORDS: Grading<UnevaluatedDecision, Graded> = {
  gradeCall: gradeRecord,
  unknown: (claimed, now) => outOfReach(claimed, 'No source knows this instrument any more.', now),
};

/** The newest statement about names; null while one is being learned: what is fetched meanwhile is in vain. */
async function namesToPlanBy({ evaluations, names }: Pick<Ports, 'evaluations' | 'names'>): Promise<number | null> {
  const { newest } = await currentNames(names);
  switch (await evaluations.mayEnd(newest)) {
    case 'end':
      return newest;
    case 'plan':
      return (await newestNames(names)).newest;
    case 'wait':
      return null;
  }
}

/** A lease that is this young need not be renewed. */
const FRESH = EVALUATION.lease / 20;

/** The members of a group that no other process has taken over while they waited, with their leases renewed. */
async function stillHeld(
  evaluations: EvaluationStore,
  group: readonly ClaimedDecision[],
  now: Date,
): Promise<readonly ClaimedDecision[]> {
  const held = new Set(await evaluations.renewLeases(leasesOf(group), new Date(now.getTime() + EVALUATION.lease)));
  return group.filter(({ decision }) => held.has(decision.record_id));
}

function leasesOf(group: readonly ClaimedDecision[]): readonly Lease[] {
  return group.map(({ decision: { record_id }, token }) => ({ record_id, token }));
}

/** The stored records of the groups' instruments. */
export async function knownInstruments(
  { instruments }: Pick<Ports, 'instruments'>,
  groups: readonly (readonly ClaimedDecision<GradableDecision>[])[],
) {
  const known = await instruments.find(groups.flatMap(([first]) => first?.decision ?? []));
  return new Map(known.map((record) => [instrumentKey(record.instrument), record]));
}

/**
 * A source that is down, or fails by a fault of ours, defers the records of this instrument only. If no source verified
 * it within a day, or the source does not reach back so far, the bar files grade what they have of it.
 * @returns `apart` when the source cannot reach back to the bars of all of them together: it may for some alone
 */
export async function endsOf<Call extends GradableDecision, Grade extends { readonly kind: 'evaluated' }>(
  ports: Ports,
  group: readonly ClaimedDecision<Call>[],
  known: Map<string, InstrumentRecord>,
  now: Date,
  { gradeCall, unknown }: Grading<Call, Grade>,
): Promise<readonly EvaluationEnd<Grade>[] | 'apart'> {
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
    if (current) return await evaluateGroup(ports, current, group, now, gradeCall);
    return await gradeFromFiles(ports, { instrument, group, now, gradeCall }, (rest) =>
      rest.map((each) => unknown(each, now)),
    );
  } catch (error) {
    if (error instanceof OutOfReach) {
      if (group.length > 1) return 'apart';
      const { message } = error;
      return gradeFromFiles(ports, { instrument, group, now, gradeCall }, (rest) =>
        rest.map((each) => outOfReach(each, message, now, leftList)),
      );
    }
    if (!(error instanceof SourceUnavailable)) ports.report(error, { instrument: key });
    const postponed = (rest: readonly Claimed[]) => postponedEnds(rest, postponement(error, now));
    if (isVerified(known.get(key) ?? null, now)) return postponed(group);
    return gradeFromFiles(ports, { instrument, group, now, gradeCall }, postponed);
  }
}

type Claimed<Call extends GradableDecision = GradableDecision> = ClaimedDecision<Call>;
/** An end without an outcome. */
export type UngradedEnd = EvaluationEnd<never>;

function postponedEnds(group: readonly Claimed[], result: Postponed): readonly UngradedEnd[] {
  return group.map(({ decision: { record_id }, token }) => ({ record_id, token, result, retry_at: null }));
}

/** A source will not recover what it no longer has, but another source may have it. */
function outOfReach(claimed: Claimed, detail: string, now: Date, leftList = false): UngradedEnd {
  return endOf<never>(claimed, { kind: 'deferred', reason: 'out_of_reach', detail }, now, leftList);
}

export function halves<T>(group: readonly T[]): T[][] {
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
 * waits for a slow source, and a busy sweep pays for few transactions. An end that the storage refuses delays no other.
 * @param names see `EvaluationStore.endEvaluations`
 */
export function evaluationEndWriter(ports: WritingPorts, names?: number): EvaluationEndWriter {
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
        ended += await endAll(ports, together, names);
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

type WritingPorts = Pick<Ports, 'evaluations' | 'clock' | 'report'>;

/** How many of them ended. One that the storage refuses is found by halves; it is reported, and waits as for any fault. */
async function endAll(ports: WritingPorts, ends: readonly EvaluationEnd[], names?: number): Promise<number> {
  const { evaluations, clock, report } = ports;
  const now = await clock.now();
  try {
    return (await evaluations.endEvaluations(ends, now, names)).length;
  } catch (error) {
    const [first] = ends;
    if (!(error instanceof RefusedEnds && first)) throw error;
    if (ends.length > 1) {
      let ended = 0;
      for (const half of halves(ends)) ended += await endAll(ports, half, names);
      return ended;
    }
    if (first.result.kind === 'postponed') throw error;
    report(error, { record_id: first.record_id });
    const postponed = { ...first, result: postponement(error, now), retry_at: null };
    return (await evaluations.endEvaluations([postponed], now, names)).length;
  }
}

type FilePorts = Pick<Ports, 'barFiles' | 'circuits' | 'report'>;

/**
 * Ends the evaluations of records whose instrument no source verifies: what lies wholly inside the bar files is graded
 * from them, and its outcome names them as its source. A fault of ours is reported.
 * @param others ends the evaluations of all other records of the group
 */
async function gradeFromFiles<Call extends GradableDecision, Grade extends { readonly kind: 'evaluated' }>(
  ports: FilePorts,
  wanted: WantedGrades<Call, Grade>,
  others: (rest: readonly ClaimedDecision<Call>[]) => readonly UngradedEnd[],
): Promise<readonly EvaluationEnd<Grade>[]> {
  const { group } = wanted;
  const graded = await gradedOf(ports, wanted);
  if (graded === null) return others(group);
  const covered = new Set(graded.covered);
  return [...graded.ends, ...others(group.filter((each) => !covered.has(each)))];
}

interface WantedGrades<Call extends GradableDecision, Grade extends { readonly kind: 'evaluated' }> {
  readonly instrument: Instrument;
  readonly group: readonly ClaimedDecision<Call>[];
  readonly now: Date;
  readonly gradeCall: GradeCall<Call, Grade>;
}

interface GradedByFiles<Call extends GradableDecision, Grade extends { readonly kind: 'evaluated' }> {
  readonly covered: readonly ClaimedDecision<Call>[];
  readonly ends: readonly EvaluationEnd<Grade>[];
}

/** null if the files have none of the windows, or cannot be read after all. */
async function gradedOf<Call extends GradableDecision, Grade extends { readonly kind: 'evaluated' }>(
  ports: FilePorts,
  { instrument, group, now, gradeCall }: WantedGrades<Call, Grade>,
): Promise<GradedByFiles<Call, Grade> | null> {
  const { barFiles: marketData, circuits, report } = ports;
  try {
    const isCovered = await barFileWindows(ports, instrument, now);
    const covered = isCovered === null ? [] : group.filter(({ decision }) => isCovered(decision));
    const listing = covered.length === 0 ? null : await marketData.describe(instrument);
    if (listing === null) return null;
    return {
      covered,
      ends: await evaluateGroup(
        { marketData, circuits, report },
        { listing, leftList: false },
        covered,
        now,
        gradeCall,
      ),
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
