import type { Instrument } from './instrument.ts';
import type { Listing } from './market-data.ts';

export interface InstrumentRecord {
  readonly instrument: Instrument;
  /** `unreachable`: no source could be asked; the next try is at `retry_at`. */
  readonly status: 'verified' | 'rejected' | 'unreachable';
  readonly listing: Listing | null;
  readonly checked_at: Date;
  readonly retry_at: Date | null;
  /** How many times in a row no source could be asked. */
  readonly attempts: number;
  readonly last_error: string | null;
}

/** A requested verification, which ignores what is known already. */
export interface Refresh {
  readonly instrument: Instrument;
  /** A UUID. */
  readonly job_id: string;
}

export interface InstrumentStore {
  /** The known ones of the requested instruments, in no order. */
  find(instruments: readonly Instrument[]): Promise<readonly InstrumentRecord[]>;

  /** Adds or replaces the record of the instrument. */
  put(record: InstrumentRecord): Promise<void>;

  /**
   * Queues the refresh unless one of its instrument is queued; returns the id of the queued one, which counts from now
   * on as requested at `now`. Also removes the known listing and the wait for an unreachable source, so that neither is
   * used meanwhile.
   */
  requestRefresh(refresh: Refresh, now: Date): Promise<string>;

  /** Up to `limit` queued refreshes, the one requested longest ago first, without those that wait at `now` for their source. */
  refreshesDue(now: Date, limit: number): Promise<readonly Refresh[]>;

  /** Removes a finished refresh from the queue. */
  endRefresh(job_id: string): Promise<void>;
}
