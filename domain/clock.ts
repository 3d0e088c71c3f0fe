/** The database's clock, which decides windows, days and receive times (settled.md sections 4 and 7). */
export interface Clock {
  /** Asks the database for the time. */
  now(): Promise<Date>;

  /**
   * The newest time that a reply of the database has shown to this process; asks when there is none yet. It costs
   * nothing and is never ahead of `now`, unless the database's clock was set back.
   */
  lastSeen(): Promise<Date>;
}
