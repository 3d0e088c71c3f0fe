import {
  findPlan,
  leafOfPlan,
  listPlans,
  openedPlan,
  promisedPlanReceipt,
  readPlanReceipt,
  statePlan,
} from '../../../../application/plans/plans.ts';
import type { Ports } from '../../../../application/ports.ts';
import { PLAN } from '../../../../domain/limits.ts';
import type { Plan } from '../../../../domain/log/plan.ts';
import { type ListedPlan, planStatementOf } from '../../../../domain/plans/plan.ts';
import { type Endpoint, endpoint } from '../../kit/endpoint.ts';
import {
  planList,
  planListExample,
  planListQuery,
  planPath,
  planReceiptQuery,
  planRequest,
  planRequestExample,
  statedPlan,
  statedPlanExample,
} from '../../shapes/cohorts/plans.ts';
import { PROOF_FILE } from '../../shapes/decisions/decision-parts.ts';

export function planEndpoints(ports: Ports): readonly Endpoint[] {
  return [statePlanEndpoint(ports), listPlansEndpoint(ports), readPlanEndpoint(ports), planReceiptEndpoint(ports)];
}

type PlanPorts = Pick<
  Ports,
  'transaction' | 'clock' | 'canonicalJson' | 'symbols' | 'names' | 'plans' | 'log' | 'signatures' | 'settings'
>;

function statePlanEndpoint(ports: PlanPorts) {
  return endpoint({
    id: 'statePlan',
    method: 'POST',
    path: '/api/v1/agent/plans',
    isAddition: true,
    summary: 'State a question before you ask it',
    description:
      'Commits the filters of a cohort query and a sentence to the evidence log, which shows a digest alone until you open ' +
      'it. Later cohort replies for the same filters name the plan. It can never be changed. The same filters and ' +
      `sentence are one plan: it is returned again. An owner states up to ${PLAN.perDay} a day (UTC).`,
    tag: 'Cohorts',
    grows: true,
    auth: ['api_key'],
    permission: 'submit',
    body: { schema: planRequest, example: planRequestExample, limit: PLAN.bodyBytes },
    valueStatus: 422,
    replies: {
      201: { description: 'Stated. Keep the reply.', schema: statedPlan, example: statedPlanExample },
      200: { description: 'You had stated the same.', schema: statedPlan, example: statedPlanExample },
    },
    problems: ['RATE_LIMIT_EXCEEDED', 'DAILY_QUOTA_EXCEEDED'],
    async handle({ caller: { owner_id, agent_id }, body, network }) {
      const { plan, existed } = await statePlan(ports, { owner_id, agent_id, network, ...body });
      const view = await viewOf(ports, plan);
      return existed ? { status: 200, body: view } : { status: 201, body: view };
    },
  });
}

function listPlansEndpoint(ports: PlanPorts) {
  return endpoint({
    id: 'listPlans',
    method: 'GET',
    path: '/api/v1/agent/plans',
    isAddition: true,
    summary: 'List the plans that you stated',
    description:
      'The newest first. A key that is bound to an agent lists the plans of that agent; every other credential those of ' +
      'all agents of the account. It takes no unit of a pool.',
    tag: 'Cohorts',
    auth: ['api_key', 'owner_bearer', 'legacy_session'],
    query: planListQuery,
    replies: { 200: { description: 'A page of plans.', schema: planList, example: planListExample } },
    problems: [],
    async handle({ caller, query }) {
      const agent_id = 'agent_id' in caller ? caller.agent_id : null;
      const { items, next_cursor } = await listPlans(ports, { owner_id: caller.owner_id, agent_id }, query);
      return { status: 200, body: { items: items.map(itemOf), next_cursor } };
    },
  });
}

function readPlanEndpoint(ports: PlanPorts) {
  return endpoint({
    id: 'readPlan',
    method: 'GET',
    path: '/api/v1/agent/plans/{plan_id}',
    isAddition: true,
    summary: 'Read a plan',
    description: 'Returns a plan of your account as it was returned when it was stated, with its salt.',
    tag: 'Cohorts',
    auth: ['api_key', 'owner_bearer', 'legacy_session'],
    params: planPath,
    replies: { 200: { description: 'The plan.', schema: statedPlan, example: statedPlanExample } },
    problems: ['NOT_FOUND'],
    async handle({ caller, params }) {
      const plan = await findPlan(ports, caller.owner_id, params.plan_id);
      return { status: 200, body: await viewOf(ports, plan) };
    },
  });
}

function planReceiptEndpoint(ports: PlanPorts) {
  return endpoint({
    id: 'readPlanReceipt',
    method: 'GET',
    path: '/api/v1/agent/plans/{plan_id}/receipt',
    isAddition: true,
    summary: 'Get the receipt of a plan',
    description:
      'Proves that the evidence log contains your plan, and what it says. A plan is in the log within 5 minutes; until ' +
      'then the reply is 404 with Retry-After. Keep the file: it stays valid, whatever happens to the service.',
    tag: 'Cohorts',
    auth: ['api_key', 'owner_bearer', 'legacy_session'],
    params: planPath,
    query: planReceiptQuery,
    replies: { 200: PROOF_FILE },
    problems: ['NOT_FOUND', 'NOT_LOGGED_YET', 'SERVICE_UNAVAILABLE'],
    async handle({ caller, params, query: { opening } }) {
      const body = await readPlanReceipt(ports, caller.owner_id, params.plan_id, { full: opening === 'full' });
      return { status: 200, body };
    },
  });
}

function itemOf(plan: ListedPlan) {
  const { query, sentence, asked_before } = planStatementOf(openedPlan(plan));
  const { plan_id, agent_id, stated_at, log_index } = plan;
  return { plan_id, agent_id, stated_at, query, sentence, asked_before, log_index };
}

async function viewOf({ log: store }: PlanPorts, plan: Plan) {
  const { salt, statement } = openedPlan(plan);
  const { query, sentence, asked_before } = planStatementOf({ statement });
  const log = await store.newest();
  return {
    plan_id: plan.plan_id,
    stated_at: plan.stated_at,
    ...{ query, sentence, asked_before, salt, statement, producer: plan.producer, leaf: leafOfPlan(plan).c },
    log_index: log && (await store.planLeaf(log.log, plan.plan_id)),
    receipt: log && promisedPlanReceipt(plan, log.origin),
  };
}
