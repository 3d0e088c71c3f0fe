import type { QueueOptions } from 'pg-boss';
import type { Job } from '../../domain/jobs.ts';

export interface SweepQueue {
  readonly options: Readonly<QueueOptions>;
  /** When the sweep runs without being asked for, in UTC. */
  readonly cron: string;
}
export type SweepQueues = Readonly<Record<Job, SweepQueue>>;

/**
 * A policy that allows one request, or one run, at a time is not used on purpose.
 *
 * One *request*: a transaction that finds the request of another one leaves its own out, and that other one may have
 * run before the transaction's rows were there to be seen: a lost wake-up. It would also wait for every open
 * transaction that asks for the same sweep. So each request is a row of its own, inserted without any conflict, and
 * the runner takes all that are due at once and answers them with one run.
 *
 * One *run*: the request of a worker that was killed would keep everyone else from sweeping until it expires. Sweeps
 * claim their rows with `for update skip locked`, so several of them share the work instead.
 */
const SWEEP: SweepQueue['options'] = {
  // A sweep that hangs is given up after this; one whose process died is noticed by its missing heartbeat long before.
  expireInSeconds: 300,
  heartbeatSeconds: 30,
  // After 1 to 2 s, then twice as long each time; afterwards the schedule is the retry, so that no dead letters are kept.
  retryLimit: 4,
  retryDelay: 1,
  retryBackoff: true,
  retryDelayMax: 60,
  // Answered requests say nothing that the log does not.
  deleteAfterSeconds: 600,
};

/** The safety net: a wake-up that got lost costs no more than this. */
const EVERY_MINUTE = '* * * * *';

/** What has to happen once a day is tried again within the hour when it failed. */
const EVERY_HOUR = '23 * * * *';

export const QUEUES: SweepQueues = {
  'verify-instruments': { options: SWEEP, cron: EVERY_MINUTE },
  'evaluate-due': { options: { ...SWEEP, expireInSeconds: 900 }, cron: EVERY_MINUTE },
  'fold-cohorts': { options: SWEEP, cron: EVERY_MINUTE },
  // It looks each minute whether it is due.
  'build-atlas': { options: SWEEP, cron: EVERY_MINUTE },
  'observe-pegs': { options: SWEEP, cron: EVERY_MINUTE },
  'prune-expired': { options: SWEEP, cron: EVERY_MINUTE },
  'refresh-symbols': { options: SWEEP, cron: EVERY_HOUR },
};
