import { randomUUID } from 'node:crypto';
import {
  type ClaimedDecision,
  continuationOf,
  type EvaluationEnd,
  type EvaluationStore,
  type FailureCount,
  type Lease,
  moveOf,
  stateAfter,
  UNEXPLAINED,
  type UnevaluatedDecision,
} from '../../../domain/decisions/evaluation-store.ts';
import { canMove, type LifecycleState } from '../../../domain/decisions/lifecycle.ts';
import { ungradedCounts, ungradedReason } from '../../../domain/decisions/ungraded.ts';
import { cohortException } from '../../../domain/grading/cohort-exception.ts';
import type { SealedEvidence } from '../../../domain/grading/evidence.ts';
import { KNOWN_METHODS } from '../../../domain/grading/method.ts';
import { instrumentKey } from '../../../domain/market/instrument.ts';
import { creditOf } from '../../../domain/quotas/pools.ts';
import { utcDate } from '../../../domain/time.ts';
import { limitsNow, quotaKey } from '../quotas/quota-tables.ts';
import type { DecisionRow, DecisionTables } from './decision-tables.ts';

export function memoryEvaluations(tables: DecisionTables): EvaluationStore {
  const { decisions } = tables;
  return {
    claimDue: async (now, leaseUntil, limit) => claimDue(tables, now, leaseUntil, limit),
    mayEnd: async (names) => (isOlder(tables, names) ? 'plan' : 'end'),
    renewLeases: async (held, leaseUntil) => renewLeases(tables, held, leaseUntil),
    endEvaluations: async (ends, now, names) => endEvaluations(tables, ends, now, names),
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
    async unexplained(limit) {
      const waiting = decisions.where(
        ({ lifecycle_state, last_error }) =>
          lifecycle_state === 'deferred' && UNEXPLAINED.some((reason) => last_error?.startsWith(`${reason}:`)),
      );
      const found = waiting.map((row) => ({ instrument: instrumentKey(row), last_error: row.last_error ?? '' }));
      const each = new Map(found.map((one) => [`${one.instrument}\n${one.last_error}`, one]));
      return [...each.keys()]
        .toSorted()
        .flatMap((key) => each.get(key) ?? [])
        .slice(0, limit);
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

/** Whether a statement about names was learned after this one. */
function isOlder({ names }: DecisionTables, newest = Number.POSITIVE_INFINITY): boolean {
  return names.where(({ id }) => id > newest).length > 0;
}

/** Ends the evaluations whose lease is still the record's own; see `EvaluationStore.endEvaluations`. */
function endEvaluations(tables: DecisionTables, ends: readonly EvaluationEnd[], now: Date, names?: number): string[] {
  const { decisions } = tables;
  if (isOlder(tables, names)) {
    renewLeases(tables, ends, now);
    return [];
  }
  return ends.flatMap((end) => {
    const row = decisions.get(end.record_id);
    if (!row || !canMove(row.lifecycle_state, moveOf(end)) || row.eval_token !== end.token) return [];
    decisions.set(end.record_id, { ...ended(row, end, now), eval_token: null });
    if (end.result.kind === 'evaluated') {
      keep(tables, end.record_id, end.result.evidence);
      credit(tables, { ...row, ...end.result.outcome }, now);
    }
    return [end.record_id];
  });
}

/** Once for each record and each decision group, whatever becomes of them later (interface.md section 8, securities.md 5). */
function credit(
  tables: DecisionTables,
  { record_id, owner_id, submission_origin, facts, method, group_id }: DecisionRow,
  now: Date,
): void {
  const amount = creditOf(submission_origin, facts && cohortException(facts), method);
  if (amount === 0 || tables.creditLedger.get(record_id)) return;
  if (group_id !== null && tables.creditLedger.where((row) => row.group_id === group_id).length > 0) return;
  const day = utcDate(limitsNow(tables, now));
  const place = { owner_id, day, pool: 'query', record_id: null } as const;
  const before = tables.quotas.get(quotaKey(place)) ?? { used: 0, credit: 0 };
  tables.creditLedger.set(record_id, { record_id, owner_id, day, amount, group_id });
  tables.quotas.set(quotaKey(place), { ...before, ...place, credit: before.credit + amount });
}

function keep({ evidence, evidenceBars }: DecisionTables, record_id: string, sealed: SealedEvidence): void {
  for (const bars of sealed.bars) evidenceBars.set(bars.digest, bars);
  evidence.set(record_id, { ...sealed, bars: sealed.bars.map(({ digest }) => digest) });
}

function ended(row: DecisionRow, end: EvaluationEnd, now: Date): DecisionRow {
  const { result } = end;
  const lifecycle_state = stateAfter(moveOf(end), row.attempts);
  if (result.kind === 'evaluated') {
    const evaluated = { lifecycle_state, due_at: null, last_error: null, evaluated_at: now };
    const { outcome, grid } = result;
    return { ...row, ...evaluated, ...outcome, grid, end_time: result.end_time ?? row.end_time };
  }
  const { due_at, attempted, last_error } = continuationOf(end);
  const moved = { lifecycle_state, due_at, attempts: row.attempts + attempted, last_error };
  if (result.kind !== 'postponed') return { ...row, ...moved };
  const { end_time = row.end_time, settles_at = row.settles_at } = result;
  return { ...row, ...moved, end_time, settles_at };
}
