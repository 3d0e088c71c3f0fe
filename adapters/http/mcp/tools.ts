import type { CallToolResult, Tool } from '@modelcontextprotocol/server';
import { strFromU8, unzipSync } from 'fflate';
import { hiddenTexts } from '../../../domain/hidden-texts.ts';
import { MCP } from '../../../domain/limits.ts';
import type { CalledReply, EndpointCall } from '../kit/call-endpoint.ts';
import type { InputFault } from '../kit/input/input-faults.ts';
import { TYPES, typeName, unknownMembers } from '../kit/input/input-messages.ts';
import { memberText } from '../kit/input/json-text.ts';
import { AS_SENT } from '../kit/input/read-input.ts';
import type { Parameter } from '../openapi/reference.ts';

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

/**
 * The request that a call of a tool stands for. An argument that is null is not sent; one of another type than the tool
 * lists is refused, so that no value becomes a text that means something else. So is one that the tool does not list, by the
 * names that it lists: the endpoint knows only its own parameters.
 * @param text the arguments as they were sent: a body keeps its spelling
 */
export function requestOf(
  { body, fixed = {}, defaults = {}, headers: headerNames = {} }: ToolPlan,
  { inputSchema }: Tool,
  parameters: readonly Parameter[],
  sent: Readonly<Record<string, unknown>>,
  text: string,
): EndpointCall {
  if (body === '*') return { body: text };
  const faults = [...typeFaults(inputSchema, sent), ...unknownFaults(inputSchema, sent)];
  if (faults.length > 0) {
    const hidden = hiddenTexts(sent, AS_SENT).map((detail) => ({ kind: 'value', detail }) as const);
    return { faults: [...hidden, ...faults] };
  }
  const inPath = new Set(parameters.filter((each) => each.in === 'path').map(({ name }) => name));
  const headerOf = new Map(Object.entries(headerNames).map(([header, argument]) => [argument, header]));
  const params = Object.fromEntries([...inPath].map((name) => [name, textOf(sent[name])]));
  const headers: Record<string, string> = {};
  const query: Record<string, string> = { ...defaults };
  for (const [name, value] of Object.entries(sent)) {
    if (value === null) continue;
    const header = headerOf.get(name);
    if (header !== undefined) headers[header] = textOf(value);
    else if (name !== body && !inPath.has(name)) query[name] = textOf(value);
  }
  const member = body === undefined ? null : memberText(text, body);
  return { params, headers, query: { ...query, ...fixed }, ...(member !== null && { body: member }) };
}

/** The arguments that are missing, or of another type than the schema of the tool lists. */
function typeFaults({ properties = {}, required = [] }: Tool['inputSchema'], sent: Readonly<Record<string, unknown>>) {
  return Object.entries(properties).flatMap(([name, schema]): InputFault[] => {
    const { type = '' } = schema as { readonly type?: string };
    const wanted = TYPES[type === 'integer' ? 'int' : type] ?? `a ${type}`;
    const value = Object.hasOwn(sent, name) ? sent[name] : undefined;
    if (value === undefined || value === null) {
      return required.includes(name) ? [fault(name, `is required: send ${wanted}`)] : [];
    }
    if (isOfType(value, type)) return [];
    const isText = typeof value === 'string' && (type === 'object' || type === 'array');
    const found = type === 'integer' && typeof value === 'number' ? String(value) : typeName(value);
    return [fault(name, `must be ${wanted}, not ${found}${isText ? ': send the JSON itself, not its text' : ''}`)];
  });
}

function isOfType(value: unknown, type: string): boolean {
  switch (type) {
    case 'integer':
      return Number.isInteger(value);
    case 'array':
      return Array.isArray(value);
    case 'object':
      return typeof value === 'object' && !Array.isArray(value);
    default:
      return typeof value === type;
  }
}

/** The arguments that the tool does not list; what it sends by itself is none. */
function unknownFaults({ properties = {} }: Tool['inputSchema'], sent: Readonly<Record<string, unknown>>) {
  const unknown = Object.keys(sent).filter((name) => !Object.hasOwn(properties, name));
  const messages = unknownMembers(unknown, Object.keys(properties));
  return unknown.map((name, index): InputFault => fault(name, messages[index] ?? ''));
}

function fault(path: string, message: string): InputFault {
  return { kind: 'shape', detail: { path, message } };
}

/** A text as it is; a number or a boolean as JSON. */
function textOf(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}

/** A refusal is a result with the envelope of the contract, so that a model reads what to do. */
export function resultOf({ form }: ToolPlan, { status, body }: CalledReply): CallToolResult {
  if (status >= 400) return { content: [{ type: 'text', text: String(body) }], isError: true };
  if (form === 'archive' && typeof body !== 'string') {
    const files = skillFiles(body);
    return { content: files.map(({ text }) => ({ type: 'text', text })), structuredContent: { files } };
  }
  const text = String(body);
  const structuredContent = form === 'text' ? { text } : (JSON.parse(text) as Record<string, unknown>);
  return { content: [{ type: 'text', text }], structuredContent };
}

interface SkillFile {
  /** Inside the folder of the skill. */
  readonly path: string;
  readonly text: string;
}

/** The files of a skill's archive; the protocol carries texts. The SKILL.md comes first, as in the archive. */
function skillFiles(archive: Uint8Array): SkillFile[] {
  return Object.entries(unzipSync(archive)).map(([name, bytes]) => ({
    path: name.slice(name.indexOf('/') + 1),
    text: strFromU8(bytes),
  }));
}
