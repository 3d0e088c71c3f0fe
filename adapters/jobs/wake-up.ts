import type { Job, JobQueue } from '../../domain/jobs.ts';
import { MINUTE } from '../../domain/time.ts';
import type { Sweeping } from './sweep.ts';

/** The schedule runs every minute; it then gets the exact moment. */
const HORIZON = 2 * MINUTE;
/** So often in a row a sweep is followed by the next without a pause; one that makes no progress must not spin. */
const BURST = 20;

/** Sees to the run that a sweep's answer asks for; `runAgain` looks at the queue at once. */
export function wakeUp(queue: JobQueue, job: Job, runAgain: () => void): (answer: Sweeping) => Promise<void> {
  let requested = 0;
  let row = 0;
  return async (answer) => {
    const next = answer?.next?.getTime() ?? Number.POSITIVE_INFINITY;
    const wait = next - Date.now();
    if (wait > 0) row = 0;
    // Sweeps between now and then answer the same: the request is there already.
    if (wait > HORIZON || (wait > 0 && next === requested)) return;
    requested = next;
    await queue.enqueue(job, new Date(next));
    if (wait <= 0 && row++ < BURST) runAgain();
    else row = 0;
  };
}
