import { randomUUID } from 'node:crypto';
import type {
  ClaimedDecision,
  EvaluationStore,
  FailureCount,
  Lease,
  UnevaluatedDecision,
} from '../../../domain/decisions/evaluation-store.ts';
import { canMove, type LifecycleState } from '../../../domain/decisions/lifecycle.ts';
import { ungradedCounts, ungradedReason } from '../../../domain/decisions/ungraded.ts';
import { KNOWN_METHODS } from '../../../domain/grading/method.ts';
import type { DecisionRow, DecisionTables } from './decision-tables.ts';
import { endEvaluations } from './evaluation-ends.ts';

export function memoryEvaluations(tables: DecisionTables): EvaluationStore {
  const { decisions } = tables;
  return {
    claimDue: async (now, leaseUntil, limit) => claimDue(tables, now, leaseUntil, limit),
    renewLeases: async (held, leaseUntil) => renewLeases(tables, held, leaseUntil),
    endEvaluations: async (ends, now) => endEvaluations(tables, ends, now),
    endLeases: async (now) => endLeases(tables, now),
    async nextDue() {
      const [first] = inOrderOfDue(decisions.where((row) => row.due_at !== null && isGradedHere(row)));
      return first?.due_at ?? null;
    },
    async backlog(now) {
      const waiting = decisions.where(({ due_at }) => due_at !== null && due_at <= now);
      const due = inOrderOfDue(waiting.filter(isGradedHere));
      return { due: due.length, since: due[0]?.due_at ?? null, of_unknown_methods: waiting.length - due.length };
    },
    async failures(submittedSince) {
      const count = (state: LifecycleState): FailureCount => {
        const rows = decisions.where(({ lifecycle_state }) => lifecycle_state === state);
        return { total: rows.length, recent: rows.filter((row) => row.submission_time >= submittedSince).length };
      };
      const tallies = decisions
        .where((row) => row.lifecycle_state === 'data_unavailable' && row.submission_time >= submittedSince)
        .map((row) => ({ reason: ungradedReason(row) ?? 'unknown', records: 1 }));
      const recent_reasons = ungradedCounts(tallies).data_unavailable;
      return { rejected: count('rejected'), data_unavailable: count('data_unavailable'), recent_reasons };
    },
    async firstSubmitted() {
      const [first] = decisions.where(() => true).toSorted((a, b) => (a.record_id < b.record_id ? -1 : 1));
      return first?.submission_time ?? null;
    },
    async lastGraded() {
      const times = decisions
        .where(({ lifecycle_state }) => lifecycle_state === 'evaluated')
        .flatMap(({ evaluated_at }) => (evaluated_at === null ? [] : [evaluated_at]));
      return times.reduce<Date | null>((last, at) => (last === null || at > last ? at : last), null);
    },
  };
}

function claimDue({ decisions }: DecisionTables, now: Date, leaseUntil: Date, limit: number): ClaimedDecision[] {
  const due = decisions.where(
    (row) => canMove(row.lifecycle_state, 'claim') && isGradedHere(row) && row.due_at !== null && row.due_at <= now,
  );
  return inOrderOfDue(due)
    .slice(0, limit)
    .map((row) => {
      const token = randomUUID();
      const claimed: DecisionRow = { ...row, lifecycle_state: 'evaluating', eval_token: token, due_at: leaseUntil };
      decisions.set(row.record_id, claimed);
      return { decision: unevaluated(claimed), token };
    });
}

function isGradedHere({ method }: DecisionRow): boolean {
  return KNOWN_METHODS.includes(method);
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
