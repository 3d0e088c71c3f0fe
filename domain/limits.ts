import { DAY, HOUR, MINUTE, SECOND } from './time.ts';

export {
  ACCOUNT,
  API_KEY,
  DEVICE_FLOW,
  ERASURE,
  FACTOR,
  IDENTITY,
  LOGIN,
  PASSKEY,
  SECURITY_EVENTS,
  SESSION,
  TOTP,
} from './account-limits.ts';
export { EVENT_STREAMS, EVENTS, MAIL, WEBHOOK, WEBHOOK_REQUEST, WEBHOOK_SECRET } from './event-limits.ts';
export {
  ABANDONED_BACKUP,
  BAR_CACHE,
  CIRCUIT,
  DISK,
  LOG_FORWARDING,
  MINUTES,
  RECORD_FAULTS,
  SOURCE_PROBES,
  SOURCE_REPORTS,
  STATUS,
  SYMBOLS,
} from './operating-limits.ts';
export { DATASET, EXPORT, LOG, NOTE, PLAN } from './publication-limits.ts';

// Every number of the contract, once, here and in the files above. Durations are in milliseconds unless their name says
// otherwise.
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
  readonly notesPerDay: number;
  readonly keptOwnersPerNetwork: number;
  readonly backtestRowsPerDay: number;
  readonly backtestRows: number;
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
  notesPerDay: 500, // loop.md 4: of an owner
  keptOwnersPerNetwork: 20, // ours: what a network keeps in a UTC day, in days of an owner; as accountsPerAddress
  backtestRowsPerDay: 20_000, // loop.md 6: of an owner and UTC day
  backtestRows: 200_000, // loop.md 6: of an owner
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

/** The largest body of a request, but where an endpoint names another: bytes. */
export const BODY_BYTES = 64 * 1024; // settled.md 4

export const SUBMIT = {
  bodyBytes: BODY_BYTES,
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
  inputs: 16, // loop.md 5
  inputNameLength: 80, // loop.md 5
  metaBytes: 4 * 1024, // settled.md 4
} as const;

/** The horizons of a decision group (securities.md 5). */
export const GROUP_HORIZONS = { least: 2, most: 8 } as const;

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

/** Sets of back-tests. */
export const BACKTEST = {
  bodyBytes: 1024 * 1024, // loop.md 6
  rowsAtOnce: 1_000, // loop.md 6
  rowBytes: 2 * 1024, // loop.md 6: of the RFC 8785 form of a row
  details: 20, // ours: faults that a reply says of one row
  slice: 20, // ours: rows that are judged, or made ready for the database, before other requests have a turn
  idLength: 64, // loop.md 6: of external_id
  nameLength: 40, // loop.md 6: of a set
  sourceLength: 80, // ours: as the name of an agent
  ruleLength: 200, // ours
  instruments: 200, // loop.md 6: of a set
  bytes: 100 * 1024 * 1024, // loop.md 6: of the rows of an owner
  sets: 200, // ours: of an owner
  batch: 250, // ours: rows that one claim takes, so few that requests are answered meanwhile
  lease: 2 * MINUTE, // ours: renewed while sources are asked; a dead process holds its rows so long
  tries: 3, // ours: in vain, of a row whose bars no source has now; a live decision has more
  sweep: 30 * SECOND, // ours: a run begins no claim after that, and another run goes on
  behind: SECOND, // ours: pause between two claims while records of decisions are due
  pruned: 2_000, // ours: rows of removed sets that one statement deletes
  exported: 500, // ours: rows of a page of an export
  recalled: 500, // loop.md 2: rows that recall reads
} as const;

export const VERIFICATION = {
  cache: 24 * HOUR, // settled.md 5: a known, recently verified instrument
  firstRetry: MINUTE, // ours: when no source could be asked; doubled each time
  longestRetry: HOUR, // ours
  patience: 8 * DAY, // ours: after the end of the window, when no source can be asked; see verificationEndsAt
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

/** What an agent is shown of its own decisions (loop.md 2 and 3). */
export const RECALL = {
  rows: 500, // loop.md 2: of one security, the newest
  open: 5, // loop.md 2
  closed: 5, // loop.md 2
  elsewhere: 3, // loop.md 2
  noted: 100, // ours: the newest notes of the agent, among which those about other securities are
  leastTokens: 200, // loop.md 2
  mostTokens: 4_000, // loop.md 2
  tokens: 800, // loop.md 2: by default
  saidLength: 160, // loop.md 3: characters of a statement in the text
  noteLength: 200, // loop.md 3: and of a note
} as const;

/** An owner's outcomes by week or month. */
export const OUTCOMES = {
  mostRecords: 200_000, // ours: graded records that one request counts
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
  listBytes: 40_000, // ours: of the list of tools, which every host puts before its model
  replySchemaBytes: 500, // ours: of the schema of one reply in that list, where names and types alone are not longer
  patternLength: 60, // ours: of a pattern in that list
  listsFresh: 5 * MINUTE, // ours: how long a client may keep the lists of tools, resources and prompts
} as const;
