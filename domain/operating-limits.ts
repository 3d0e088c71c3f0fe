import { DAY, HOUR, MINUTE, SECOND } from './time.ts';

// The numbers of what operators watch. They are imported from limits.ts, like all numbers of the contract.

/** Bars that were fetched, by the session that they belong to. */
export const BAR_CACHE = {
  keep: 7 * DAY, // ours: a session's older bars are fetched again when needed
} as const;

/** What processes report of themselves and of the price sources that they ask. */
export const SOURCE_REPORTS = {
  every: 15 * SECOND, // ours
  fresh: MINUTE, // ours: a process whose last report is older has ended, is stopped, or cannot write
  keep: DAY, // ours: reports of a process that is gone
} as const;

/** The requests by which an operator asks each price source once. */
export const SOURCE_PROBES = {
  longest: 20 * SECOND, // ours: until an answer, repeated attempts included
  every: 30 * SECOND, // ours: over all processes, so that one round ends before the next begins
} as const;

/** Figures of the service, kept to be drawn. */
export const MINUTES = {
  kept: DAY, // ours: 1,440 rows
} as const;

/** The room that PostgreSQL needs, which stops itself when it cannot write its log. */
export const DISK = {
  keptFree: 512 * 2 ** 20, // ours: bytes, unless DISK_FREE_MB says otherwise; 32 segments of the log
  returnsAt: 1.25, // ours: how many times that must be free before a full disk counts as one with room
  look: 2 * SECOND, // ours: how often a process looks; a flood of submissions writes some 40 MB a second
  probe: 5 * SECOND, // ours: how often a database that has refused a write is tried again
  probeBytes: 16 * 2 ** 20, // ours: written by that trial, as a segment of the log
  retryAfter: 30 * SECOND, // ours: of what is refused meanwhile
  jobsWait: 30 * SECOND, // ours: until a job that waits for room looks again
} as const;

export const ABANDONED_BACKUP = DAY; // ours: since the last byte of one without an end, which the next one removes

/** Log lines on their way to another machine. */
export const LOG_FORWARDING = {
  lines: 10_000, // ours: that wait in a process; further ones are lost, and counted
  characters: 16 * 2 ** 20, // ours: of those lines, in the form of LOG_FORMAT
  batch: 500, // ours: lines of a request
  batchCharacters: 256 * 2 ** 10, // ours: of those lines; OTLP makes up to three times as many, and nginx takes 1 MiB
  every: SECOND, // ours: how long a line waits for others
  firstPause: SECOND, // ours: after a request that failed; doubled each time
  longestPause: MINUTE, // ours
  atEnd: 2 * SECOND, // ours: for what waits when the process ends; with requests, jobs and traces 25 s at most
  reportEvery: MINUTE, // ours: how often lost lines are reported
} as const;

/** From where on the status of the service names something as a problem, for operators; docs/operating/alerts.yaml says the same. */
export const STATUS = {
  lag: 15 * MINUTE, // ours: evaluations, deliveries and mails that are due
  restart: 2 * MINUTE, // ours: a process that was restarted reports again within it
  begins: 3 * MINUTE, // ours: until a scheduled or requested run of a job begins, beyond the times of its schedule
  untaken: 5 * MINUTE, // ours: a request for a job that no process takes
  failures: 3, // ours: in a row, of a job
  unexplained: 20, // ours: prices and leaps that keep decisions waiting, as many as are listed
  series: 5_000, // ours: of fetched days, in which the command line looks for leaps
  sourceFailures: 5, // ours: in a row; a source is then paused for the first time
  sourceSilence: 30 * MINUTE, // ours: since the last answer of a source that fails
  networkSilence: 5 * MINUTE, // ours: since the last answer of any source, where all give none
  pegSilence: 10 * MINUTE, // ours: without a price of a stablecoin
  waiting: 20, // ours: requests of a process that wait for a connection at once
  replicaLag: 16 * 1_024 * 1_024, // ours: bytes of the log
  firstBackup: DAY, // ours: from the first decision to the first backup
  nextBackup: 8 * DAY, // ours: from one backup to the next; a weekly one may be a day late
  calendar: 10, // ours: days before the last one whose sessions a venue has announced
  calendarNoticed: 60, // ours: the same, in the list of calendars
} as const;

/** Records of which a process found parts that it cannot read, as it reports them to operators. */
export const RECORD_FAULTS = {
  remembered: 1_000, // ours: by each process, and in the database
  named: 5, // ours: the newest of them, in its report and in the status
  readAgainAfter: 5 * MINUTE, // ours: a known record; two runs of keep-log, which finds damaged events, are within it
  readAgain: 100, // ours: known records in one run of prune-expired
} as const;

export const SYMBOLS = {
  every: 20 * HOUR, // settled.md 3: a daily job; checked hourly, so that no day is skipped
  reload: MINUTE, // ours: how often a process looks whether the directory has changed
  deadline: 30 * SECOND, // ours: for one file
  goneAfter: 5, // securities.md 2 and 4: sessions off the lists
  lostShare: 0.1, // ours: of all tickers, that may leave between two lists; a year's departures are some 8 %
  lostFew: 100, // ours: so many may always leave
  lostHalfAfter: 90 * DAY, // ours: lists as old as that may lose half; a month's departures are below 1 %
  returning: 25, // ours: reused tickers of one list; more of them came back because lists were short
} as const;

export const CIRCUIT = {
  observeEvery: 60 * SECOND, // settled.md 9
  sourceFreshness: 5 * MINUTE, // settled.md 9
  quorum: 2, // settled.md 9: sources
  subThresholdBps: 50, // settled.md 9: drift below it counts as recovery
  tripBps: 100, // settled.md 9: for tripAfter without a break
  tripAfter: 15 * MINUTE, // settled.md 9
  tripAtOnceBps: 200, // settled.md 9: in tripAtOnceObservations running
  tripAtOnceObservations: 3, // settled.md 9
  recovery: 24 * HOUR, // interface.md 3.2
  recoveryGap: 10 * MINUTE, // settled.md 9: a longer gap restarts the recovery
  relapseAfter: 15 * MINUTE, // settled.md 9: warming -> tripped at >= subThresholdBps
  leastSpacing: 45 * SECOND, // ours: closer observations come from several processes
  highestPrice: 10, // ours: in USD; a higher number cannot be the price of such a coin
  keepObservations: 8 * DAY, // ours
  reasonLength: 500, // ours: as long as that of a quarantine
  justificationLength: 2_000, // ours
  evidenceUrls: 20, // settled.md 9
  evidenceUrlLength: 2_048, // settled.md 9
} as const;
