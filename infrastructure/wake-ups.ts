import type { Job, JobQueue } from '../domain/jobs.ts';

/** Within this many milliseconds requests for one sweep become one. */
const GATHER = 50;

/** Asks for sweeps on behalf of requests that do not wait for the queue; see `Ports.wake`. */
export function wakeUps(queue: JobQueue, onFault: (fault: unknown) => void): (job: Job) => void {
  const asked = new Set<Job>();
  return (job) => {
    if (asked.has(job)) return;
    asked.add(job);
    setTimeout(() => {
      asked.delete(job);
      queue.enqueue(job).catch(onFault);
    }, GATHER);
  };
}
