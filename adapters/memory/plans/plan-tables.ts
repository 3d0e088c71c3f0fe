import type { Plan } from '../../../domain/log/plan.ts';
import type { Table } from '../kit/table.ts';
import type { LogTables } from '../log/log-tables.ts';

export interface PlanTables {
  readonly plans: Table<string, Plan>;
  /** By owner and question. */
  readonly askedQuestions: Table<string, { readonly owner_id: string; readonly first_asked_at: Date }>;
}

/** For the table of plans: a new one has no leaf yet. */
export function notePlan(pending: LogTables['pendingPlans'], ready_at: Date) {
  return (plan_id: string, _: Plan, before: Plan | undefined): void => {
    if (!before) pending.set(plan_id, { plan_id, imported: false, ready_at });
  };
}
