import { JOBS, type Job, type JobQueue, type JobQueues } from '../../../domain/jobs.ts';
import type { Table } from './table.ts';

export interface JobTables {
  /** Requested sweeps, by job and moment: requests for the same one are one. */
  readonly jobs: Table<string, RequestedJob>;
}

export interface RequestedJob {
  readonly job: Job;
  readonly due_at: Date;
}

export function memoryJobs({ jobs }: JobTables, now: () => Date): JobQueue {
  return {
    async enqueue(job, at = now()) {
      jobs.set(jobKey({ job, due_at: at }), { job, due_at: at });
    },
  };
}

/** Requests are taken off the queue when they run, so none is ever active. */
export function memoryJobQueues({ jobs }: JobTables, now: () => Date): JobQueues {
  return {
    async states() {
      const due = jobs.where(({ due_at }) => due_at <= now());
      return JOBS.map((job) => {
        const times = due.filter((request) => request.job === job).map(({ due_at }) => due_at.getTime());
        const waiting_since = times.length === 0 ? null : new Date(Math.min(...times));
        return { job, waiting: times.length, waiting_since, active: 0, active_since: null, silent: 0 };
      });
    },
  };
}

/** Takes the sweeps that are due off the queue, each job once, however often it was requested. */
export function takeDueJobs({ jobs }: JobTables, now: Date): Job[] {
  const due = jobs.where(({ due_at }) => due_at <= now);
  for (const request of due) jobs.delete(jobKey(request));
  return [...new Set(due.map(({ job }) => job))];
}

/** When the next sweep is due; null when none is requested. */
export function nextJobAt({ jobs }: JobTables): Date | null {
  const times = jobs.where(() => true).map(({ due_at }) => due_at.getTime());
  return times.length === 0 ? null : new Date(Math.min(...times));
}

function jobKey({ job, due_at }: RequestedJob): string {
  return `${job} ${due_at.getTime()}`;
}
