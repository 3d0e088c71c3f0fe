import type { Instrument } from './instrument.ts';
import type { Listing } from './market-data.ts';

export const INSTRUMENT_LISTS = ['verified', 'rejected', 'unreachable', 'queued'] as const;

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

/** An instrument that the service knows, or that a refresh is queued for. */
export interface ListedInstrument {
  /** `instrumentKey`. */
  readonly key: string;
  readonly instrument: Instrument;
  /** null: it was never verified. */
  readonly status: InstrumentRecord['status'] | null;
  readonly checked_at: Date | null;
  /** When an unreachable source is asked again. */
  readonly retry_at: Date | null;
  readonly attempts: number;
  readonly last_error: string | null;
  /** The refresh that is queued; null without one. */
  readonly refresh: (Pick<Refresh, 'job_id'> & { readonly requested_at: Date }) | null;
}

export interface InstrumentFilter {
  /** `queued`: those with a queued refresh. */
  readonly status?: (typeof INSTRUMENT_LISTS)[number] | undefined;
  readonly symbol?: string | undefined;
}

export interface InstrumentList {
  /** Up to `limit` that match, in the order of their keys (of code points); only those after `after`, the key of another. */
  list(filter: InstrumentFilter, after: string | null, limit: number): Promise<readonly ListedInstrument[]>;

  /** The venues of all stocks that were verified or refused, each once, in no order. */
  stockVenues(): Promise<readonly string[]>;
}
