import type { Clock } from '../../../domain/clock.ts';
import type { Sql } from './sql.ts';

/** Takes note of a time that the database has told beside an answer. */
export type HearTime = (at: Date) => void;

export interface HeardClock {
  readonly clock: Clock;
  readonly hear: HearTime;
  /** The newest time that was heard; null before there is any. */
  readonly newest: () => Date | null;
}

export function postgresClock(sql: Sql): HeardClock {
  let newest: Date | null = null;
  const hear: HearTime = (at) => {
    if (newest === null || at > newest) newest = at;
  };
  async function now(): Promise<Date> {
    const [row] = await sql.rows<{ at: Date }>('select app.now() as at', [], 'now');
    if (!row) throw new Error('The database did not tell the time.');
    hear(row.at);
    return row.at;
  }
  return { clock: { now, lastSeen: async () => newest ?? now() }, hear, newest: () => newest };
}
