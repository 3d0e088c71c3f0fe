import type { Instrument } from './instrument.ts';
import type { InstrumentRecord, Refresh } from './instrument-store.ts';

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

export const INSTRUMENT_LISTS = ['verified', 'rejected', 'unreachable', 'queued'] as const;

export interface InstrumentFilter {
  /** `queued`: those with a queued refresh. */
  readonly status?: (typeof INSTRUMENT_LISTS)[number] | undefined;
  readonly symbol?: string | undefined;
}

export interface InstrumentList {
  /** Up to `limit` that match, in the order of their keys (of code points); only those after `after`, the key of another. */
  list(filter: InstrumentFilter, after: string | null, limit: number): Promise<readonly ListedInstrument[]>;
}
