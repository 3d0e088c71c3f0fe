import { STATUS } from './limits.ts';
import { HOUR, MINUTE, type Millis } from './time.ts';

/** The background work. Every job is a sweep: it names a use case and carries no data. */
export const JOBS = [
  'verify-instruments',
  'evaluate-due',
  'grade-backtests',
  'fold-cohorts',
  'keep-log',
  'build-atlas',
  'observe-pegs',
  'prune-expired',
  'refresh-symbols',
  'learn-names',
  'deliver-webhooks',
  'send-mails',
  'erase-owners',
  'reset-factors',
  'publish-dataset',
] as const;
export type Job = (typeof JOBS)[number];

/** How often each job runs without a request, and after how long a run of it counts as failed. */
export interface JobSchedule {
  readonly every: 'minute' | 'hour';
  readonly longest: Millis;
}

const EACH_MINUTE: JobSchedule = { every: 'minute', longest: 5 * MINUTE };
/** Of the jobs that may have much to do after an outage. */
const AT_LENGTH: JobSchedule = { every: 'minute', longest: 15 * MINUTE };

/** The schedules of the queues, and what the status of the service allows each job, follow from these. */
export const SCHEDULES: Readonly<Record<Job, JobSchedule>> = {
  'verify-instruments': EACH_MINUTE,
  'evaluate-due': AT_LENGTH,
  'grade-backtests': AT_LENGTH,
  'fold-cohorts': AT_LENGTH,
  'keep-log': AT_LENGTH,
  // It checks each minute whether it is due.
  'build-atlas': EACH_MINUTE,
  'observe-pegs': EACH_MINUTE,
  'prune-expired': AT_LENGTH,
  // It is due once a day: after a failure the next run is within the hour.
  'refresh-symbols': { every: 'hour', longest: 5 * MINUTE },
  // The statements about names that a release comes with: the first run after an update may move many decisions.
  'learn-names': { every: 'hour', longest: HOUR },
  'deliver-webhooks': EACH_MINUTE,
  'send-mails': EACH_MINUTE,
  'erase-owners': EACH_MINUTE,
  'reset-factors': EACH_MINUTE,
  // It checks each hour whether the snapshot of the month is there.
  'publish-dataset': { every: 'hour', longest: HOUR },
};

/** How long a job may go without a run: two of its schedule, so that a missed one is made up for, and some time to begin. */
export function longestSilence(job: Job): Millis {
  const every = SCHEDULES[job].every === 'hour' ? HOUR : MINUTE;
  return 2 * every + STATUS.begins;
}

export interface JobQueue {
  /**
   * Runs the sweep soon, or not before `at`. Inside a transaction it is enqueued when that commits, and not at all when
   * it rolls back. Several requests for the same moment may become one run; a request is never lost.
   */
  enqueue(job: Job, at?: Date): Promise<void>;
}

/** The requests for a job that are not done, over all processes. */
export interface QueueState {
  readonly job: Job;
  /** Requests that are due, and that no process has taken. */
  readonly waiting: number;
  /** When the first of them became due. */
  readonly waiting_since: Date | null;
  /** Requests that a process has taken. */
  readonly active: number;
  /** When the first of them was taken. */
  readonly active_since: Date | null;
  /** Those of the active ones whose process has given no sign of life for two minutes: it has died or is stopped, and no other took them over. */
  readonly silent: number;
}

export interface JobQueues {
  /** Every job, in the order of `JOBS`. */
  states(): Promise<readonly QueueState[]>;
}

/** How far the sweep is that deletes the expired rows of a table. */
export interface ExpiryPass {
  readonly table: string;
  /** Rows that were deleted since the table is pruned in parts. */
  readonly deleted: number;
  /** Every row that had expired by then is deleted; null before the first whole pass. */
  readonly clean_until: Date | null;
}

export interface ExpiryProgress {
  /** One for each table that is pruned in parts, by name; none in a storage that deletes everything at once. */
  passes(): Promise<readonly ExpiryPass[]>;
}
