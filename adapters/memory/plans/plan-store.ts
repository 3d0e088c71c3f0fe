import { activeOwner } from '../../../domain/accounts/owner.ts';
import type { Plan } from '../../../domain/log/plan.ts';
import type { PlanPlace, PlanStore } from '../../../domain/plans/plan.ts';
import type { OverviewTables } from '../accounts/own-stores.ts';
import { newestTree } from '../log/log-store.ts';
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

    async list(owner_id, agent_id, after, limit) {
      return plansOf(owner_id)
        .filter((plan) => (agent_id === null || plan.agent_id === agent_id) && (!after || byTime(plan, after) < 0))
        .toSorted((a, b) => byTime(b, a))
        .slice(0, limit)
        .map((plan) => ({ ...plan, log_index: logIndex(tables, plan) }));
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
  const [first] = own.filter(({ opened }) => opened?.question === question).toSorted(byTime);
  if (!first) return null;
  const { plan_id, stated_at } = first;
  return { plan_id, stated_at, log_index: logIndex(tables, first) };
}

/** The oldest first. */
function byTime(a: PlanPlace, b: PlanPlace): number {
  return a.stated_at.getTime() - b.stated_at.getTime() || Number(a.plan_id > b.plan_id) - Number(a.plan_id < b.plan_id);
}

function logIndex(tables: Tables, { plan_id }: Plan): number | null {
  return tables.logPlans.get(`${newestTree(tables)?.log} ${plan_id}`)?.index ?? null;
}
