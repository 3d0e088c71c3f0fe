import type { Caller } from '../stage/callers.ts';

/** The promises that the campaign checks. */
export const PROMISES = {
  lost: 'nothing that was acknowledged is lost or changed',
  doubled: 'no submission is stored twice, however often it was sent',
  retried: 'an unanswered submission, sent again with its key, ends as exactly one record',
  replays: 'a replay is the first reply, byte for byte; another body is refused',
  graded: 'each record that was due is graded exactly once, with evidence that has its digests',
  credits: 'each graded realtime record has earned its credit once',
  cohorts: 'cohorts count what a naive count does',
  pools: 'no pool gives more than it holds, and nothing is served without a unit',
  windows: 'no rate window admits more than its limit, whatever the clock does',
  submits: 'the counters of submissions match the records, and cooldowns hold',
  appendOnly: 'rows of evidence are neither changed nor removed',
  quarantine: 'no caller sees a quarantined record after the reply',
  revocations: 'a revoked record stays archived; a rotated key is refused after the reply',
  workflows: 'published workflows are stored under the hash of their content; no version is given twice',
  logged: 'each decision and each grade is in the evidence log once, and its leaves follow the rules',
  forked: 'the evidence log never has two trees of one size, and never stops',
  events: 'each change is in the feed once and in order, read from cursor to cursor over cut connections',
  webhooks: 'each event arrives at its webhook, with one id, and after the earlier ones of its decision',
  audit: 'the audit log has one entry for each answered act',
  replies: 'every reply is correct or a documented error in its envelope',
  missing: 'a request is unanswered only when a fault hit its process',
  processes: 'no process of the service ends except by a fault of the campaign',
  starts:
    'a stopped service starts whatever its process numbers have become, ends no other process, and without a secret refuses and ' +
    'changes nothing',
  disk: 'a full disk is reported by /readyz, and its end is noticed without a restart of the service',
  recovery: 'submissions are accepted and records are graded within 30 s of each fault',
} as const;
export type Promised = keyof typeof PROMISES;

/** One submission, however often it is sent. */
export interface Sent {
  readonly caller: Caller;
  /** The idempotency key; null without one. */
  readonly key: string | null;
  readonly nonce: string;
  readonly body: string;
  /** The reply that acknowledged it first. */
  accepted: Accepted | null;
  /** The code of the last refusal, or null. */
  refused: string | null;
  /** Whether it may have been stored: it has no reply, or a 5xx, and no later definite reply. */
  unknown: boolean;
  /** Whether it was ever unknown. */
  wasUnknown: boolean;
  pending: number;
  /** Replies that accepted it as new. */
  fresh: number;
}

export interface Accepted {
  readonly record_id: string;
  readonly commitment: string;
  readonly text: string;
}

/** What the checks of limits need of a reply. */
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
  /** Whether the database restarted after a crash, which may lose counts that were not flushed. */
  readonly crash: boolean;
  readonly detail: string;
  /** Milliseconds from its end to the first acknowledgement of a new record, and to the first grade. */
  readonly toAck: number | null;
  readonly toGrade: number | null;
  /** The longest time without an acknowledgement during and after it. */
  readonly silence: number;
}

/** An event as the feed of its owner shows it. */
export interface ReadEvent {
  readonly id: string;
  readonly type: string;
  readonly data: {
    readonly record_id: string;
    readonly result_bucket?: string | null;
    readonly amount?: number;
    readonly day?: string;
  };
}

/** The feed of an owner who also has a webhook. */
export interface Feed {
  readonly owner: Caller;
  /** Of the URL of the webhook. */
  readonly path: string;
  readonly secret: string;
  /** As they were read. */
  readonly events: ReadEvent[];
  cursor: string | null;
  /** Replies that were cut. */
  cuts: number;
}

/** Everything that was sent and received. */
export interface Journal {
  readonly sent: Sent[];
  readonly byRecord: Map<string, Sent>;
  readonly counted: Counted[];
  readonly unanswered: Unanswered[];
  readonly faults: FaultDone[];
  /** When new records were sent and acknowledged, in milliseconds of this machine. */
  readonly acks: { readonly started: number; readonly ended: number }[];
  readonly statuses: Map<string, number>;
  /** Record id -> when its quarantine was answered; null while that is unknown. */
  readonly quarantined: Map<string, number | null>;
  readonly revoked: Map<string, boolean>;
  /** Outcomes in replies: record id -> the text of the outcome. */
  readonly outcomes: Map<string, string>;
  readonly published: { readonly id: string; readonly hash: string; readonly owner_id: string }[];
  readonly versions: { readonly id: string; readonly version: number; readonly description: string }[];
  readonly feeds: Feed[];
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
    feeds: [],
    rotations: [],
    broken: new Map(),
  };
}

export function breach({ broken }: Pick<Journal, 'broken'>, promise: Promised, words: string): void {
  const known = broken.get(promise) ?? [];
  known.push(words);
  broken.set(promise, known);
}

/** The time of this machine's clock, finer than a millisecond. The campaign does not set that clock. */
export function now(): number {
  return performance.timeOrigin + performance.now();
}
