import type { Decision } from '../../../domain/decisions/decision.ts';
import type { Note, NoteDraft } from '../../../domain/decisions/own/notes.ts';
import type { Receipt } from '../../../domain/decisions/submission/receipt.ts';
import type { RelatedRecord } from '../../../domain/decisions/submission/submission.ts';
import type { SealedBars, SealedEvidence } from '../../../domain/grading/evidence.ts';
import type { Grid } from '../../../domain/grading/grid.ts';
import type { StoredLog } from '../../../domain/log/log-store.ts';
import type { Cooldown, HourCounts } from '../../../domain/quotas/submit-limits.ts';
import type { Publication } from '../../../domain/workflows/snapshot.ts';
import type { KeyTables } from '../accounts/key-stores.ts';
import type { CircuitTables } from '../circuits/circuit-store.ts';
import type { InstrumentTables } from '../instruments/instrument-store.ts';
import type { NameTables } from '../instruments/name-store.ts';
import type { Table } from '../kit/table.ts';
import type { QuotaTables } from '../quotas/quota-tables.ts';

export interface LogRow extends StoredLog {
  /** The log under whose number the leaves are that this one shares; its own without. */
  readonly tree: number;
  readonly started_at: Date;
}

/** A decision without what is found out when it is read. */
export interface DecisionRow extends Omit<Decision, 'workflow_public' | 'related' | 'notes' | 'log'> {
  readonly related: readonly RelatedRecord[];
  readonly receipt: Receipt;
  /** null until the record is evaluated, and by a method without it. */
  readonly grid: Grid | null;
  /** Proves the lease of the evaluation under way, else null. */
  readonly eval_token: string | null;
}

export interface NoteRow extends Note, Omit<NoteDraft, 'text'> {}

export interface IdempotencyRow {
  readonly fingerprint: string;
  readonly record_id: string;
  readonly created_at: Date;
}

/** Accepted submissions of a fixed window. */
export interface CountRow {
  readonly window_start: Date;
  readonly used: number;
}

/** What was accepted of an agent: how many in all, and in its newest hour. */
export interface AgentSubmissions extends HourCounts {
  readonly number: number;
  /** Of the marks of its leaves, hex. */
  readonly salt: string;
}

export interface StoredPublication extends Publication {
  readonly workflow_id: string;
  readonly owner_id: string;
}

/** Evidence with its bars by their digests. */
export interface EvidenceRow extends Omit<SealedEvidence, 'bars'> {
  readonly bars: readonly string[];
}

export interface DecisionTables extends KeyTables, InstrumentTables, CircuitTables, QuotaTables, NameTables {
  readonly decisions: Table<string, DecisionRow>;
  /** By record and number. */
  readonly notes: Table<string, NoteRow>;
  /** By number. */
  readonly logs: Table<string, LogRow>;
  /** By record. */
  readonly evidence: Table<string, EvidenceRow>;
  /** By digest. */
  readonly evidenceBars: Table<string, SealedBars>;
  /** By agent and key. */
  readonly idempotency: Table<string, IdempotencyRow>;
  /** By agent, market, symbol and direction. */
  readonly cooldowns: Table<string, Cooldown>;
  /** By agent. */
  readonly agentSubmissions: Table<string, AgentSubmissions>;
  /** By owner and UTC day. */
  readonly retroactiveDays: Table<string, CountRow>;
  /** By their places, in the order in which they came. */
  readonly publications: Table<string, StoredPublication>;
}
