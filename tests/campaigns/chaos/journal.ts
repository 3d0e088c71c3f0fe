import type { Caller } from '../stage/callers.ts';

/** What is promised, and held or broken in the end. */
export const PROMISES = {
  lost: 'nothing that was acknowledged is lost or changed',
  doubled: 'no submission is stored twice, however often it was sent',
  retried: 'what was never answered ends, sent again with its key, in exactly one record',
  replays: 'a replay is the first reply, byte for byte; another body is refused',
  graded: 'each record that was due is graded exactly once, with evidence that has its digests',
  credits: 'each graded realtime record has earned its credit once',
  cohorts: 'cohorts count what a naive count does',
  pools: 'no pool gives more than it holds, and nothing is served unspent',
  windows: 'no rate window lets in more than its limit, whatever the clock does',
  submits: 'the counters of submissions are those of the records, and cooldowns hold',
  appendOnly: 'rows of evidence that were seen are still there, as they were',
  quarantine: 'a quarantined record is shown to nobody after the reply',
  revocations: 'what was revoked stays archived; a rotated key opens nothing after the reply',
  workflows: 'published workflows are there under the hash of their content; no version is given twice',
  audit: 'the audit log has each act that was answered, once',
  replies: 'every reply is right or a documented error in its envelope',
  missing: 'a request goes unanswered only when its own process was hit',
  processes: 'no process of the service ends but by a fault of ours',
  recovery: 'submissions are taken and records are graded within 30 s of each fault',
} as const;
export type Promised = keyof typeof PROMISES;

/** One submission, however often it is sent. */
export interface Sent {
  readonly caller: Caller;
  /** The idempotency key; null: none. */
  readonly key: string | null;
  readonly nonce: string;
  readonly body: string;
  /** The reply that acknowledged it first. */
  accepted: Accepted | null;
  /** A refusal that is its last word, or null. */
  refused: string | null;
  /** Sent and not answered, or answered that nobody knows: it may have been stored. Until a later answer tells. */
  unknown: boolean;
  /** It was so at some time. */
  wasUnknown: boolean;
  underWay: number;
  /** Replies that took it as new. */
  fresh: number;
}

export interface Accepted {
  readonly record_id: string;
  readonly commitment: string;
  readonly text: string;
}

/** A reply as limits are judged by it. */
export interface Counted {
  readonly key_prefix: string | null;
  readonly owner_id: string | null;
  readonly record_id: string | null;
  readonly status: number;
  readonly code: string | null;
  readonly started: number;
  readonly ended: number;
  readonly rateLimit: number;
  readonly rateReset: number;
  readonly pool: string;
  readonly quotaReset: number;
}

export interface Unanswered {
  readonly node: number;
  readonly started: number;
  readonly ended: number;
  readonly words: string;
}

export interface FaultDone {
  readonly kind: string;
  readonly started: number;
  readonly over: number;
  /** The node whose processes it hit. */
  readonly node: number | null;
  /** The database came up anew, so that it may have forgotten what it had not been asked to keep. */
  readonly crash: boolean;
  readonly said: string;
  /** Milliseconds from its end to the first new record that was acknowledged, and to the first grade. */
  readonly toAck: number | null;
  readonly toGrade: number | null;
  /** The longest time without an acknowledgement that it had a part in. */
  readonly silence: number;
}

/** Everything that was sent and seen, written before and after each request. */
export interface Journal {
  readonly sent: Sent[];
  readonly byRecord: Map<string, Sent>;
  readonly counted: Counted[];
  readonly unanswered: Unanswered[];
  readonly faults: FaultDone[];
  /** When new records were acknowledged: when asked for and when told, milliseconds of this machine. */
  readonly acks: { readonly started: number; readonly ended: number }[];
  readonly statuses: Map<string, number>;
  /** Record id -> when its quarantine was answered; null while nobody knows. */
  readonly quarantined: Map<string, number | null>;
  readonly revoked: Map<string, boolean>;
  /** Outcomes that were shown: record id -> the text of the outcome. */
  readonly outcomes: Map<string, string>;
  readonly published: { readonly id: string; readonly hash: string; readonly owner_id: string }[];
  readonly versions: { readonly id: string; readonly version: number; readonly description: string }[];
  readonly rotations: { readonly from: string; readonly to: string }[];
  readonly broken: Map<Promised, string[]>;
}

/** How each promise was broken that did not hold. */
export type Broken = ReadonlyMap<Promised, readonly string[]>;

export function openJournal(): Journal {
  return {
    sent: [],
    byRecord: new Map(),
    counted: [],
    unanswered: [],
    faults: [],
    acks: [],
    statuses: new Map(),
    quarantined: new Map(),
    revoked: new Map(),
    outcomes: new Map(),
    published: [],
    versions: [],
    rotations: [],
    broken: new Map(),
  };
}

export function breach({ broken }: Pick<Journal, 'broken'>, promise: Promised, words: string): void {
  const known = broken.get(promise) ?? [];
  known.push(words);
  broken.set(promise, known);
}

/** By this machine's clock, finer than a millisecond; nobody sets it during a campaign. */
export function now(): number {
  return performance.timeOrigin + performance.now();
}
