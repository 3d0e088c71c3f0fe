import { continuationOf, moveOf, stateAfter } from '../../../domain/decisions/evaluation-end.ts';
import type { EvaluationEnd } from '../../../domain/decisions/evaluation-store.ts';
import { canMove } from '../../../domain/decisions/lifecycle.ts';
import { cohortException } from '../../../domain/grading/cohort-exception.ts';
import type { SealedEvidence } from '../../../domain/grading/evidence.ts';
import { creditOf } from '../../../domain/quotas/pools.ts';
import { utcDate } from '../../../domain/time.ts';
import { limitsNow, quotaKey } from '../quotas/quota-tables.ts';
import type { DecisionRow, DecisionTables } from './decision-tables.ts';

/** Ends the evaluations whose lease is still the record's own; see `EvaluationStore.endEvaluations`. */
export function endEvaluations(tables: DecisionTables, ends: readonly EvaluationEnd[], now: Date): string[] {
  const { decisions } = tables;
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

/** Once for each record, whatever becomes of it later (interface.md section 8). */
function credit(
  tables: DecisionTables,
  { record_id, owner_id, submission_origin, facts }: DecisionRow,
  now: Date,
): void {
  const amount = creditOf(submission_origin, facts && cohortException(facts));
  if (amount === 0 || tables.creditLedger.get(record_id)) return;
  const day = utcDate(limitsNow(tables, now));
  const place = { owner_id, day, pool: 'query', record_id: null } as const;
  const before = tables.quotas.get(quotaKey(place)) ?? { used: 0, credit: 0 };
  tables.creditLedger.set(record_id, { record_id, owner_id, day, amount });
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
