import type { JobResult } from 'pg-boss';
import type { Job } from '../../domain/jobs.ts';

/** A use case that works off what is due. `next` is when the next thing falls due; in the past: there is more now. */
export type Sweep = () => Promise<Sweeping>;
// biome-ignore lint/suspicious/noConfusingVoidType: a sweep that has nothing to say returns nothing.
export type Sweeping = { readonly next?: Date } | void;
export type Sweeps = Readonly<Record<Job, Sweep>>;

interface Request {
  readonly id: string;
  readonly retryCount: number;
}

/** All requests were answered by one run. */
export function answered(requests: readonly Request[]): JobResult[] {
  return requests.map(({ id }) => ({ id, status: 'completed' }));
}

/**
 * One run has failed, so one request tries again: the one that has tried most often, so that its delays grow and end.
 * (Retrying each of them would spread as many failures over time.)
 */
export function failed(requests: readonly Request[], error: Error): JobResult[] {
  const retried = requests.toSorted((a, b) => b.retryCount - a.retryCount).at(0)?.id;
  return requests.map(({ id }) =>
    id === retried ? { id, status: 'failed', output: error } : { id, status: 'completed' },
  );
}

/** @throws when the sweep has not ended in time; it cannot be stopped, but it no longer keeps others from running. */
export async function withinSeconds<T>(seconds: number, work: Promise<T>): Promise<T> {
  const late = Promise.withResolvers<never>();
  const timer = setTimeout(() => late.reject(new Error(`It did not end within ${seconds} s.`)), seconds * 1_000);
  // A sweep that was handed to another run must not hold a process that wants to end.
  timer.unref();
  try {
    return await Promise.race([work, late.promise]);
  } finally {
    clearTimeout(timer);
  }
}
