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

export interface InstrumentStore {
  /** The known ones among the asked, in no order. */
  find(instruments: readonly Instrument[]): Promise<readonly InstrumentRecord[]>;

  /** Adds or replaces what is known of the instrument. */
  put(record: InstrumentRecord): Promise<void>;
}
