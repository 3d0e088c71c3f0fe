/** The background work. Every job is a sweep: it names a use case and carries no data. */
export const JOBS = [
  'verify-instruments',
  'evaluate-due',
  'fold-cohorts',
  'keep-log',
  'build-atlas',
  'observe-pegs',
  'prune-expired',
  'refresh-symbols',
  'deliver-webhooks',
  'send-mails',
  'erase-owners',
  'publish-dataset',
] as const;
export type Job = (typeof JOBS)[number];

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
  /** Those of the active ones whose process has given no sign of life for longer than it may: it has died, or is stopped. */
  readonly silent: number;
}

export interface JobQueues {
  /** Every job, in the order of `JOBS`. */
  states(): Promise<readonly QueueState[]>;
}
