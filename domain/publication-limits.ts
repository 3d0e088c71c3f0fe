import { DAY, HOUR, MINUTE, SECOND } from './time.ts';

// The numbers of exports, public snapshots, plans and the evidence log. They are imported from limits.ts, like all numbers of
// the contract.

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

/** The evidence log. */
export const LOG = {
  batch: 10_000, // ours: leaves of one transaction; four times as many save 6 % of the CPU of a leaf
  settling: 5 * SECOND, // ours: an interval ended this long before its events are appended
  includedWithin: 5 * MINUTE, // settled for receipts: from the submission to a signed checkpoint with its leaf
  promptShare: 1 / 20, // settled: of its window, up to which a decision seen within `includedWithin` of its minute holds
  longestDelay: DAY, // ours: of leaves that say that a decision is closed, or open again
  witnessPatience: 10 * SECOND, // settled: the longest that witnesses delay a checkpoint
  witnessAgain: 5 * MINUTE, // ours: settled are 10 minutes at most between two cosignatures of the same checkpoint
  openingsPerMinute: 60, // settled: bundles of openings of an address, in each process; LOG_OPENINGS_PER_MINUTE
  longestOpen: 380 * DAY, // settled: a decision without a grade for longer may be one that is held back
  keysOverlap: 30 * DAY, // settled: both keys sign for so long
} as const;

/** Questions that agents state before their answers. */
export const PLAN = {
  sentenceLength: 500, // ours: as long as a reason
  bodyBytes: 16 * 1024, // ours
  perDay: 50, // ours: of an owner, per UTC day; more than the queries of a day, and each is kept for ever
} as const;

/** What agents write about a record after its outcome. */
export const NOTE = {
  textLength: 2_000, // loop.md 4
  perRecord: 20, // loop.md 4
} as const;
