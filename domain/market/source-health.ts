/** How one process last found one of its sources. */
export interface SourceReport {
  readonly source: string;
  /** What it is asked about, for people. */
  readonly serves: string;
  /** `open`: it is left alone for a while; `half_open`: the next request tries it. */
  readonly state: 'closed' | 'half_open' | 'open';
  /** Failed requests since the last one that succeeded. */
  readonly failures: number;
  readonly last_error_at: Date | null;
  readonly last_success_at: Date | null;
}

export interface ToldReport extends SourceReport {
  readonly process: string;
  readonly told_at: Date;
}

/** What the processes tell of their sources, for operators: nothing is decided by it. */
export interface SourceHealthStore {
  /** Takes the place of all that this process told before; forgets what was told a day ago by anyone. */
  tell(process: string, reports: readonly SourceReport[], now: Date): Promise<void>;

  /** What was told at or after `since`, by source, then process. */
  told(since: Date): Promise<readonly ToldReport[]>;
}
