/** The database's clock, the one arbiter of windows, days and receive times (settled.md sections 4 and 7). */
export interface Clock {
  /** Asks for the time. */
  now(): Promise<Date>;

  /**
   * The newest time that an answer of the database has told this process; asks when there is none yet.
   * It costs nothing and is never ahead of `now`, unless that clock was set back.
   */
  lastSeen(): Promise<Date>;
}
