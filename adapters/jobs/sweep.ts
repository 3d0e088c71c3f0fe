import type { JobResult } from 'pg-boss';
import type { Job } from '../../domain/jobs.ts';

/** A use case that does all due work. `next` is the time of the next due work; in the past: there is more now. */
export type Sweep = () => Promise<Sweeping>;
// biome-ignore lint/suspicious/noConfusingVoidType: a sweep without further work returns nothing.
export type Sweeping = { readonly next?: Date } | void;
export type Sweeps = Readonly<Record<Job, Sweep>>;

interface Request {
  readonly id: string;
  readonly retryCount: number;
}

/** One run completed all requests. */
export function answered(requests: readonly Request[]): JobResult[] {
  return requests.map(({ id }) => ({ id, status: 'completed' }));
}

/**
 * A run failed, so one request is retried: the one with the most retries, so that its delays grow and end. (Retrying
 * each of them would cause as many failures.)
 */
export function failed(requests: readonly Request[], error: Error): JobResult[] {
  const retried = requests.toSorted((a, b) => b.retryCount - a.retryCount).at(0)?.id;
  return requests.map(({ id }) =>
    id === retried ? { id, status: 'failed', output: error } : { id, status: 'completed' },
  );
}

/** @throws when the sweep has not ended in time; it cannot be stopped, but it no longer blocks other sweeps. */
export async function withinSeconds<T>(seconds: number, work: Promise<T>): Promise<T> {
  const late = Promise.withResolvers<never>();
  const timer = setTimeout(() => late.reject(new Error(`The sweep did not end within ${seconds} s.`)), seconds * 1_000);
  // A sweep that is left to another run must not keep the process from ending.
  timer.unref();
  try {
    return await Promise.race([work, late.promise]);
  } finally {
    clearTimeout(timer);
  }
}
