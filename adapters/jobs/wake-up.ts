import type { Job, JobQueue } from '../../domain/jobs.ts';
import { MINUTE } from '../../domain/time.ts';
import type { Sweeping } from './sweep.ts';

/** Later work is left to the schedule, which runs every minute and then gets the exact time. */
const HORIZON = 2 * MINUTE;
/** The most runs of a sweep in a row without a pause: a sweep without progress must not spin. */
const BURST = 20;

/** Requests the next run that the result of a sweep names; `runAgain` polls the queue at once. */
export function wakeUp(queue: JobQueue, job: Job, runAgain: () => void): (answer: Sweeping) => Promise<void> {
  let requested = 0;
  let row = 0;
  return async (answer) => {
    const next = answer?.next?.getTime() ?? Number.POSITIVE_INFINITY;
    const wait = next - Date.now();
    if (wait > 0) row = 0;
    // Sweeps before that time return the same `next`, for which a request already exists.
    if (wait > HORIZON || (wait > 0 && next === requested)) return;
    requested = next;
    await queue.enqueue(job, new Date(next));
    if (wait <= 0 && row++ < BURST) runAgain();
    else row = 0;
  };
}
