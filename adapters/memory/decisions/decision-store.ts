import { randomUUID } from 'node:crypto';
import type { Decision } from '../../../domain/decisions/decision.ts';
import type {
  ClaimedDecision,
  DecisionStore,
  Lease,
  Revived,
  UnevaluatedDecision,
} from '../../../domain/decisions/decision-store.ts';
import type { LifecycleState } from '../../../domain/decisions/lifecycle.ts';
import { isPublicTarget } from '../../../domain/decisions/relations.ts';
import type { SealedEvidence } from '../../../domain/grading/evidence.ts';
import { IDEMPOTENCY } from '../../../domain/limits.ts';
import { type Instrument, instrumentKey } from '../../../domain/market/instrument.ts';
import { DAY } from '../../../domain/time.ts';
import type { DecisionRow, DecisionTables } from './decision-tables.ts';
import { endEvaluations } from './evaluation-ends.ts';

export function memoryDecisions(tables: DecisionTables): DecisionStore {
  const { decisions } = tables;
  const find: DecisionStore['find'] = async (record_ids, viewer) => {
    const rows = [...new Set(record_ids)].flatMap((record_id) => decisions.get(record_id) ?? []);
    return rows.map((row) => decisionOf(tables, row, viewer));
  };
  return {
    find,
    findStanding: find,
    awaitingVerification: async (now, limit) => awaitingVerification(tables, now, limit),
    settleVerification: async (instrument, verdict, reason) =>
      settleVerification(tables, instrument, verdict, reason ?? null),
    revive: async (instrument, now) => revive(tables, instrument, now),
    claimDue: async (now, leaseUntil, limit) => claimDue(tables, now, leaseUntil, limit),
    renewLeases: async (held, leaseUntil) => renewLeases(tables, held, leaseUntil),
    endEvaluations: async (ends, now) => endEvaluations(tables, ends, now),
    findEvidence: async (record_id) => findEvidence(tables, record_id),
    evaluatedAfter: async (after, limit) => evaluatedAfter(tables, after, limit),
    endLeases: async (now) => endLeases(tables, now),
    async nextDue() {
      const [first] = inOrderOfDue(decisions.where(({ due_at }) => due_at !== null));
      return first?.due_at ?? null;
    },
    async backlog(now) {
      const due = inOrderOfDue(decisions.where(({ due_at }) => due_at !== null && due_at <= now));
      return { due: due.length, since: due[0]?.due_at ?? null };
    },
    prune: async (now) => prune(tables, now),
  };
}

function decisionOf(tables: DecisionTables, row: DecisionRow, viewer: string | null): Decision {
  const { receipt: _, eval_token: __, ...decision } = row;
  const related = row.related.map(({ record_id, relation }) => {
    const target = tables.decisions.get(record_id);
    return { record_id, relation, public: target !== undefined && isPublicTarget(target, row) };
  });
  return {
    ...decision,
    related: related.toSorted((a, b) => (`${a.record_id} ${a.relation}` < `${b.record_id} ${b.relation}` ? -1 : 1)),
    workflow_public: isPublicWorkflow(tables, row.workflow_hash),
    bars: row.owner_id === viewer ? row.bars : null,
  };
}

/** Whether anybody may see the snapshot. */
export function isPublicWorkflow(
  { publications }: Pick<DecisionTables, 'publications'>,
  workflow_hash: string | null,
): boolean {
  return publications.where(({ hash, visibility }) => hash === workflow_hash && visibility === 'public').length > 0;
}

function awaitingVerification({ decisions, instruments }: DecisionTables, now: Date, limit: number): Instrument[] {
  const waiting = new Map<string, Instrument>();
  for (const row of decisions.where(({ lifecycle_state }) => lifecycle_state === 'pending_verify')) {
    const retry_at = instruments.get(instrumentKey(row))?.retry_at ?? null;
    if (retry_at === null || retry_at <= now) waiting.set(instrumentKey(row), identityOf(row));
  }
  return [...waiting.values()].slice(0, limit);
}

function identityOf({ market, symbol, venue, asset_class, quote_currency }: Instrument): Instrument {
  return { market, symbol, venue, asset_class, quote_currency };
}

function settleVerification(
  { decisions }: DecisionTables,
  instrument: Instrument,
  verdict: 'verified' | 'rejected',
  last_error: string | null,
): number {
  const key = instrumentKey(instrument);
  const waiting = decisions.where((row) => row.lifecycle_state === 'pending_verify' && instrumentKey(row) === key);
  for (const row of waiting) {
    const due_at = verdict === 'verified' ? row.settles_at : null;
    decisions.set(row.record_id, { ...row, lifecycle_state: verdict, due_at, last_error });
  }
  return waiting.length;
}

function revive({ decisions }: DecisionTables, instrument: Instrument, now: Date): Revived {
  const key = instrumentKey(instrument);
  const inState = (state: LifecycleState) =>
    decisions.where((row) => row.lifecycle_state === state && instrumentKey(row) === key);
  const [rejected, unavailable] = [inState('rejected'), inState('data_unavailable')];
  for (const row of rejected) decisions.set(row.record_id, { ...row, lifecycle_state: 'pending_verify' });
  for (const row of unavailable) {
    const retried = { eval_token: randomUUID(), due_at: now, attempts: 0, last_error: null };
    decisions.set(row.record_id, { ...row, lifecycle_state: 'evaluating', ...retried });
  }
  return { rejected: rejected.length, data_unavailable: unavailable.length };
}

function claimDue({ decisions }: DecisionTables, now: Date, leaseUntil: Date, limit: number): ClaimedDecision[] {
  const due = decisions.where(({ due_at }) => due_at !== null && due_at <= now);
  return inOrderOfDue(due)
    .slice(0, limit)
    .map((row) => {
      const token = randomUUID();
      const taken: DecisionRow = { ...row, lifecycle_state: 'evaluating', eval_token: token, due_at: leaseUntil };
      decisions.set(row.record_id, taken);
      return { decision: unevaluated(taken), token };
    });
}

function findEvidence({ evidence, evidenceBars }: DecisionTables, record_id: string): SealedEvidence | null {
  const kept = evidence.get(record_id);
  return kept ? { ...kept, bars: kept.bars.flatMap((digest) => evidenceBars.get(digest) ?? []) } : null;
}

function evaluatedAfter({ decisions }: DecisionTables, after: string | null, limit: number): string[] {
  const rows = decisions.where(({ facts, record_id }) => facts !== null && (after === null || record_id > after));
  return rows
    .map(({ record_id }) => record_id)
    .toSorted()
    .slice(0, limit);
}

function renewLeases({ decisions }: DecisionTables, held: readonly Lease[], leaseUntil: Date): string[] {
  return held.flatMap(({ record_id, token }) => {
    const row = decisions.get(record_id);
    if (row?.lifecycle_state !== 'evaluating' || row.eval_token !== token) return [];
    decisions.set(record_id, { ...row, due_at: leaseUntil });
    return [record_id];
  });
}

function endLeases({ decisions }: DecisionTables, now: Date): number {
  const held = decisions.where(
    ({ lifecycle_state, due_at }) => lifecycle_state === 'evaluating' && due_at !== null && due_at > now,
  );
  for (const row of held) decisions.set(row.record_id, { ...row, due_at: now });
  return held.length;
}

function unevaluated(row: DecisionRow): UnevaluatedDecision {
  const { facts, owner_facts, bars, related, statement, salt, commitment, receipt, eval_token, ...decision } = row;
  return decision;
}

function inOrderOfDue(rows: readonly DecisionRow[]): DecisionRow[] {
  return rows.toSorted((a, b) => Number(a.due_at) - Number(b.due_at));
}

/** The longest cooldown that an operator can set is far below the age at which one is forgotten. */
function prune({ idempotency, cooldowns, submitHours, retroactiveDays }: DecisionTables, now: Date): number {
  const before = (age: number) => (at: Date) => at.getTime() <= now.getTime() - age;
  const today = Math.floor(now.getTime() / DAY) * DAY;
  return (
    idempotency.deleteWhere(({ created_at }) => before(IDEMPOTENCY.keep)(created_at)) +
    cooldowns.deleteWhere(({ last_at }) => before(30 * DAY)(last_at)) +
    submitHours.deleteWhere(({ window_start }) => before(2 * DAY)(window_start)) +
    retroactiveDays.deleteWhere(({ window_start }) => window_start.getTime() <= today - 2 * DAY)
  );
}
