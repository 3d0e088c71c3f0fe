import { JOBS, type Job, type QueueState } from '../../domain/jobs.ts';
import { STATUS } from '../../domain/limits.ts';
import type { JobRuns, ReportedState } from '../../domain/service-processes.ts';

/**
 * `stuck`: a run has no sign of life of its process, or lasts longer than 15 minutes. `late`: no process takes its requests, or
 * it has not run for longer than its schedule allows. `failing`: its last three runs failed.
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
  if (job.silent > 0 || age(job.active_since) > STATUS.longestRun) return 'stuck';
  const silence = job.job === 'refresh-symbols' ? STATUS.hourlySilence : STATUS.silence;
  if (age(job.waiting_since) > STATUS.silence || age(lastSign(job, workers)) > silence) return 'late';
  if (job.failures >= STATUS.failures) return 'failing';
  return job.active_since === null ? 'idle' : 'running';
}

/** Since when the job has not run; null while it runs, and without a process that could run it. */
function lastSign({ active_since, last_started_at }: Omit<JobStatus, 'state'>, workers: readonly ReportedState[]) {
  const begun = workers.map(({ started_at }) => started_at).toSorted((a, b) => Number(a) - Number(b))[0];
  if (active_since !== null || begun === undefined) return null;
  return last_started_at !== null && last_started_at > begun ? last_started_at : begun;
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
