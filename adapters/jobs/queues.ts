import type { QueueOptions } from 'pg-boss';
import type { Job } from '../../domain/jobs.ts';

export interface SweepQueue {
  readonly options: Readonly<QueueOptions>;
  /** The schedule on which the sweep runs without a request, in UTC. */
  readonly cron: string;
}
export type SweepQueues = Readonly<Record<Job, SweepQueue>>;

/**
 * The queues do not use a policy that allows one request, or one run, at a time:
 *
 * One *request*: a transaction that finds another request would add none, and that request may run before the rows of
 * the transaction are visible: a lost wake-up. It would also wait for every open transaction that requests the same
 * sweep. So each request is a separate row, inserted without a conflict, and the runner completes all due requests
 * with one run.
 *
 * One *run*: the request of a killed worker would block all other sweeps until it expires. Sweeps claim their rows with
 * `for update skip locked`, so several of them share the work instead.
 */
const SWEEP: SweepQueue['options'] = {
  // A sweep that hangs fails after this time; a missing heartbeat shows much earlier that its process died.
  expireInSeconds: 300,
  heartbeatSeconds: 30,
  // The first retry is after 1 to 2 s, each further one after twice that; then the schedule retries: no dead letters.
  retryLimit: 4,
  retryDelay: 1,
  retryBackoff: true,
  retryDelayMax: 60,
  // Completed requests contain nothing that the log does not.
  deleteAfterSeconds: 600,
};

/** The longest delay after a lost wake-up. */
const EVERY_MINUTE = '* * * * *';

/** A daily job that failed is retried within the hour. */
const EVERY_HOUR = '23 * * * *';

export const QUEUES: SweepQueues = {
  'verify-instruments': { options: SWEEP, cron: EVERY_MINUTE },
  'evaluate-due': { options: { ...SWEEP, expireInSeconds: 900 }, cron: EVERY_MINUTE },
  'fold-cohorts': { options: { ...SWEEP, expireInSeconds: 900 }, cron: EVERY_MINUTE },
  'keep-log': { options: { ...SWEEP, expireInSeconds: 900 }, cron: EVERY_MINUTE },
  // It checks each minute whether it is due.
  'build-atlas': { options: SWEEP, cron: EVERY_MINUTE },
  'observe-pegs': { options: SWEEP, cron: EVERY_MINUTE },
  'prune-expired': { options: { ...SWEEP, expireInSeconds: 900 }, cron: EVERY_MINUTE },
  'refresh-symbols': { options: SWEEP, cron: EVERY_HOUR },
  'deliver-webhooks': { options: SWEEP, cron: EVERY_MINUTE },
  'send-mails': { options: SWEEP, cron: EVERY_MINUTE },
  'erase-owners': { options: SWEEP, cron: EVERY_MINUTE },
  // It checks each hour whether the snapshot of the month is there.
  'publish-dataset': { options: { ...SWEEP, expireInSeconds: 3_600 }, cron: EVERY_HOUR },
};
