import type { QueueOptions } from 'pg-boss';
import { JOBS, type Job, type JobSchedule, SCHEDULES } from '../../domain/jobs.ts';
import { SECOND } from '../../domain/time.ts';

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
  // A missing heartbeat shows much earlier than the end of the time of a run that its process died.
  heartbeatSeconds: 30,
  // The first retry is after 1 to 2 s, each further one after twice that; then the schedule retries: no dead letters.
  retryLimit: 4,
  retryDelay: 1,
  retryBackoff: true,
  retryDelayMax: 60,
  // Completed requests contain nothing that the log does not.
  deleteAfterSeconds: 600,
};

/** Each minute: the longest delay after a lost wake-up. */
const CRONS: Readonly<Record<JobSchedule['every'], string>> = { minute: '* * * * *', hour: '23 * * * *' };

export const QUEUES = Object.fromEntries(JOBS.map((job) => [job, queueOf(SCHEDULES[job])])) as SweepQueues;

function queueOf({ every, longest }: JobSchedule): SweepQueue {
  return { options: { ...SWEEP, expireInSeconds: longest / SECOND }, cron: CRONS[every] };
}
