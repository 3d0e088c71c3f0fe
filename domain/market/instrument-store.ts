import type { Instrument } from './instrument.ts';
import type { Listing } from './market-data.ts';

export interface InstrumentRecord {
  readonly instrument: Instrument;
  /** `unreachable`: no source could be asked; to be tried again at `retry_at`. */
  readonly status: 'verified' | 'rejected' | 'unreachable';
  readonly listing: Listing | null;
  readonly checked_at: Date;
  readonly retry_at: Date | null;
  /** How often in a row no source could be asked. */
  readonly attempts: number;
  readonly last_error: string | null;
}

/** A verification that somebody has asked for, whatever is known already. */
export interface Refresh {
  readonly instrument: Instrument;
  /** A UUID. */
  readonly job_id: string;
}

export interface InstrumentStore {
  /** The known ones among the asked, in no order. */
  find(instruments: readonly Instrument[]): Promise<readonly InstrumentRecord[]>;

  /** Adds or replaces what is known of the instrument. */
  put(record: InstrumentRecord): Promise<void>;

  /**
   * Queues the refresh unless one of its instrument is queued; returns the id of the queued one. The listing that is
   * known and the wait for a source that could not be asked are forgotten, so that nobody goes by them meanwhile.
   */
  requestRefresh(refresh: Refresh, now: Date): Promise<string>;

  /** Up to `limit` queued refreshes, the oldest first, without those that wait at `now` for their source. */
  refreshesDue(now: Date, limit: number): Promise<readonly Refresh[]>;

  /** Takes a refresh that has been made off the queue. */
  endRefresh(job_id: string): Promise<void>;
}
