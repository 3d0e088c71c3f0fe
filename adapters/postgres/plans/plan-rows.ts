import type { OpenedPlan, Plan } from '../../../domain/log/plan.ts';

/** A row of `app.plans`, its bytes as hexadecimal digits. */
export type PlanRow = Omit<Plan, 'opened'> & { readonly [Member in keyof OpenedPlan]: string | null };

/** The columns of `PlanRow`, of a table that is called `p`. */
export const PLAN_COLUMNS = `
    p.plan_id, p.owner_id, p.agent_id, p.stated_at, encode(p.commitment, 'hex') as commitment,
    encode(p.producer, 'hex') as producer, encode(p.salt, 'hex') as salt, p.statement,
    encode(p.question, 'hex') as question, encode(p.content, 'hex') as content`;

export function storedPlan({ salt, statement, question, content, ...row }: PlanRow): Plan {
  const isOpen = salt !== null && statement !== null && question !== null && content !== null;
  return { ...row, opened: isOpen ? { salt, statement, question, content } : null };
}
