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
] as const;
export type Job = (typeof JOBS)[number];

export interface JobQueue {
  /**
   * Runs the sweep soon, or not before `at`. Inside a transaction it is enqueued when that commits, and not at all when
   * it rolls back. Several requests for the same moment may become one run; a request is never lost.
   */
  enqueue(job: Job, at?: Date): Promise<void>;
}
