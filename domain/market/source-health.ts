/** The state of one source as one process last found it. */
export interface SourceReport {
  readonly source: string;
  /** The markets that it serves, for people. */
  readonly serves: string;
  /** `open`: it is paused; `half_open`: the next request tries it. */
  readonly state: 'closed' | 'half_open' | 'open';
  /** Failed requests since the last one that succeeded. */
  readonly failures: number;
  readonly last_error_at: Date | null;
  readonly last_success_at: Date | null;
}

export interface ProcessReport extends SourceReport {
  readonly process: string;
  readonly reported_at: Date;
}

/** The reports of the processes on their sources, for operators only: no decision depends on them. */
export interface SourceHealthStore {
  /** Replaces all earlier reports of this process; deletes the reports of any process that are a day old. */
  record(process: string, reports: readonly SourceReport[], now: Date): Promise<void>;

  /** The reports written at or after `since`, by source, then process. */
  reportsSince(since: Date): Promise<readonly ProcessReport[]>;
}
