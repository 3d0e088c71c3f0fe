import type { PgBoss } from 'pg-boss';
import { SECOND } from '../../domain/time.ts';

export interface JobLog {
  warn(message: string, fields: Readonly<Record<string, unknown>>): void;
  error(message: string, fields: Readonly<Record<string, unknown>>): void;
}

/** While the database cannot be reached every poll of every queue fails; one line per interval is enough. */
const QUIET = 10 * SECOND;

/** Logs pg-boss's own errors. Without an `error` listener the first lost connection would end the process. */
export function logFaults(boss: PgBoss, log: JobLog): void {
  const loggedAt = new Map<string, number>();
  boss.on('error', (fault: Error & { readonly queue?: string }) => {
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
