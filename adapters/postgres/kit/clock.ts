import type { Clock } from '../../../domain/clock.ts';
import type { Sql } from './sql.ts';

/** Takes note of a time that the database has returned with a result. */
export type NoteTime = (at: Date) => void;

export interface DatabaseClock {
  readonly clock: Clock;
  readonly noteTime: NoteTime;
  /** The newest time that was noted; null before there is any. */
  readonly newest: () => Date | null;
}

export function postgresClock(sql: Sql): DatabaseClock {
  let newest: Date | null = null;
  const noteTime: NoteTime = (at) => {
    if (newest === null || at > newest) newest = at;
  };
  async function now(): Promise<Date> {
    const [row] = await sql.rows<{ at: Date }>('select app.now() as at', [], 'now');
    if (!row) throw new Error('The database returned no time.');
    noteTime(row.at);
    return row.at;
  }
  return { clock: { now, lastSeen: async () => newest ?? now() }, noteTime, newest: () => newest };
}
