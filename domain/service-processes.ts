import type { DiskReport } from './disk-space.ts';
import type { Job } from './jobs.ts';
import type { MinutePart, ServiceMinute } from './service-minutes.ts';

/** Whether a process signs the evidence log: `unguarded` without a note of what was seen; `stopped`: the last run failed. */
export const SIGNING_STATES = ['guarded', 'unguarded', 'stopped'] as const;
export type SigningState = (typeof SIGNING_STATES)[number];

/**
 * `reporting`: its last report is at most a minute old. `silent`: it is older, and the process has not ended in order: it was
 * killed, is stopped, or does not reach the database. `replaced`: a process that does the same began after that.
 */
export const PROCESS_STATES = ['reporting', 'silent', 'replaced'] as const;

/** The connections of a process to the database, and how many requests wait for one to come free. */
export interface ConnectionUse {
  readonly in_use: number;
  readonly idle: number;
  readonly waiting: number;
}

/** A run of a job that has not ended. */
export interface RunningJob {
  readonly job: Job;
  /** RFC 3339. */
  readonly since: string;
}

/** The records of which a process found parts since its start that it cannot read. */
export interface FaultyRecords {
  readonly total: number;
  /** The ids of the last ones that it found, the newest first. */
  readonly newest: readonly string[];
}

/** A record that cannot be read in full, with all parts that were found, words of `FAULT_PARTS`. */
export interface FaultyRecord {
  readonly record_id: string;
  readonly parts: readonly string[];
}

/** The records that cannot be read in full, over all processes and their restarts. */
export interface KnownFaults {
  readonly total: number;
  /** The ones found last, the newest first. */
  readonly newest: readonly FaultyRecord[];
}

/** A process of the service, as it reports itself. */
export interface ProcessState {
  /** Its machine and its number there. */
  readonly process: string;
  readonly release: string;
  readonly answers_requests: boolean;
  readonly runs_jobs: boolean;
  readonly started_at: Date;
  /** null where it is not known. */
  readonly connections: ConnectionUse | null;
  /** null where it does not sign the evidence log. */
  readonly signing: SigningState | null;
  /** How it sees the disk of the database; null where an earlier release reports. */
  readonly disk: DiskReport | null;
  /** What it runs at this moment. */
  readonly running: readonly RunningJob[];
  /** null in reports of releases that do not look for them. */
  readonly faulty_records: FaultyRecords | null;
}

export interface ReportedState extends ProcessState {
  readonly reported_at: Date;
}

/** How the runs of a job went; null: none that is known. */
export interface JobRuns {
  readonly job: Job;
  readonly last_started_at: Date | null;
  readonly last_succeeded_at: Date | null;
  readonly last_failed_at: Date | null;
  /** The name or the code of the error of the last failed run. */
  readonly last_error: string | null;
  /** Failed runs since the last one that succeeded. */
  readonly failures: number;
}

/** What the processes of the service report of themselves and of the jobs that they run, for operators only. */
export interface ProcessStore {
  /**
   * Replaces the report of the process, and adds its runs of jobs since its last report to what is known of each job.
   * Removes reports that are a day old.
   */
  report(state: ProcessState, runs: readonly JobRuns[], now: Date): Promise<void>;

  /** Adds the last runs of a process that ends in order, and removes its report. */
  end(process: string, runs: readonly JobRuns[]): Promise<void>;

  /** The newest report of each process that has not ended in order; the youngest process first. */
  all(): Promise<readonly ReportedState[]>;

  /** What is known of each job that ever ran, over all processes, in the order of their names. */
  runs(): Promise<readonly JobRuns[]>;

  /** Adds a part to the minute that begins then (`joinedMinute`), and removes minutes that are older than a day before it. */
  addMinute(at: Date, part: MinutePart): Promise<void>;

  /** The minutes that began then or later, the first first. */
  minutes(since: Date): Promise<readonly ServiceMinute[]>;

  /**
   * Notes that the records were found faulty: adds them, or the parts and the time to what is known of each. Of more than
   * `RECORD_FAULTS.remembered` those found last stay known.
   */
  noteFaulty(found: readonly FaultyRecord[], now: Date): Promise<void>;

  /** Those that are known, with up to `named` of them; of one time the greater id comes first. */
  faulty(named: number): Promise<KnownFaults>;

  /** Up to `limit` of those that were found last before `before`, the ones found longest ago first. */
  faultyBefore(before: Date, limit: number): Promise<readonly string[]>;

  /** Forgets those of the records that were found last before `before`. */
  forgetFaulty(record_ids: readonly string[], before: Date): Promise<void>;
}

/**
 * Two stretches of runs of one job as one. The failures are those since the last success of either; where neither knows
 * of a later one, they add up.
 */
export function joinedRuns(before: JobRuns, after: JobRuns): JobRuns {
  const isNewer = (a: Date | null, b: Date | null) => a !== null && (b === null || a > b);
  const newest = (a: Date | null, b: Date | null) => (isNewer(b, a) ? b : a);
  const failedLast = isNewer(before.last_failed_at, after.last_failed_at) ? before : after;
  return {
    job: before.job,
    last_started_at: newest(before.last_started_at, after.last_started_at),
    last_succeeded_at: newest(before.last_succeeded_at, after.last_succeeded_at),
    last_failed_at: newest(before.last_failed_at, after.last_failed_at),
    last_error: failedLast.last_error,
    failures: (isNewer(after.last_succeeded_at, before.last_succeeded_at) ? 0 : before.failures) + after.failures,
  };
}
