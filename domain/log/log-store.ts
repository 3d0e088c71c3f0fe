import type { AuditHead } from '../audit-log.ts';
import type { Decision } from '../decisions/decision.ts';
import type { Millis } from '../time.ts';
import type { ClosingReason } from './leaves/leaf.ts';
import type { ChangedFacts, GradedDecision, StatedDecision } from './leaves/public-statement.ts';
import type { NoteSignature } from './notes/note.ts';
import type { Plan } from './plan.ts';
import type { TreeHead } from './tree/proof.ts';
import type { Tile } from './tree/tile.ts';
import type { LeafRange } from './tree/tree.ts';

/** A log that the service keeps. Numbers start at 1; only the newest grows. */
export interface StoredLog {
  readonly log: number;
  /** Fixed when the log starts. */
  readonly origin: string;
  /** Of the key that signs it, by this origin: 8 hexadecimal digits. */
  readonly key_id: string;
}

/** The tree after a batch. It is stored with its leaves, and signed in a later transaction. */
export interface StoredCheckpoint extends TreeHead {
  /** 64 bytes; null until it is signed. */
  readonly signature: Uint8Array | null;
  /** Of the key that signed it; null: that of the log. */
  readonly key_id: string | null;
}

/** A checkpoint that proves a leaf, with the log that signed it: one that another log goes on with keeps its proofs. */
export interface ProvingCheckpoint extends StoredCheckpoint {
  readonly log: number;
}

/** When something happened that gets a leaf, of which a batch shows the minute by its order; null where it shows none. */
type HappenedAt = Date | null;

/** What happened to a decision, and has no leaf yet, with all that its leaf is made of. */
export type PendingEvent = { readonly record_id: string; readonly seq: string; readonly happened_at: HappenedAt } & (
  | {
      readonly event: 'decision' | 'imported';
      readonly decision: LoggedDecision;
      /** Of a numbered decision whose owner was erased before it had its leaf. */
      readonly kept: KeptMark | null;
    }
  | {
      readonly event: 'outcome';
      readonly of: number;
      readonly graded: GradedDecision;
      readonly document: string | null;
    }
  | { readonly event: 'closed'; readonly of: number; readonly reason: ClosingReason }
  | { readonly event: 'reopened'; readonly of: number }
);

export type LoggedDecision = StatedDecision &
  Pick<Decision, 'owner_id' | 'agent_id' | 'number' | 'salt' | 'commitment'> & {
    /** Of the marks of its agent, hex; null once its owner was erased, and of an agent that never had a number. */
    readonly agent_salt: string | null;
    /** Of a decision without a salt, since its owner was erased: `ErasedStatement.producer`. */
    readonly erased_producer: string | null;
  };

/** What the leaf of a numbered decision has of its agent; 32 bytes each. */
export interface KeptMark {
  readonly mark: Uint8Array;
  readonly producer: Uint8Array;
}

/** What opens the leaf of a decision, in addition to what the record has. */
export interface DecisionSecrets {
  /** 32 bytes each. */
  readonly public_salt: Uint8Array;
  readonly producer: Uint8Array;
}

/** What opens the leaf of an outcome, in addition to what the record has. */
export interface OutcomeSecrets {
  /** 32 bytes each. */
  readonly outcome_salt: Uint8Array;
  readonly evidence_salt: Uint8Array;
  /** The digest of the evidence, hex. */
  readonly evidence: string;
  readonly shown: ChangedFacts;
}

/** What the leaf of a plan is made of: `planDigest` of both, hex. */
export type LoggedPlan = Pick<Plan, 'plan_id' | 'commitment' | 'producer'>;

/** A plan that has no leaf yet. */
export type WaitingPlan = LoggedPlan & { readonly happened_at: HappenedAt };

/** Where the leaves of a decision are, with what opens them. */
export interface DecisionLeaves extends DecisionSecrets {
  readonly index: number;
  readonly outcome: ({ readonly index: number } & OutcomeSecrets) | null;
}

/** The head of the audit log at the first batch of a UTC day, which a `snapshot` leaf commits to (`auditHeadDigest`). */
export interface LoggedHead {
  /** As `2026-03-02`. */
  readonly day: string;
  readonly head: AuditHead;
  /** 32 bytes. */
  readonly salt: Uint8Array;
}

/** A public dataset, which a `dataset` leaf commits to. */
export interface LoggedDataset {
  /** As `2026-03`. */
  readonly month: string;
  /** Of its SHA256SUMS as it is stored, hex. */
  readonly sha256: string;
}

/** The statements about names of an import, which a `names` leaf commits to. */
export interface LoggedNames {
  /** Of all of them, and of no others; RFC 3339. */
  readonly learned_at: string;
  /** Of their lines, each with its line feed, hex. */
  readonly sha256: string;
}

/** What a batch adds to a log of `from` leaves. */
export interface LogBatch {
  readonly log: number;
  readonly from: number;
  /** After it. */
  readonly head: TreeHead;
  /** The bytes that it adds at the ends of tiles and of entry bundles; the first of each may exist already. */
  readonly tiles: readonly TileEnd[];
  readonly bundles: readonly BundleEnd[];
  readonly decisions: readonly ({ readonly record_id: string; readonly index: number } & DecisionSecrets)[];
  readonly outcomes: readonly ({ readonly record_id: string; readonly index: number } & OutcomeSecrets)[];
  readonly heads: readonly ({ readonly index: number } & LoggedHead)[];
  readonly datasets: readonly { readonly index: number; readonly month: string }[];
  readonly names: readonly { readonly index: number; readonly learned_at: string }[];
  readonly plans: readonly { readonly plan_id: string; readonly index: number }[];
  /** The events that have a leaf in it. */
  readonly events: readonly Pick<PendingEvent, 'record_id' | 'seq'>[];
}

export interface TileEnd extends Omit<Tile, 'width'> {
  readonly hashes: Uint8Array;
}

export interface BundleEnd {
  readonly index: number;
  readonly leaves: Uint8Array;
}

/** How far a log is, for operators. */
export interface LogOverview {
  /** Leaves of the newest signed checkpoint; 0 without one. */
  readonly size: number;
  /** When it was signed, by the clock of the database; null without one. */
  readonly signed_at: Date | null;
  /** Events and plans without a leaf, with those that wait for their random time; of more than 10,000 events an estimate. */
  readonly pending: number;
  /** When the oldest submission, outcome or plan happened that could have a leaf and has none; imported ones left out. */
  readonly waiting_since: Date | null;
}

/**
 * The evidence log. A log that goes on with the stored leaves of another one shares them: what is asked about leaves, tiles and
 * bundles of one is answered for both, whereas each has its own checkpoints. Events are written by the storage itself with each change of a decision, so that nothing is left out:
 * a submission, an outcome, a move into a closing state or out of one. Leaves, tiles and checkpoints only grow.
 */
export interface LogStore {
  /** Waits until no other transaction holds the lock, and holds it until this transaction ends. */
  lock(): Promise<void>;

  /** The newest log; null while there is none. */
  newest(): Promise<StoredLog | null>;

  find(log: number): Promise<StoredLog | null>;

  /** The checkpoint with the most leaves, signed or not; null for a log without one. */
  latest(log: number): Promise<StoredCheckpoint | null>;

  /** The largest signed checkpoint. */
  signed(log: number): Promise<StoredCheckpoint | null>;

  /** The largest signed checkpoint that a quorum of witnesses had, or that no longer waits for one. */
  published(log: number): Promise<StoredCheckpoint | null>;

  /**
   * The smallest checkpoint with the leaf `index` that a quorum of witnesses had, of the first log of those that share the
   * leaf where there is one; else the smallest one that was published of the first log that signed it; null while none has it.
   */
  firstWith(log: number, index: number): Promise<ProvingCheckpoint | null>;

  /** The same of several leaves, by their indexes; those without one are left out. */
  firstWithEach(log: number, indexes: readonly number[]): Promise<ReadonlyMap<number, ProvingCheckpoint>>;

  /** Whether a signed checkpoint has a size from `from` up to, not including, `to`. */
  hasSigned(log: number, sizes: LeafRange): Promise<boolean>;

  /** The logs that share the leaves of a log, itself included, the oldest first; none for a log that there is not. */
  logsOfTree(log: number): Promise<readonly StoredLog[]>;

  /**
   * Adds a log.
   * @param continued the log whose stored leaves it goes on with, as they are; what is pending stays so. Null for the first
   * one: of each decision there is now, events are pending that lead to its state, as `imported`, in random order and after all
   * others, and so is each plan; what was pending before is dropped
   */
  start(log: StoredLog, continued: number | null): Promise<void>;

  /**
   * Events that are ready before a time, up to `limit`, those of imported decisions last: of each decision the first alone,
   * and after the leaf of the decision. `closed` and `reopened` are ready after a random part of `LOG.longestDelay`.
   */
  pending(log: number, before: Date, limit: number): Promise<readonly PendingEvent[]>;

  /**
   * Plans without a leaf that were stated before a time, up to `limit`: those of this log, or those that are older than it
   * (`imported`), which have a leaf in each log.
   */
  pendingPlans(before: Date, limit: number, imported: boolean): Promise<readonly WaitingPlan[]>;

  /** The hashes that tiles have by now; a missing tile is left out. */
  tiles(log: number, tiles: readonly Omit<Tile, 'width'>[]): Promise<readonly TileEnd[]>;

  /** The entry bundle as it is by now; null where there is none. */
  bundle(log: number, index: number): Promise<Uint8Array | null>;

  /** Entry bundles as they are by now; a missing one is left out. */
  bundles(log: number, indexes: readonly number[]): Promise<readonly BundleEnd[]>;

  /** Writes a batch with its unsigned checkpoint. @throws Error when the log does not have `from` leaves */
  append(batch: LogBatch): Promise<void>;

  /**
   * Stores the signature of a checkpoint; one that is signed stays as it is.
   * @param patience how long it waits for a quorum of witnesses before it is published without one
   */
  sign(log: number, size: number, signature: Pick<NoteSignature, 'id' | 'signature'>, patience: Millis): Promise<void>;

  /** The newest head of the audit log that has a leaf in this log; null while none has. */
  lastHead(log: number): Promise<LoggedHead | null>;

  /** The heads of the audit log that have a leaf, by the first log that has it and its index. */
  heads(): Promise<readonly ({ readonly log: number; readonly index: number } & LoggedHead)[]>;

  /** Public datasets without a leaf in any log, the oldest first. */
  unloggedDatasets(): Promise<readonly LoggedDataset[]>;

  /** The datasets that have a leaf, by the first log that has it and its index. */
  datasets(): Promise<readonly ({ readonly log: number; readonly index: number } & LoggedDataset)[]>;

  /** Imports of statements about names without a leaf in any log, in their order. */
  unloggedNames(): Promise<readonly LoggedNames[]>;

  /** The imports that have a leaf, by the first log that has it and its index. */
  names(): Promise<readonly ({ readonly log: number; readonly index: number } & LoggedNames)[]>;

  /** Null for a decision without a leaf in this log. */
  leavesOf(log: number, record_id: string): Promise<DecisionLeaves | null>;

  /** The same of several decisions, by their ids; those without a leaf are left out. */
  leavesOfEach(log: number, record_ids: readonly string[]): Promise<ReadonlyMap<string, DecisionLeaves>>;

  /** The salts of the marks of agents, hex, by their ids; those without one are left out. */
  agentSalts(agent_ids: readonly string[]): Promise<ReadonlyMap<string, string>>;

  overview(log: number, now: Date): Promise<LogOverview>;

  /** How many decisions are `late` (LeafIndexes), of those that were signed since a time. */
  lateDecisions(log: number, since: Date): Promise<number>;

  /** Whether a realtime decision or a plan has a leaf from this index on. */
  hasTimedLeaf(log: number, from: number): Promise<boolean>;

  /** The index of the leaf of a plan; null while it has none in this log. */
  planLeaf(log: number, plan_id: string): Promise<number | null>;

  /** The decision whose leaf has this index; null for another leaf. */
  recordAt(log: number, index: number): Promise<string | null>;
}
