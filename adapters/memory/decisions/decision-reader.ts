import { type Decision, isLoggedLate, type TabledDecision } from '../../../domain/decisions/decision.ts';
import { withVerification } from '../../../domain/decisions/moderation/verification.ts';
import type { DecisionReader, StoredReplies } from '../../../domain/decisions/views/decision-reader.ts';
import { isPublicTarget } from '../../../domain/decisions/visibility.ts';
import { instrumentKey } from '../../../domain/market/instrument.ts';
import { leafSignedAt, newestTree } from '../log/log-store.ts';
import type { LogTables } from '../log/log-tables.ts';
import type { DecisionRow, DecisionTables } from './decision-tables.ts';
import { notesOfRecord } from './note-store.ts';

type Tables = DecisionTables & Pick<LogTables, 'logDecisions' | 'logCheckpoints'>;

export function memoryDecisions(tables: Tables): DecisionReader {
  const find: DecisionReader['find'] = async (record_ids, viewer) => {
    const rows = [...new Set(record_ids)].flatMap((record_id) => tables.decisions.get(record_id) ?? []);
    return rows.map((row) => decisionOf(tables, row, viewer));
  };
  return {
    ...{ find, findStatus: find },
    async findTabled(record_ids, owner_id) {
      const found = await find(record_ids, owner_id);
      return found.filter((decision) => decision.owner_id === owner_id).map(tabledOf);
    },
  };
}

function tabledOf({ salt: _, related: __, bars: ___, notes: ____, log, ...others }: Decision): TabledDecision {
  return { ...others, log: log && { index: log.index, outcome_index: log.outcome_index } };
}

function decisionOf(tables: Tables, row: DecisionRow, viewer: string | null): Decision {
  const { receipt: _, eval_token: __, ...decision } = row;
  const related = row.related.map(({ record_id, relation }) => {
    const target = tables.decisions.get(record_id);
    return { record_id, relation, public: target !== undefined && isPublicTarget(target, row) };
  });
  return {
    ...withVerification(decision, tables.instruments.get(instrumentKey(row)) ?? null),
    related: related.toSorted((a, b) => (`${a.record_id} ${a.relation}` < `${b.record_id} ${b.relation}` ? -1 : 1)),
    workflow_public: isPublicWorkflow(tables, row.workflow_hash),
    bars: row.owner_id === viewer ? row.bars : null,
    notes: row.owner_id === viewer ? notesOfRecord(tables, row.record_id) : null,
    log: leafIndexes(tables, row),
  };
}

function leafIndexes(tables: Tables, row: DecisionRow): Decision['log'] {
  const log = newestTree(tables);
  const leaves = tables.logDecisions.get(`${log?.log} ${row.record_id}`);
  if (!log || !leaves) return null;
  const late = isLoggedLate(row, { signed_at: leafSignedAt(tables, log.log, leaves.index), ...log });
  return { index: leaves.index, outcome_index: leaves.outcome?.index ?? null, late };
}

/** Whether anybody may see the snapshot. */
export function isPublicWorkflow(
  { publications }: Pick<DecisionTables, 'publications'>,
  workflow_hash: string | null,
): boolean {
  return publications.where(({ hash, visibility }) => hash === workflow_hash && visibility === 'public').length > 0;
}

/** Stores none: reading a record from memory is no work. */
export function memoryReplies({ find }: Pick<DecisionReader, 'find'>): StoredReplies {
  return {
    async find(record_id, viewer) {
      const [decision] = await find([record_id], viewer);
      return decision ? { reply: null, decision, basis: null } : null;
    },
    keep: async () => undefined,
    recordsAfter: async () => [],
    prune: async () => undefined,
  };
}
