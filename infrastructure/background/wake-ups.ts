import type { Job, JobQueue } from '../../domain/jobs.ts';

/** Within this many milliseconds requests for one sweep become one. */
const GATHER = 50;

export interface WakeUps {
  /** Asks for a sweep on behalf of requests that do not wait for the queue; see `Ports.wake`. */
  wake(job: Job): void;
  /** Sends what is gathered, and waits for it; what is asked for from now on is left to the schedule. */
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
