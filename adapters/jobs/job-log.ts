import type { PgBoss } from 'pg-boss';
import { SECOND } from '../../domain/time.ts';

export interface JobLog {
  warn(message: string, fields: Readonly<Record<string, unknown>>): void;
  error(message: string, fields: Readonly<Record<string, unknown>>): void;
}

/** While the database cannot be reached every poll of every queue fails; one line per interval is enough. */
const QUIET = 10 * SECOND;

/** pg-boss asserts before each statement that its connection is open. */
const CONNECTION_CLOSED = 'ERR_ASSERTION';

/**
 * Logs pg-boss's own errors. Without an `error` listener the first lost connection would end the process. `isStopping`:
 * a sweep that outlasts the stop finds the connection closed, after its requests were handed to another run.
 */
export function logFaults(boss: PgBoss, log: JobLog, isStopping: () => boolean = () => false): void {
  const loggedAt = new Map<string, number>();
  boss.on('error', (fault: Error & { readonly code?: string; readonly queue?: string }) => {
    if (isStopping() && fault.code === CONNECTION_CLOSED) {
      log.warn('A sweep took longer than the stop waits for it; the next run does its work', { queue: fault.queue });
      return;
    }
    const error = faultOf(fault);
    const now = Date.now();
    if (now - (loggedAt.get(error.message) ?? 0) < QUIET) return;
    loggedAt.set(error.message, now);
    log.error('The job queue reported an error; it continues to poll', { queue: fault.queue, error });
  });
  // pg-boss has only a few texts, so the map stays small.
  boss.on('warning', ({ message, data }) => log.warn(message, { data }));
}

/** pg-boss reports a copy that is not an Error; its message ends with the queue and a random worker. */
function faultOf({ message, stack, ...rest }: Error): Error {
  return Object.assign(new Error(message.replace(/ \(Queue: .*$/, '')), { ...rest, stack });
}
