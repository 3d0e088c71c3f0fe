import { JOBS, type Job, longestSilence, type QueueState, SCHEDULES } from '../../domain/jobs.ts';
import { STATUS } from '../../domain/limits.ts';
import type { JobRuns, ReportedState } from '../../domain/service-processes.ts';

/**
 * `stuck`: a run has no sign of life of its process, or lasts longer than a run of the job may. `late`: no process takes its
 * requests, or it has not run for longer than its schedule allows. `failing`: its last three runs failed.
 */
export const JOB_STATES = ['idle', 'running', 'failing', 'late', 'stuck'] as const;

/** One job, as all processes together know it. */
export interface JobStatus extends QueueState, JobRuns {
  readonly state: (typeof JOB_STATES)[number];
  /** The process of the oldest run that a process reports. */
  readonly running_in: string | null;
}

/** @param workers the processes that run jobs and have reported within the last minute */
export function jobStatus(
  queues: readonly QueueState[],
  runs: readonly JobRuns[],
  workers: readonly ReportedState[],
  now: Date,
): readonly JobStatus[] {
  return JOBS.map((job) => {
    const queue = queues.find((each) => each.job === job) ?? noRequests(job);
    const known = runs.find((each) => each.job === job) ?? noRuns(job);
    const [oldest] = workers
      .flatMap(({ process, running }) => running.map((run) => ({ ...run, process })))
      .filter((run) => run.job === job)
      .toSorted((a, b) => (a.since < b.since ? -1 : 1));
    const reported = oldest === undefined ? null : new Date(oldest.since);
    const active_since = earlier(queue.active_since, reported);
    const joined = { ...known, ...queue, active_since, running_in: oldest?.process ?? null };
    return { ...joined, state: stateOf(joined, workers, now) };
  });
}

function stateOf(job: Omit<JobStatus, 'state'>, workers: readonly ReportedState[], now: Date): JobStatus['state'] {
  const age = (at: Date | null) => (at === null ? 0 : now.getTime() - at.getTime());
  if (job.silent > 0 || age(job.active_since) > SCHEDULES[job.job].longest) return 'stuck';
  if (age(untakenSince(job, workers)) > STATUS.untaken || age(lastSign(job, workers)) > longestSilence(job.job))
    return 'late';
  if (job.failures >= STATUS.failures) return 'failing';
  return job.active_since === null ? 'idle' : 'running';
}

/**
 * Since when a process could have taken the oldest request; null while a run is under way, which requests wait for, and without
 * a process that runs jobs.
 */
function untakenSince(job: Omit<JobStatus, 'state'>, workers: readonly ReportedState[]): Date | null {
  const begun = beginOf(workers);
  if (job.waiting_since === null || job.active_since !== null || begun === null) return null;
  return latest([job.waiting_since, begun, job.last_succeeded_at, job.last_failed_at]);
}

/** Since when the job has not run; null while it runs, and without a process that could run it. */
function lastSign(job: Omit<JobStatus, 'state'>, workers: readonly ReportedState[]): Date | null {
  const begun = beginOf(workers);
  if (job.active_since !== null || begun === null) return null;
  return latest([job.last_started_at, job.last_succeeded_at, job.last_failed_at, begun]);
}

function beginOf(workers: readonly ReportedState[]): Date | null {
  return workers.map(({ started_at }) => started_at).toSorted((a, b) => Number(a) - Number(b))[0] ?? null;
}

/** The latest of the times that are known; null where none is. */
export function latest(times: readonly (Date | null)[]): Date | null {
  return times.reduce((a, b) => (a === null || (b !== null && b > a) ? b : a), null);
}

function earlier(a: Date | null, b: Date | null): Date | null {
  if (a === null || b === null) return a ?? b;
  return a < b ? a : b;
}

function noRequests(job: Job): QueueState {
  return { job, waiting: 0, waiting_since: null, active: 0, active_since: null, silent: 0 };
}

function noRuns(job: Job): JobRuns {
  return { job, last_started_at: null, last_succeeded_at: null, last_failed_at: null, last_error: null, failures: 0 };
}
