import type { Job, JobQueue } from '../../../domain/jobs.ts';
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
