import { activeOwner } from '../../../domain/accounts/active-owner.ts';
import type { Plan } from '../../../domain/log/plan.ts';
import type { PlanStore } from '../../../domain/plans/plan-store.ts';
import type { OverviewTables } from '../accounts/owner-overview.ts';
import { newestLog } from '../log/log-store.ts';
import type { LogTables } from '../log/log-tables.ts';
import type { PlanTables } from './plan-tables.ts';

type Tables = PlanTables & LogTables & Pick<OverviewTables, 'owners' | 'logs'>;

export function memoryPlans(tables: Tables, now: () => Date): PlanStore {
  const { plans, askedQuestions, owners } = tables;
  const plansOf = (owner_id: string) => plans.where((row) => row.owner_id === owner_id);
  return {
    async ground({ owner_id, agent_id, question, content }, since) {
      activeOwner(owners.get(owner_id));
      const isSame = (row: Plan) => row.agent_id === agent_id && row.opened?.content === content;
      return {
        existing: plansOf(owner_id).find(isSame) ?? null,
        asked_before: askedQuestions.get(`${owner_id} ${question}`) !== undefined,
        stated: plansOf(owner_id).filter(({ stated_at }) => stated_at >= since).length,
      };
    },

    add: async (plan) => plans.set(plan.plan_id, plan),

    async find(owner_id, plan_id) {
      const plan = plans.get(plan_id);
      return plan?.owner_id === owner_id ? plan : null;
    },

    async ask(owner_id, question) {
      if (!owners.get(owner_id)) activeOwner(undefined);
      const queries_asked = askedQuestions.where((row) => row.owner_id === owner_id).length;
      const key = `${owner_id} ${question}`;
      if (!askedQuestions.get(key)) askedQuestions.set(key, { owner_id, first_asked_at: now() });
      return { queries_asked, plan: firstOf(tables, plansOf(owner_id), question) };
    },
  };
}

function firstOf(tables: Tables, own: readonly Plan[], question: string) {
  const [first] = own
    .filter(({ opened }) => opened?.question === question)
    .toSorted((a, b) => a.stated_at.getTime() - b.stated_at.getTime() || (a.plan_id < b.plan_id ? -1 : 1));
  if (!first) return null;
  const { plan_id, stated_at } = first;
  const log = newestLog(tables)?.log;
  return { plan_id, stated_at, log_index: tables.logPlans.get(`${log} ${plan_id}`)?.index ?? null };
}
