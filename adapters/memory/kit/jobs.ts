import { JOBS, type Job, type JobQueue, type JobQueues } from '../../../domain/jobs.ts';
import { MINUTE } from '../../../domain/time.ts';
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

/** The part of the memory storage that its jobs live in. */
export interface RequestedJobs {
  readonly jobs: JobQueue;
  takeDueJobs(): Promise<readonly Job[]>;
}

// biome-ignore lint/suspicious/noConfusingVoidType: a sweep that has nothing to say returns nothing.
export type MemorySweep = () => Promise<{ readonly next?: Date } | void>;
export type MemorySweeps = Readonly<Record<Job, MemorySweep>>;

export interface MemoryJobRunner {
  /** Resolves when the running sweep has ended; no other follows. */
  stop(): Promise<void>;
}

/** Milliseconds between two looks at the queue. */
const LOOK = 100;

/** Runs the sweeps as they are asked for, and all of them once a minute, whether asked for or not. */
export function startMemoryJobRunner(
  storage: RequestedJobs,
  sweeps: MemorySweeps,
  onFault: (job: Job, fault: unknown) => void,
): MemoryJobRunner {
  let timer: NodeJS.Timeout | undefined;
  let stopping = false;
  let scheduled = 0;
  const look = async () => {
    const all = Date.now() - scheduled >= MINUTE;
    if (all) scheduled = Date.now();
    for (const job of all ? JOBS : await storage.takeDueJobs()) {
      if (stopping) return;
      await sweep(storage, sweeps, job).catch((fault: unknown) => onFault(job, fault));
    }
    if (!stopping) timer = setTimeout(lookNow, LOOK);
  };
  let looking = Promise.resolve();
  const lookNow = () => {
    looking = look();
  };
  lookNow();
  return {
    async stop() {
      stopping = true;
      clearTimeout(timer);
      await looking;
    },
  };
}

/** Runs what is due until nothing is, in the caller's time: for tests. @throws what a sweep throws. */
export async function drainMemoryJobs(storage: RequestedJobs, sweeps: MemorySweeps): Promise<void> {
  for (let due = await storage.takeDueJobs(); due.length > 0; due = await storage.takeDueJobs())
    for (const job of due) await sweep(storage, sweeps, job);
}

async function sweep({ jobs }: RequestedJobs, sweeps: MemorySweeps, job: Job): Promise<void> {
  const next = (await sweeps[job]())?.next;
  if (next) await jobs.enqueue(job, next);
}
