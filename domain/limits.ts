import { DAY, HOUR, MINUTE, SECOND } from './time.ts';

// Every number of the contract, once. Durations are in milliseconds unless their name says otherwise.
// The numbers of the evaluation method are in domain/grading/method-numbers.ts.

/** The limits that an operator may change, each by the variable `LIMIT_...` of its name (settled.md section 13). */
export interface Limits {
  readonly ratePerSecond: number;
  readonly ratePerMinute: number;
  readonly queryPerDay: number;
  readonly readPerDay: number;
  readonly checkPerDecision: number;
  readonly submitsPerHour: number;
  readonly retroactivePerDay: number;
  /** 0 turns the cooldown off. */
  readonly cooldownSeconds: number;
  readonly addressPerMinute: number;
  readonly signupsPerMinute: number;
  readonly publicCohortsPerMinute: number;
  readonly credentialedPerMinute: number;
  readonly accountsPerAddress: number;
  readonly accountsPerDay: number;
  /** The mean size of an agent's accepted bodies at `submitsPerHour`, in bytes; see `submitBytesPerHour`. */
  readonly submitMeanBytes: number;
  readonly agentHoursPerNetwork: number;
  readonly publicationsPerDay: number;
  readonly publishedBytesPerDay: number;
  readonly acceptancesPerDay: number;
  readonly accountChangesPerDay: number;
  readonly keptOwnersPerNetwork: number;
}

/** Those that accepted submissions count against. */
export type SubmitLimits = Pick<
  Limits,
  'submitsPerHour' | 'submitMeanBytes' | 'cooldownSeconds' | 'retroactivePerDay' | 'agentHoursPerNetwork'
>;

export const CONTRACT_LIMITS: Limits = {
  ratePerSecond: 10, // interface.md 8: rate limits per API key
  ratePerMinute: 60, // interface.md 8
  queryPerDay: 20, // interface.md 8: query pool
  readPerDay: 200, // interface.md 8: read pool
  checkPerDecision: 20, // interface.md 8: check pool
  submitsPerHour: 120, // settled.md 4: accepted submissions per agent and fixed UTC hour
  retroactivePerDay: 50, // settled.md 4: accepted per owner and UTC day
  cooldownSeconds: 900, // interface.md 8: 15 minutes per agent, symbol and direction
  addressPerMinute: 60, // settled.md 7: callers without credentials
  signupsPerMinute: 10, // settled.md 7: register, login, quick-setup, device start
  publicCohortsPerMinute: 10, // ours: cohorts without credentials, per address
  credentialedPerMinute: 6_000, // ours: per address and process; 100 keys behind one address at full speed
  accountsPerAddress: 20, // ours: new ones per address and UTC day
  accountsPerDay: 1_000, // ours: new ones of all addresses per UTC day
  submitMeanBytes: 4 * 1024, // ours: bodies have some 1 to 2 KB, and 64 KiB at most
  agentHoursPerNetwork: 9_600, // ours: a UTC day; 20 owners with 20 agents each (10, replaced once) around the clock
  publicationsPerDay: 100, // ours: of an owner; 20 workflows, five times each
  publishedBytesPerDay: 4 * 1024 * 1024, // ours: of an owner; 64 of the largest bodies
  acceptancesPerDay: 20, // ours: of an owner
  accountChangesPerDay: 200, // ours: of an owner; 50 keys replaced, with room for webhooks and agents
  keptOwnersPerNetwork: 20, // ours: what a network keeps in a UTC day, in days of an owner; as accountsPerAddress
};

export const QUOTA = {
  queryCredit: 10, // interface.md 8: per evaluated realtime submission
} as const;

/** How long the counts of accepted submissions are kept; at that age they have no effect. */
export const SUBMIT_COUNTS = {
  keepCooldowns: 30 * DAY, // ours, and so the longest cooldown that an operator can set
  keepHours: 2 * DAY, // ours: of submit frequency
  keepDays: 2 * DAY, // ours: of the retroactive quota
} as const;

/** How long counters are kept once they have no effect, unless the clock is set back. */
export const WINDOWS = {
  keep: HOUR, // ours: rate windows
  keepDays: 7 * DAY, // ours: daily pools
} as const;

export const SUBMIT = {
  bodyBytes: 64 * 1024, // settled.md 4
  cutoffLead: 30 * SECOND, // interface.md 8: data_cutoff ahead of the receive time
  keyFactors: 10, // interface.md 8
  factorLength: 280, // settled.md 4
  targets: 5, // settled.md 4: price_targets.targets
  invalidations: 2, // settled.md 4
  interactionRecords: 32, // settled.md 4: service_interaction.record_ids
  relatedRecords: 16, // settled.md 4
  summaryLength: 4_000, // settled.md 4
  tags: 10, // settled.md 4
  tagLength: 40, // settled.md 4
  metaBytes: 4 * 1024, // settled.md 4
} as const;

/**
 * The bytes of bodies that an agent may have accepted in a UTC hour: those of `submitsPerHour` bodies of the mean size, and
 * at least one of the greatest size.
 */
export function submitBytesPerHour({ submitsPerHour, submitMeanBytes }: SubmitLimits): number {
  return Math.max(SUBMIT.bodyBytes, submitsPerHour * submitMeanBytes);
}

/** The least and the greatest horizon that a submission may name, both inclusive (evaluation.md section 2). */
export const HORIZON_BOUNDS = {
  trading_days: { min: 1, max: 252 }, // full sessions
  holding_seconds: { min: 120, max: 31_536_000 },
} as const;

/** The edges of the horizon bands of a cohort key, in days: trading days, or seconds / 86,400. */
export const HORIZON_BANDS = {
  swingFrom: 1, // settled.md 3: `intraday` below it
  positionFrom: 11, // settled.md 3: `swing` below it
  positionTo: 60, // settled.md 3: `long` above it
} as const;

export const IDEMPOTENCY = {
  keyLength: 255, // settled.md 4
  keep: 48 * HOUR, // settled.md 4
  lockWait: 5 * SECOND, // settled.md 4: a longer wait for the twin is 503
} as const;

export const VERIFICATION = {
  cache: 24 * HOUR, // settled.md 5: a known, recently verified instrument
  firstRetry: MINUTE, // ours: when no source could be asked; doubled each time
  longestRetry: HOUR, // ours
  patience: 8 * DAY, // ours: after the end of the window, when no source can be asked; see verificationEndsAt
} as const;

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

/** From where on the status of the service names something as a problem, for operators; docs/operating/alerts.yaml says the same. */
export const STATUS = {
  lag: 15 * MINUTE, // ours: evaluations, deliveries and mails that are due
  restart: 2 * MINUTE, // ours: a process that was restarted reports again within it
  begins: 3 * MINUTE, // ours: until a scheduled or requested run of a job begins, beyond the times of its schedule
  untaken: 5 * MINUTE, // ours: a request for a job that no process takes
  failures: 3, // ours: in a row, of a job
  unexplained: 20, // ours: prices and leaps that keep decisions waiting, as many as are listed
  sourceFailures: 5, // ours: in a row; a source is then paused for the first time
  sourceSilence: 30 * MINUTE, // ours: since the last answer of a source that fails
  networkSilence: 5 * MINUTE, // ours: since the last answer of any source, where all give none
  pegSilence: 10 * MINUTE, // ours: without a price of a stablecoin
  waiting: 20, // ours: requests of a process that wait for a connection at once
  replicaLag: 16 * 1_024 * 1_024, // ours: bytes of the log
  firstBackup: DAY, // ours: from the first decision to the first backup
  nextBackup: 8 * DAY, // ours: from one backup to the next; a weekly one may be a day late
} as const;

/** Records of which a process found parts that it cannot read, as it reports them to operators. */
export const RECORD_FAULTS = {
  remembered: 1_000, // ours: by each process
  named: 5, // ours: the newest of them, in its report
} as const;

export const SYMBOLS = {
  every: 20 * HOUR, // settled.md 3: a daily job; checked hourly, so that no day is skipped
  reload: MINUTE, // ours: how often a process looks whether the directory has changed
  deadline: 30 * SECOND, // ours: for one file
} as const;

/** The search for instruments by symbol. */
export const INSTRUMENT_SEARCH = {
  most: 50, // ours
  byDefault: 10, // ours
} as const;

export const EVALUATION = {
  lease: MINUTE, // ours: renewed for each instrument; a longer evaluation may be taken over
  batch: 1_000, // ours: records that one claim takes
  sourceRetry: 5 * MINUTE, // ours: when no source could be asked; it counts as no attempt
  faultRetry: HOUR, // ours: when the evaluation of a record itself fails
} as const;

export const AUDIT = {
  filterLength: 200, // ours: as long as an actor or a subject
} as const;

export const MODERATION = {
  quarantineReasonLength: 500, // settled.md 5
  revokeReasonLength: 500, // ours: as long as that of a quarantine
  releaseReasonLength: 500, // ours: as above
} as const;

export const BATCH = {
  records: 32, // interface.md 8
} as const;

/** Replies that anyone may read. */
export const PUBLIC_REPLIES = {
  sharedFor: MINUTE, // ours: how long after a quarantine a cache may still show a record
} as const;

/** The list of the newest public records: as many as the atlas has seeds. */
export const NEWEST_PUBLIC = {
  most: 50, // ours, as ATLAS.seeds
  byDefault: 12, // ours, as ATLAS.defaultSeeds
} as const;

/** Cursor pages: wisdom and owner decisions. */
export const PAGE = {
  limit: 100, // interface.md 8
  defaultLimit: 20, // interface.md 8, settled.md 6
  cursorLength: 4_096, // ours
  momentCursorLength: 8_192, // ours: the snapshot in a cursor of a cohort lists the transactions in progress
} as const;

/** Numbered pages: workflows, snapshots, marketplace. */
export const NUMBERED_PAGE = {
  perPage: 100, // settled.md 11
  defaultPerPage: 20, // settled.md 11
} as const;

export const COHORT = {
  minProducers: 5, // settled.md 6: WISDOM_MIN_PRODUCERS
  minSamples: 10, // settled.md 6: WISDOM_MIN_SAMPLES
  mostMinProducers: 32, // ours: each cell stores that many owners, so that its threshold is exact
  trackRecordSymbols: 20, // settled.md 6: by_symbol
  lateListing: 10 * MINUTE, // ours: after it pages take a record by its time, not by the snapshot that lists were begun in
  mostWindows: 10_000, // evaluation-2.md 5: of more records the overlap of windows is not counted; nor the largest owner
  shareOfMinimum: 3, // settled.md 14: how many times the minimum of records a cohort with largest_owner_share has
  mostUngraded: 2_000, // ours: ungraded records of a market, or of a symbol; more are not counted next to graded ones
  fineGrid: 0.1, // ours: one step of the price, in sigmas of the window; half of it moves the edge of a bucket
  cellsFrom: 2_000, // ours: records of a market, month or day, from which shorter periods are counted in cells
  mostAsOf: 20_000, // ours: records that `as_of` counts one by one, where no cells have both
  mostPeriods: 40, // ours: calendar periods that are checked before a narrowed cohort is withheld
} as const;

export const TRACK_RECORD = {
  cache: 5 * MINUTE, // ours: how old the counts in a list of agents may be
} as const;

export const GRAPH = {
  depth: 3, // interface.md 8
  defaultDepth: 1, // settled.md 10
  limit: 100, // interface.md 8
  defaultLimit: 50, // settled.md 10
  publicDepth: 2, // settled.md 10
  publicLimit: 50, // settled.md 10
  computedNeighbours: 10, // settled.md 10: same_cohort and same_workflow
} as const;

export const ATLAS = {
  nodes: 300, // settled.md 10
  rebuildEvery: 15 * MINUTE, // settled.md 10
  countBands: [5, 10, 50, 200], // settled.md 10: the lower edges of 5-9, 10-49, 50-199, 200+
  seeds: 50, // settled.md 10
  defaultSeeds: 12, // settled.md 10
  workflowNodes: 60, // ours: of the nodes
  linksPerInstrument: 5, // ours: of co_analysis and of uses_workflow each, the strongest
  seedsPerNode: 6, // ours: stored to be listed
  candidatesPerNode: 20, // ours: the newest records, among which seeds are picked
} as const;

/** What a tier may own (settled.md section 7). */
export const TIER_LIMITS = {
  free: { keys: 5, agents: 10, workflows: 20 },
  pro: { keys: 50, agents: 100, workflows: 500 },
} as const;

/** How many agents an owner of the tier may archive in a UTC day: as many as it holds, so that all can be replaced once. */
export function archivingsPerDay(tier: keyof typeof TIER_LIMITS): number {
  return TIER_LIMITS[tier].agents;
}

export const ACCOUNT = {
  emailLength: 254, // RFC 5321 4.5.3.1.3: a path of 256 octets without its angle brackets
  agentNameLength: 80, // left open by the contract: fits one line of a list
  displayNameLength: 80, // ours, as agentNameLength
  zoneNameLength: 64, // ours: the longest name of the IANA database has 32
  localeLength: 35, // RFC 5646 4.4.1: the length that an application has to support
  keyLabelLength: 80, // ours: it may become the name of an agent
  passwordMin: 12, // settled.md 8
  passwordMax: 128, // settled.md 8
  bcryptCost: 12, // settled.md 8
  hashesAtOnce: 2, // settled.md 8
  hashesWaiting: 100, // ours: more are a flood, with waits of more than half a minute
  hashesOfOwner: 2, // ours: running and waiting, of an owner who is logged in
  hashesOfNetwork: 20, // ours: the same, of an address for one purpose; twice the logins that it has in a minute
  legalSourceLength: 40, // settled.md 8
  suspensionReasonLength: 500, // ours: as that of a quarantine
  preferencesBytes: 8 * 1024, // settled.md 8
  passwordChangesPerHour: 5, // ours: of an owner, per UTC hour
} as const;

export const API_KEY = {
  noteEvery: MINUTE, // ours: how often the use of a key is written down
  longestLife: 366 * DAY, // ours: of a key that expires; a year, also a leap year
  networks: 20, // ours: that a key is used from
  expiryNotice: 14 * DAY, // ours: how long before its expiry a key is in the dashboard and has an event
} as const;

export const SESSION = {
  idle: 12 * HOUR, // settled.md 8
  absolute: 7 * DAY, // settled.md 8
  noteEvery: MINUTE, // ours: how often the use of a session is written down
  reauthenticateAfter: 10 * MINUTE, // ours: unless REAUTH_MINUTES says otherwise
  perOwner: 100, // ours: a further login ends the session that was unused for longest
} as const;

/**
 * How slowly the reader of a streamed reply may read. What the kernel has taken is what counts as read, and it takes up to
 * some 1.3 MB at a time: the window is long enough for that at this rate.
 */
const READER_PACE = {
  leastRate: 16 * 1024, // ours: bytes a second, averaged over a window
  window: 2 * MINUTE, // ours: of time in which the service waited for the reader
} as const;

/** An owner's copy of their data. */
export const EXPORT = {
  perHour: 20, // ours: of an owner, per UTC hour, whole or not
  atOnce: 8, // ours: of all owners, in one process; of an owner 1
  ofNetwork: 2, // ours: of those, of one network of clients; so that it takes four networks to take all
  waiting: 16, // ours: exports that wait for a place, of a network as many as it may run
  wait: 20 * SECOND, // ours: for a place, then it is refused
  again: MINUTE, // ours: after that refusal
  page: 100, // ours: records or rows that are held in memory at a time
  ...READER_PACE,
  longest: 6 * HOUR, // ours: then it is cut off
} as const;

/** The public snapshots of the records that cohorts show (docs/snapshots.md). */
export const DATASET = {
  part: 2 ** 20, // ours: bytes of a file that are stored, read and sent at a time
  page: 1_000, // ours: rows that are written at a time
  instruments: 100, // ours: instruments that are listed at a time
  perMinute: 60, // ours: requests of an address for snapshots and their files, in each process
  ...READER_PACE,
  longest: HOUR, // ours: then it is cut off
} as const;

/** Attempts to prove the password of one account, whether it exists or not. */
export const LOGIN = {
  known: 30 * DAY, // ours: how long a network is known after a login; at most SECURITY_EVENTS.leastKept
  deviceLife: 180 * DAY, // ours: of the cookie of a device, renewed by each login
  keep: DAY, // ours: counts of attempts, password changes, archivings and new accounts; at least as long as the longest window
  attempts: 10, // ours: failed ones, and those under way, per window
  window: 15 * MINUTE, // ours: fixed quarters of an hour
} as const;

/** Codes of authenticator apps (RFC 6238). */
export const TOTP = {
  digits: 6, // what every app shows
  step: 30 * SECOND, // RFC 6238 5.2
  drift: 1, // RFC 6238 5.2: steps that a clock may be behind or ahead
  secretBytes: 20, // RFC 4226 4: 160 bits
  beginLife: 10 * MINUTE, // ours: from the secret to its first code
} as const;

/** Second factors of owners. */
export const FACTOR = {
  codesPerWindow: 5, // ours: wrong codes of an account per LOGIN.window, and those under way
  codesPerDay: 30, // ours: wrong codes of an account per UTC day, and those under way
  recoveryCodes: 10, // ours: of a set
  recoverySigns: 24, // ours: of a recovery code, 5 bits each: more than 112, so that a fast hash is enough (ASVS 5.0, 6.5.2)
} as const;

/** Passkeys of owners (WebAuthn level 3). */
export const PASSKEY = {
  perOwner: 10, // ours
  nameLength: 80, // ours, as agentNameLength
  challengeLife: 5 * MINUTE, // WebAuthn 15.1: within the recommended range
  algorithms: [-8, -7, -257], // COSE: EdDSA, ES256, RS256, as WebAuthn 5.4 recommends
  answerLength: 16_384, // ours: characters of a binary member; the id and the key of a passkey are far shorter
} as const;

/** The erasure of owners, in steps that hold no row for long. */
export const ERASURE = {
  grace: 7 * DAY, // ours: how long it can be taken back; app.schedule_erasure refuses less
  step: 200, // ours: records of one transaction
  rows: 1_000, // ours: other rows of one statement
  owners: 100, // ours: of a page
  sweep: 30 * SECOND, // ours: a run begins no step after that, and another run goes on
  lookAgain: 10 * SECOND, // ours: at records that were being evaluated
} as const;

export const EVENTS = {
  kept: 30 * DAY, // ours: how far back the feed of events goes
  stored: 30 * DAY + HOUR, // ours: longer than `kept`, so that no valid cursor misses an event that was removed
  keysAtOnce: 500, // ours: keys of one transaction that notes their expiry
} as const;

/** A request that delivers a webhook. */
export const WEBHOOK_REQUEST = {
  urlLength: 2_048, // ours, as CIRCUIT.evidenceUrlLength
  lowestPort: 1_024, // ours: except the scheme's own
  deadline: 10 * SECOND, // ours: for the name, the connection and the status
  replyBytes: 4 * 1024, // ours: of a reply's body, read and thrown away; then the connection is cut
  addresses: 4, // ours: of a name that are tried
} as const;

/** The key of a webhook's secret, in bytes. */
export const WEBHOOK_SECRET = {
  leastBytes: 24, // Standard Webhooks 1.0
  mostBytes: 64, // Standard Webhooks 1.0
} as const;

/** Streams of events, each with a connection of its own. */
export const EVENT_STREAMS = {
  most: 10_000, // ours: open in one process
  tick: SECOND, // ours: how often a process reads new events for all its streams
  heartbeat: 4 * SECOND, // ours: how often a stream shows that it lives; the default agent of Node waits 5 s for data
  judge: 15 * SECOND, // ours: how often its credential is judged again
  slow: 15 * SECOND, // ours: a client that takes nothing for longer is disconnected
  longest: HOUR, // ours: then the stream ends, and its client connects again
  page: 100, // ours: events that are read at once for a stream that is behind the others
  news: 1_000, // ours: events that are read at once for all streams
  retry: 2 * SECOND, // ours: the least time after which a client connects again
  retrySpread: 8 * SECOND, // ours: added at random, so that the clients of a node do not connect again all at once
  retryReplaced: MINUTE, // ours: after a newer stream of the credential, so that two clients do not end each other often
} as const;

/** The rows of security events; further ones are counted (see `SecurityEventStore`). */
export const SECURITY_EVENTS = {
  ofOwner: 200, // ours: rows of an owner, a result and a UTC day
  ofUnknown: 1_000, // ours: the same of events without an owner
  leastKept: 30 * DAY, // ours: no role removes a younger row; SECURITY_EVENTS_KEPT_DAYS is at least that
} as const;

export const IDENTITY = {
  tokenRequest: 10 * SECOND, // settled.md 8: deadline of the provider's token endpoint
  keySetRefetch: MINUTE, // settled.md 8: at most one refetch for unknown key ids
  slowDown: 5 * SECOND, // settled.md 8: added to the polling interval by SLOW_DOWN
  clockSkew: MINUTE, // ours, at most that much: how far the provider's clock may be from ours
  metadataRequest: 5 * SECOND, // ours: deadline of the provider's addresses and of its keys
  metadataFresh: HOUR, // ours: after which its addresses are looked up again
  keySetFresh: 10 * MINUTE, // ours: after which its keys are fetched again, so that a withdrawn one loses its trust
  metadataRetry: 5 * SECOND, // ours: until the first metadata arrive
  logoutLife: 5 * MINUTE, // ours: how far a logout token's time of issue may be from now
  logoutToken: 16_384, // ours: characters of a logout token
  longestToken: DAY, // ours: unless IDP_TOKEN_MINUTES says otherwise
  loginLife: 10 * MINUTE, // ours: from the redirect to the provider to the callback
} as const;

export const DEVICE_FLOW = {
  defaultInterval: 5 * SECOND, // RFC 8628 3.2: when the provider sends none
  longestInterval: MINUTE, // ours: a caller that polls without pause still gets a poll through this often
  longestLife: HOUR, // ours: whatever the provider grants
  lease: 45 * SECOND, // ours: longer than one exchange with the provider can take
  keep: HOUR, // ours: how long after its end polls still report how a sign-in ended
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

export const WORKFLOW = {
  nameLength: 120, // settled.md 11
  descriptionLength: 1_024, // settled.md 11
  tags: 10, // settled.md 11
  tagLength: 40, // ours: as those of a submission
  nodes: 100, // settled.md 11
  edges: 300, // settled.md 11
  nodeNameLength: 40, // ours: so that a.port fits a line
  configBytes: 4 * 1024, // ours: of JSON, as meta of a submission
  configFaults: 10, // ours: returned for one config
  readyNodes: 2, // settled.md 11: the fewest of a publishable workflow
  importBytes: 64 * 1024, // settled.md 11
  parseDeadline: SECOND, // settled.md 11, of the reader's own processor time
  parsePatience: 10 * SECOND, // ours: by the clock, the wait for a reader included; then 503
  parsesAtOnce: 2, // ours: imports being read
  parsesWaiting: 16, // ours: imports that wait for those, half a second each or so; more are 503
  parserMegabytes: 96, // ours: heap of one reader; 64 KiB of the densest YAML takes up to 70
  yamlDepth: 32, // ours: as bodies in JSON
  skillNameLength: 64, // the Agent Skills format
  skillDescriptionLength: 1_024, // the Agent Skills format, in UTF-16 code units
} as const;

/** The interface for clients of the Model Context Protocol. */
export const MCP = {
  messageBytes: 64 * 1024, // ours: of a message, as a submission
  enclosingLevels: 3, // of JSON around a decision: the message, its params, their arguments
  cohortRows: 5, // settled: rows of a cohort query that names no limit, for short replies
  listsFresh: 5 * MINUTE, // ours: how long a client may keep the lists of tools, resources and prompts
} as const;

/** The evidence log. */
export const LOG = {
  batch: 10_000, // ours: leaves of one transaction; four times as many save 6 % of the CPU of a leaf
  settling: 5 * SECOND, // ours: an interval ended this long before its events are appended
  includedWithin: 5 * MINUTE, // settled for receipts: from the submission to a signed checkpoint with its leaf
  longestDelay: DAY, // ours: of leaves that say that a decision is closed, or open again
  witnessPatience: 10 * SECOND, // settled: the longest that witnesses delay a checkpoint
  witnessAgain: 5 * MINUTE, // ours: settled are 10 minutes at most between two cosignatures of the same checkpoint
  keysOverlap: 30 * DAY, // settled: both keys sign for so long
} as const;

/** Questions that agents state before their answers. */
export const PLAN = {
  sentenceLength: 500, // ours: as long as a reason
  bodyBytes: 16 * 1024, // ours
  perDay: 50, // ours: of an owner, per UTC day; more than the queries of a day, and each is kept for ever
} as const;

/** Webhooks of owners, and when their deliveries are sent again. Each request is bounded by WEBHOOK_REQUEST. */
export const WEBHOOK = {
  perOwner: 10, // ours
  descriptionLength: 200, // ours
  // Standard Webhooks 1.0, the waits between the attempts: 10 attempts within 75 hours and 36 minutes
  retries: [5 * SECOND, 5 * MINUTE, 30 * MINUTE, 2 * HOUR, 5 * HOUR, 10 * HOUR, 14 * HOUR, 20 * HOUR, 24 * HOUR],
  jitter: 0.1, // ours: the part of a wait that is added to it at most
  firstPause: SECOND, // ours: of a webhook whose last attempt failed, before its next one; doubled each time
  longestPause: MINUTE, // ours
  longestRetryAfter: HOUR, // ours: a longer Retry-After counts as this
  pauseAfter: 5 * DAY, // ours: of failures alone
  atOnce: 2, // ours: requests to one webhook
  ofProcess: 50, // ours: requests that one process sends at a time
  lease: 30 * SECOND, // ours: longer than one request can take
  sweep: 2 * MINUTE, // ours: after that a sweep claims no more, and another one follows
  fanOut: 100, // ours: events that become deliveries in one transaction
  fanOuts: 20, // ours: such transactions after which deliveries that are due have their turn
  lookAgain: 2 * SECOND, // ours: when a transaction hid the next events, and while requests are under way
  attemptsShown: 10, // ours: of a delivery
  kept: 30 * DAY, // ours: deliveries
  secretOverlap: DAY, // ours: how long a secret signs after it was replaced
  testsPerHour: 60, // ours: of an owner
} as const;

/** Mails to owners. */
export const MAIL = {
  onRequestPerHour: 5, // ours: mails with a link to an address, in any hour
  noticesPerHour: 20, // ours: notices to an address, in any hour
  noticesOfKindPerHour: 2, // ours: of those, of one kind; so that a flood of one kind hides no other
  unconfirmedPerDay: 5, // ours: notices to an address that nobody has confirmed, in any 24 hours
  resetLife: HOUR, // ours: of a link that resets a password, and of its mail
  confirmLife: DAY, // ours: of a link that confirms an address
  giveUpAfter: DAY, // ours: of other mails that the server does not accept
  firstPause: 30 * SECOND, // ours: after an attempt that failed; doubled each time
  longestPause: 15 * MINUTE, // ours
  jitter: 0.1, // ours: the part of a pause that is added to it at most
  atOnce: 5, // ours: mails that one process sends at a time
  deadline: 30 * SECOND, // ours: of one mail, from the connection to the reply
  lease: 2 * MINUTE, // ours: longer than one mail can take
  sweep: 2 * MINUTE, // ours: after that a sweep claims no more, and another one follows
  lookAgain: 2 * SECOND, // ours: when something is due that another process may have
  heldBack: MINUTE, // ours: how long a mail waits that the limit of its address holds back
  kept: 7 * DAY, // ours: rows of mails, without content once they have ended
} as const;
