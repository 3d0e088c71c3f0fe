import type { Job, JobQueue } from '../../domain/jobs.ts';

/** Requests for one sweep in this many milliseconds become one. */
const GATHER = 50;

export interface WakeUps {
  /** Requests a sweep for requests that do not wait for the queue; see `Ports.wake`. */
  wake(job: Job): void;
  /** Sends the gathered requests and waits for that; later ones are left to the schedule. */
  close(): Promise<void>;
}

export function wakeUps(queue: JobQueue, onFault: (fault: unknown) => void): WakeUps {
  const gathered = new Map<Job, NodeJS.Timeout>();
  const sending = new Set<Promise<void>>();
  let closed = false;
  const send = (job: Job) => {
    gathered.delete(job);
    const sent = queue
      .enqueue(job)
      .catch(onFault)
      .finally(() => sending.delete(sent));
    sending.add(sent);
  };
  return {
    wake(job) {
      if (closed || gathered.has(job)) return;
      gathered.set(
        job,
        setTimeout(() => send(job), GATHER),
      );
    },
    async close() {
      closed = true;
      for (const [job, timer] of gathered) {
        clearTimeout(timer);
        send(job);
      }
      await Promise.all(sending);
    },
  };
}
