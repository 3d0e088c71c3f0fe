import type { CallToolResult } from '@modelcontextprotocol/server';
import { strFromU8, unzipSync } from 'fflate';
import { hiddenTexts } from '../../../domain/hidden-texts.ts';
import { MCP } from '../../../domain/limits.ts';
import type { CalledReply, EndpointCall } from '../kit/call-endpoint.ts';
import type { InputFault } from '../kit/input/input-faults.ts';
import { TYPES, typeName, unknownMembers } from '../kit/input/input-messages.ts';
import { memberText, memberTexts } from '../kit/input/json-text.ts';
import { AS_SENT } from '../kit/input/read-input.ts';
import type { Parameter, Schema } from '../openapi/reference.ts';
import { forgivingArguments } from './forgiving-arguments.ts';

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
  /** The argument that is the body as it was sent; `*`: all arguments but those of the path are, together. */
  readonly body?: string;
  /** Members of the body that another tool describes. */
  readonly brief?: { readonly as: string; readonly members: readonly string[] };
  /** Query parameters that callers do not send. */
  readonly fixed?: Readonly<Record<string, string>>;
  /** Query parameters where the caller sends none. */
  readonly defaults?: Readonly<Record<string, string>>;
  /** The headers of the endpoint that are arguments: header -> argument. */
  readonly headers?: Readonly<Record<string, string>>;
  /** How a reply that is not JSON becomes the result. */
  readonly form?: 'text' | 'archive';
  /** The member of the reply that is the text of the result; by default that is the whole reply. */
  readonly shown?: string;
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
  {
    name: 'submit_decision_group',
    title: 'State one decision over several horizons',
    endpoint: 'submitDecisionGroup',
    hint: 'Needs an API key of mode read_write. Send the same `idempotency_key` again when a reply was lost.',
    writes: true,
    body: 'group',
    brief: {
      as: 'submit_decision',
      members: [
        ...['execution_info', 'service_interaction', 'related_records', 'model', 'price_targets', 'invalidation'],
        ...['key_factors', 'inputs', 'tags', 'analysis_class', 'perspective_type'],
      ],
    },
    headers: { 'idempotency-key': 'idempotency_key' },
  },
  {
    name: 'add_note',
    title: 'Write down what an outcome taught',
    endpoint: 'addNote',
    hint: 'Needs an API key of mode read_write.',
    writes: true,
    body: '*',
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
    name: 'recall',
    title: 'Recall own decisions on a security',
    endpoint: 'recall',
    fixed: { rows_shown: 'text' },
    shown: 'text',
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
    hint: 'Needs an API key of mode read_write. `query` has the filters of query_cohort, without `as_of` and paging.',
    writes: true,
    body: '*',
    brief: { as: 'query_cohort', members: ['query'] },
  },
  { name: 'list_plans', title: 'List the plans that the agent stated', endpoint: 'listPlans' },
  { name: 'get_plan_receipt', title: 'Get the receipt of a plan', endpoint: 'readPlanReceipt', form: 'text' },
  {
    name: 'backtest',
    title: 'Send rows of a back-test',
    endpoint: 'sendBacktestRows',
    hint: 'Each row: the members of a decision, and `external_id`. Needs a read_write key; here a call has 64 KiB at most.',
    writes: true,
    body: 'batch',
    brief: { as: 'submit_decision', members: ['rows'] },
  },
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

/** The arguments of a call as they were sent. */
export interface SentArguments {
  /** JSON of an object. */
  readonly text: string;
  /** Whether a host sent them all as one text. */
  readonly isOfText: boolean;
}

/**
 * The request that a call of a tool stands for, with its arguments read forgivingly. One of another type than the endpoint
 * accepts is refused, so that no value becomes a text that means something else. So is one that the tool does not list, by the
 * names that it lists: the endpoint knows only its own parameters.
 * @param accepted the schema of all arguments, without references
 */
export function requestOf(
  plan: ToolPlan,
  accepted: Schema,
  parameters: readonly Parameter[],
  sentArguments: SentArguments,
): EndpointCall {
  const { body, fixed = {}, defaults = {}, headers: headerNames = {} } = plan;
  const gathered = body === undefined ? sentArguments.text : withBody(sentArguments.text, body, accepted);
  const { text, faults: ofReading } = forgivingArguments(accepted, gathered, sentArguments.isOfText);
  const sent = JSON.parse(text) as Readonly<Record<string, unknown>>;
  const inPath = new Set(parameters.filter((each) => each.in === 'path').map(({ name }) => name));
  const ofArguments =
    body === '*'
      ? typeFaults(onlyOf(accepted, inPath), sent)
      : [...typeFaults(accepted, sent), ...unknownFaults(accepted, sent, body)];
  const places = new Set(ofReading.map(({ detail }) => detail.path.split('.')[0]));
  const faults = [...ofReading, ...ofArguments.filter(({ detail }) => !places.has(detail.path))];
  if (faults.length > 0) {
    const hidden = hiddenTexts(sent, AS_SENT).map((detail) => ({ kind: 'value', detail }) as const);
    return { faults: [...hidden, ...faults.map((each) => ofBody(each, body))] };
  }
  const params = Object.fromEntries([...inPath].map((name) => [name, textOf(sent[name])]));
  if (body === '*') return { params, body: objectText([...memberTexts(text)].filter(([name]) => !inPath.has(name))) };
  const headerOf = new Map(Object.entries(headerNames).map(([header, argument]) => [argument, header]));
  const headers: Record<string, string> = {};
  const query: Record<string, string> = { ...defaults };
  for (const [name, value] of Object.entries(sent)) {
    const header = headerOf.get(name);
    if (header !== undefined) headers[header] = textOf(value);
    else if (name !== body && !inPath.has(name)) query[name] = textOf(value);
  }
  const member = body === undefined ? null : memberText(text, body);
  return { params, headers, query: { ...query, ...fixed }, ...(member !== null && { body: member }) };
}

/** The schema of some of the arguments. */
function onlyOf({ properties = {}, required = [] }: Schema, names: ReadonlySet<string>): Schema {
  const kept = Object.entries(properties).filter(([name]) => names.has(name));
  return { properties: Object.fromEntries(kept), required: required.filter((name) => names.has(name)) };
}

/** The arguments with a body: without one, those that the tool does not list are its members, where the body has such. */
function withBody(text: string, body: string, { properties = {} }: Schema): string {
  const members = [...memberTexts(text)];
  const isSent = members.some(([name, value]) => name === body && value !== 'null' && value !== '""');
  const others = members.filter(([name]) => !Object.hasOwn(properties, name));
  const known = properties[body]?.properties ?? {};
  if (isSent || !others.some(([name]) => Object.hasOwn(known, name))) return text;
  const listed = members.filter(([name]) => name !== body && Object.hasOwn(properties, name));
  return objectText([[body, objectText(others)], ...listed]);
}

function objectText(members: readonly (readonly [name: string, text: string])[]): string {
  return `{${members.map(([name, text]) => `${JSON.stringify(name)}:${text}`).join(',')}}`;
}

/** A fault in the body by the path that the endpoint gives it. */
function ofBody({ kind, detail }: InputFault, body = ''): InputFault {
  const path = detail.path.startsWith(`${body}.`) ? detail.path.slice(body.length + 1) : detail.path;
  return { kind, detail: { ...detail, path } };
}

/** The arguments that are missing, or of another type than the endpoint accepts. */
function typeFaults({ properties = {}, required = [] }: Schema, sent: Readonly<Record<string, unknown>>) {
  return Object.entries(properties).flatMap(([name, schema]): InputFault[] => {
    const type = String(schema.type ?? '');
    const wanted = TYPES[type === 'integer' ? 'int' : type] ?? `a ${type}`;
    const value = Object.hasOwn(sent, name) ? sent[name] : undefined;
    if (value === undefined || value === null) {
      return required.includes(name) ? [fault(name, `is required: send ${wanted}`)] : [];
    }
    if (isOfType(value, type)) return [];
    const found = type === 'integer' && typeof value === 'number' ? String(value) : typeName(value);
    return [fault(name, `must be ${wanted}, not ${found}`)];
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
function unknownFaults({ properties = {} }: Schema, sent: Readonly<Record<string, unknown>>, body = '') {
  const unknown = Object.keys(sent).filter((name) => !Object.hasOwn(properties, name));
  const messages = unknownMembers(unknown, Object.keys(properties));
  const ofBody = properties[body]?.properties ?? {};
  return unknown.map((name, index): InputFault => {
    const isMember = Object.hasOwn(ofBody, name);
    return fault(name, isMember ? `is a member of ${body}: send it there, not next to it` : (messages[index] ?? ''));
  });
}

function fault(path: string, message: string): InputFault {
  return { kind: 'shape', detail: { path, message } };
}

/** A text as it is; a number or a boolean as JSON. */
function textOf(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}

/** A refusal is a result with the envelope of the contract, so that a model reads what to do. */
export function resultOf({ form, shown }: ToolPlan, { status, body }: CalledReply): CallToolResult {
  if (status >= 400) return { content: [{ type: 'text', text: String(body) }], isError: true };
  if (form === 'archive' && typeof body !== 'string') {
    const files = skillFiles(body);
    return { content: files.map(({ text }) => ({ type: 'text', text })), structuredContent: { files } };
  }
  const text = String(body);
  const structuredContent: Record<string, unknown> = form === 'text' ? { text } : JSON.parse(text);
  const whole = shown === undefined ? text : String(structuredContent[shown]);
  return { content: [{ type: 'text', text: whole }], structuredContent };
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
