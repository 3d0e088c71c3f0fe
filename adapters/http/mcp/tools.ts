import { MCP } from '../../../domain/limits.ts';

/** One tool: an endpoint, and how the tool's arguments become a request to it. */
export interface ToolPlan {
  readonly name: string;
  readonly title: string;
  /** The operationId of the endpoint. */
  readonly endpoint: string;
  /** Precedes the description of the endpoint. */
  readonly hint?: string;
  /** It writes; all other tools only read. */
  readonly writes?: true;
  /** The argument that is the body as it was sent; `*`: all arguments together are. */
  readonly body?: string;
  /** Query parameters that callers do not send. */
  readonly fixed?: Readonly<Record<string, string>>;
  /** Query parameters where the caller sends none. */
  readonly defaults?: Readonly<Record<string, string>>;
  /** The headers of the endpoint that are arguments: header -> argument. */
  readonly headers?: Readonly<Record<string, string>>;
  /** How a reply that is not JSON becomes the result. */
  readonly form?: 'text' | 'archive';
}

/** The tools in the order in which they are listed, which is the same in every reply. */
export const TOOLS: readonly ToolPlan[] = [
  {
    name: 'submit_decision',
    title: 'State a decision',
    endpoint: 'submitDecision',
    hint: 'Needs an API key of mode read_write. Send the same `idempotency_key` again when a reply was lost.',
    writes: true,
    body: 'decision',
    headers: { 'idempotency-key': 'idempotency_key' },
  },
  { name: 'get_decision_state', title: 'Read the state of a decision', endpoint: 'readDecisionState' },
  { name: 'get_decision', title: 'Read a decision', endpoint: 'readDecision' },
  { name: 'get_decisions', title: 'Read up to 32 decisions', endpoint: 'readDecisionBatch', body: '*' },
  {
    name: 'list_decisions',
    title: "List the agent's own decisions",
    endpoint: 'listAgentDecisions',
    hint: 'Needs an API key.',
  },
  {
    name: 'query_cohort',
    title: 'Count earlier decisions like this one',
    endpoint: 'queryWisdom',
    hint: `Without \`limit\` it returns ${MCP.cohortRows} rows.`,
    defaults: { limit: String(MCP.cohortRows) },
  },
  {
    name: 'state_plan',
    title: 'State a question before asking it',
    endpoint: 'statePlan',
    hint: 'Needs an API key of mode read_write.',
    writes: true,
    body: '*',
  },
  { name: 'list_plans', title: 'List the plans that the agent stated', endpoint: 'listPlans' },
  { name: 'get_plan_receipt', title: 'Get the receipt of a plan', endpoint: 'readPlanReceipt', form: 'text' },
  { name: 'get_related', title: 'Read the decisions related to a decision', endpoint: 'readDecisionGraph' },
  {
    name: 'get_limits',
    title: 'Read what the credential allows today',
    endpoint: 'readAuthStatus',
    fixed: { include: 'quota' },
  },
  { name: 'get_receipt', title: 'Get the receipt of a decision', endpoint: 'readDecisionReceipt', form: 'text' },
  { name: 'find_instrument', title: 'Find an instrument by its symbol', endpoint: 'findInstruments' },
  { name: 'list_workflows', title: 'Browse public workflows', endpoint: 'browseWorkflows' },
  { name: 'get_skill', title: 'Get a workflow as a skill', endpoint: 'exportSkill', form: 'archive' },
];
