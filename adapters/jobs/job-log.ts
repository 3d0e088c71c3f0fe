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
  const told = new Map<string, number>();
  boss.on('error', (error: Error & { queue?: string }) => {
    // pg-boss appends the queue and the worker, which is random.
    const message = error.message.replace(/ \(Queue: .*$/, '');
    const now = Date.now();
    if (now - (told.get(message) ?? 0) < QUIET) return;
    told.set(message, now);
    log.error('The job queue is in trouble', { queue: error.queue, error: message });
  });
  boss.on('warning', ({ message, data }) => log.warn('The job queue warns', { warning: message, data }));
}
