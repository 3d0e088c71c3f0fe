import type { PgBoss } from 'pg-boss';
import { SECOND } from '../../domain/time.ts';

export interface JobLog {
  warn(message: string, fields: Readonly<Record<string, unknown>>): void;
  error(message: string, fields: Readonly<Record<string, unknown>>): void;
}

/** While the database is away every poll fails, twice a second and queue: once in this long is enough to know. */
const QUIET = 10 * SECOND;

/** Has pg-boss's own troubles logged. Without an `error` listener the first lost connection would end the process. */
export function logFaults(boss: PgBoss, log: JobLog): void {
  const loggedAt = new Map<string, number>();
  boss.on('error', (fault: Error & { readonly queue?: string }) => {
    const error = faultOf(fault);
    const now = Date.now();
    if (now - (loggedAt.get(error.message) ?? 0) < QUIET) return;
    loggedAt.set(error.message, now);
    log.error('The job queue is in trouble', { queue: fault.queue, error });
  });
  // The texts are pg-boss's own and few.
  boss.on('warning', ({ message, data }) => log.warn(message, { data }));
}

/** pg-boss reports a copy that is no Error any more, its message ending in the queue and a random worker. */
function faultOf({ message, stack, ...rest }: Error): Error {
  return Object.assign(new Error(message.replace(/ \(Queue: .*$/, '')), { ...rest, stack });
}
