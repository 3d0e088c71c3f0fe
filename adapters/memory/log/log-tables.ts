import { LOG } from '../../../domain/limits.ts';
import type { ClosingReason } from '../../../domain/log/leaves/leaf.ts';
import { CLOSING_REASONS } from '../../../domain/log/leaves/leaf.ts';
import type {
  DecisionLeaves,
  KeptMark,
  LoggedHead,
  PendingEvent,
  StoredCheckpoint,
} from '../../../domain/log/log-store.ts';
import type { DecisionRow, DecisionTables, LogRow } from '../decisions/decision-tables.ts';
import type { Table } from '../kit/table.ts';

export interface EventRow {
  readonly record_id: string;
  readonly seq: number;
  readonly event: PendingEvent['event'];
  readonly reason: ClosingReason | null;
  readonly imported: boolean;
  readonly ready_at: Date;
  readonly kept: KeptMark | null;
}

export interface PendingPlan {
  readonly plan_id: string;
  readonly imported: boolean;
  readonly ready_at: Date;
}

export interface CheckpointRow extends StoredCheckpoint {
  readonly log: number;
  readonly signed_at: Date | null;
  readonly served_from: Date | null;
  readonly witnessed_at: Date | null;
}

export interface LogTables {
  /** By record and number. */
  readonly logEvents: Table<string, EventRow>;
  /** By log and record. */
  readonly logDecisions: Table<string, DecisionLeaves & { readonly log: number; readonly record_id: string }>;
  /** By log and index. */
  readonly logHeads: Table<string, LoggedHead & { readonly log: number; readonly index: number }>;
  /** By month. */
  readonly logDatasets: Table<string, { readonly log: number; readonly index: number; readonly month: string }>;
  /** By the time of learning. */
  readonly logNames: Table<string, { readonly log: number; readonly index: number; readonly learned_at: string }>;
  readonly pendingPlans: Table<string, PendingPlan>;
  /** By log and plan. */
  readonly logPlans: Table<string, { readonly log: number; readonly plan_id: string; readonly index: number }>;
  /** By log, level and index; by log and index. */
  readonly logTiles: Table<string, { readonly bytes: Uint8Array }>;
  readonly logBundles: Table<string, { readonly bytes: Uint8Array }>;
  /** By log and size. */
  readonly logCheckpoints: Table<string, CheckpointRow>;
}

/** For the table of decisions: writes each change of one that the log has to say. */
export function noteLogEvents(events: LogTables['logEvents'], now: () => Date) {
  let last = 0;
  return (record_id: string, row: DecisionRow, before: DecisionRow | undefined): void => {
    const add = (event: EventRow['event'], reason: ClosingReason | null, delay: number) => {
      const ready_at = new Date(now().getTime() + delay);
      addEvent(events, { record_id, seq: ++last, event, reason, imported: false, ready_at, kept: null });
    };
    if (!before) add('decision', null, 0);
    if (row.evaluated_at && !before?.evaluated_at) add('outcome', null, 0);
    const [from, to] = [before ? closingReason(before) : null, closingReason(row)];
    if (from !== to) add(to ? 'closed' : 'reopened', to, Math.random() * LOG.longestDelay);
  };
}

export function addEvent(events: LogTables['logEvents'], row: EventRow): void {
  events.set(`${row.record_id} ${row.seq}`, row);
}

export function closingReason({ lifecycle_state }: Pick<DecisionRow, 'lifecycle_state'>): ClosingReason | null {
  return CLOSING_REASONS.find((reason) => reason === lifecycle_state) ?? null;
}

/** Under which number the leaves of a log are. */
export function treeOf({ logs }: Pick<DecisionTables, 'logs'>, log: number): number {
  return logs.get(String(log))?.tree ?? log;
}

/** The logs that share the leaves of a tree, the oldest first. */
export function sharing({ logs }: Pick<DecisionTables, 'logs'>, tree: number): readonly LogRow[] {
  return logs.where((row) => row.tree === tree).toSorted((a, b) => a.log - b.log);
}

export interface StoredLeaf {
  /** Of the tree. */
  readonly log: number;
  readonly index: number;
}

/** The first log that signed or will sign a leaf, of those that share it. */
export function logOfLeaf(
  tables: Pick<DecisionTables, 'logs'> & Pick<LogTables, 'logCheckpoints'>,
  leaf: StoredLeaf,
): LogRow | null {
  const has = (log: number) =>
    tables.logCheckpoints.where((row) => row.log === log && row.size > leaf.index).length > 0;
  return sharing(tables, leaf.log).find(({ log }) => has(log)) ?? null;
}
