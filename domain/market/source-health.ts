import type { Millis } from '../time.ts';

/**
 * `healthy`: its last request succeeded. `failing`: its last request failed, and the next one is sent. `paused`: no request
 * is sent for a while, because several in a row failed. `never asked`: this process has not sent it a request.
 */
export const SOURCE_STATES = ['healthy', 'failing', 'paused', 'never asked'] as const;
export type SourceStateName = (typeof SOURCE_STATES)[number];

/** How `last_error` of a source begins that no reply came from; the code of the failure follows. */
export const NO_REPLY = 'gave no answer: ';

/** How one source is doing, as one process last found it. */
export interface SourceHealth {
  readonly source: string;
  readonly state: SourceStateName;
  /** Failed requests since the last one that succeeded. */
  readonly failures: number;
  /** What the last failed request brought, such as `answered 503`, even where later ones succeeded; null if none failed. */
  readonly last_error: string | null;
  readonly last_error_at: Date | null;
  readonly last_success_at: Date | null;
}

export interface SourceReport extends SourceHealth {
  /** The markets that it serves, for people. */
  readonly serves: string;
}

export interface ProcessReport extends SourceReport {
  readonly process: string;
  readonly reported_at: Date;
}

/** One small request to one source that is configured. */
export interface SourceProbe {
  readonly source: string;
  /** The instrument that it requests. */
  readonly subject: string;
  /** null for a reply without a price. @throws SourceUnavailable */
  request(): Promise<NewestPrice | null>;
}

export interface NewestPrice {
  /** The start of the newest bar, or the time of the last trade; null where the exchange sends no time. */
  readonly at: Millis | null;
}

/** The reports of the processes on their sources, for operators only: no decision depends on them. */
export interface SourceHealthStore {
  /** Replaces all earlier reports of this process; deletes the reports of any process that are a day old. */
  record(process: string, reports: readonly SourceReport[], now: Date): Promise<void>;

  /** The reports written at or after `since`, by source, then process. */
  reportsSince(since: Date): Promise<readonly ProcessReport[]>;
}
