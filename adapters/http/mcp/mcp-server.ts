import {
  type GetPromptResult,
  type Prompt,
  ProtocolError,
  ProtocolErrorCode,
  type Resource,
  ResourceNotFoundError,
  type ResourceTemplateType,
  Server,
  type Tool,
} from '@modelcontextprotocol/server';
import { hiddenTexts } from '../../../domain/hidden-texts.ts';
import { RECORD_ID } from '../../../domain/identifiers.ts';
import { MCP } from '../../../domain/limits.ts';
import type { CalledReply, EndpointCall } from '../kit/call-endpoint.ts';
import type { Parameter, Schema } from '../openapi/reference.ts';
import { requestOf, resultOf, type SentArguments, type ToolPlan } from './tools.ts';

const PLANS: readonly PromptPlan[] = [
  {
    name: 'state_decision',
    title: 'State a decision',
    description: 'Turns an analysis into a decision that is graded later.',
    arguments: [
      { name: 'instrument', description: 'Such as MSFT or BTC.', required: true },
      { name: 'analysis', description: 'The analysis so far; without it, the one of the conversation.' },
    ],
    text: ({ instrument = '', analysis }) => `Record a decision on ${instrument} with Stancebook.

1. find_instrument with the symbol: choose venue, asset_class and quote_currency.
2. query_cohort with the same market, symbol and direction: raw counts of earlier decisions, not advice.
3. Choose direction, horizon_kind and horizon_value; data_cutoff is the time of the newest data that the analysis used.
   Give up to 10 key_factors in your own words.
4. submit_decision with validate_only true. Correct every fault that error.details names.
5. Show the decision to the user. When they agree, submit_decision with an idempotency_key and report record_id and
   expected_evaluation_at.${analysis ? `\n\nThe analysis:\n\n${analysis}` : ''}`,
  },
  {
    name: 'review_outcomes',
    title: 'Review my outcomes',
    description: 'Reads the latest graded decisions of this agent and what can be learned from them.',
    arguments: [{ name: 'symbol', description: 'Only decisions on this symbol.' }],
    text: ({ symbol }) => `Review how my earlier decisions${symbol ? ` on ${symbol}` : ''} were graded by Stancebook.

1. list_decisions with lifecycle_state evaluated${symbol ? ' and the symbol with its market' : ''}; follow next_cursor if needed.
2. For the ones that matter, get_decision: compare the key factors with the path of the price.
3. Report counts per result_bucket, not a rate or a score. Name what differs between the buckets, say how few the
   decisions are, and do not draw a rule from fewer than ten.`,
  },
];

/** The prompts as clients list them. */
const PROMPTS: Prompt[] = PLANS.map(({ text: _, ...listed }) => listed);

const GUIDE_URI = 'stancebook://guide';

const RESOURCES: Resource[] = [
  {
    uri: GUIDE_URI,
    name: 'guide',
    title: 'Guide for agents',
    description: 'How to state a decision, read how it was graded, and query cohorts; limits and errors.',
    mimeType: 'text/markdown',
  },
];

const RESOURCE_TEMPLATES: ResourceTemplateType[] = [
  {
    uriTemplate: 'stancebook://decisions/{record_id}',
    name: 'decision',
    title: 'A decision',
    description: 'The record as get_decision returns it. A read takes a unit of the read pool.',
    mimeType: 'application/json',
  },
  {
    uriTemplate: 'stancebook://tools/{name}',
    name: 'tool',
    title: 'A tool in full',
    description:
      'Every argument with its limits, and every member of the reply: the lists of tools have them in short.',
    mimeType: 'application/json',
  },
  {
    uriTemplate: 'stancebook://workflows/{hash}',
    name: 'workflow',
    title: 'A published workflow',
    description: 'The snapshot of a workflow by its hash.',
    mimeType: 'application/json',
  },
];

/** What every message is answered from. */
export interface ServerParts {
  readonly version: string;
  readonly tools: ReadonlyMap<string, ServedTool>;
  guide(origin: string): string;
}

export interface ServedTool {
  readonly plan: ToolPlan;
  /** With its schemas in short. */
  readonly listed: Tool;
  /** With all that its endpoint accepts and returns, without references. */
  readonly whole: Tool;
  readonly parameters: readonly Parameter[];
}

/** One message: its arguments as they were sent, and the way to the endpoints. */
export interface Message {
  /** Of this service, without a closing slash. */
  readonly origin: string;
  /** `params.arguments`; `{}` without any. */
  sentArguments(): SentArguments;
  call(endpoint: string, request: EndpointCall): Promise<CalledReply>;
  /** Notes a fault of ours, which the client does not see. */
  failed(fault: unknown): void;
}

const INSTRUCTIONS = `State a trading decision before its outcome is known; it is graded later against market prices. Counts of earlier
decisions are facts, not advice. Send objects and lists as JSON, not as text, and leave out what you do not know: an argument that is
null or "" counts as not sent. A refused call has isError and an envelope: do what error.suggestion says, and wait
error.retry_after_seconds if it is not null. The tools are listed in short: stancebook://tools/{name} has every argument with its
limits and every member of the reply. Read stancebook://guide for the whole loop.`;

const LISTS = { ttlMs: MCP.listsFresh, cacheScope: 'public' } as const;

/** The server of one message. Each HTTP request has its own: nothing is shared between callers. */
export function mcpServer({ version, tools, guide }: ServerParts, message: Message): Server {
  const server = new Server(
    { name: 'stancebook', title: 'Stancebook', version },
    {
      capabilities: { tools: {}, resources: {}, prompts: {} },
      instructions: INSTRUCTIONS.replaceAll('\n', ' '),
      cacheHints: {
        'tools/list': LISTS,
        'prompts/list': LISTS,
        'resources/list': LISTS,
        'resources/templates/list': LISTS,
        'server/discover': LISTS,
      },
    },
  );
  server.setRequestHandler('tools/list', () => ({ tools: [...tools.values()].map(({ listed }) => listed) }));
  server.setRequestHandler('tools/call', ({ params: { name } }) =>
    shielded(message, async () => {
      const tool = tools.get(name);
      if (!tool) throw invalid(`There is no tool ${name.slice(0, 100)}.`);
      const request = requestOf(tool.plan, tool.whole.inputSchema as Schema, tool.parameters, message.sentArguments());
      return resultOf(tool.plan, await message.call(tool.plan.endpoint, request));
    }),
  );
  server.setRequestHandler('resources/list', () => ({ resources: RESOURCES }));
  server.setRequestHandler('resources/templates/list', () => ({ resourceTemplates: RESOURCE_TEMPLATES }));
  server.setRequestHandler('resources/read', ({ params: { uri } }) =>
    shielded(message, async () => {
      if (uri === GUIDE_URI) return { contents: [{ uri, mimeType: 'text/markdown', text: guide(message.origin) }] };
      const tool = tools.get(/^stancebook:\/\/tools\/(\w+)$/.exec(uri)?.[1] ?? '');
      if (tool) return { contents: [{ uri, mimeType: 'application/json', text: JSON.stringify(tool.whole) }] };
      const wanted = resourceRequest(uri);
      if (!wanted) throw new ResourceNotFoundError(uri.slice(0, 200));
      const { status, body } = await message.call(wanted.endpoint, wanted.call);
      if (status === 404) throw new ResourceNotFoundError(uri);
      if (status >= 400) throw refused(String(body));
      return { contents: [{ uri, mimeType: 'application/json', text: String(body) }] };
    }),
  );
  server.setRequestHandler('prompts/list', () => ({ prompts: PROMPTS }));
  server.setRequestHandler('prompts/get', ({ params: { name, arguments: sent = {} } }) => {
    const [hidden] = hiddenTexts(sent);
    if (hidden) throw invalid(`The argument ${hidden.path} ${hidden.message}.`);
    const prompt = filledPrompt(name, sent);
    if (prompt === null) throw invalid(`There is no prompt ${name.slice(0, 100)}.`);
    if ('missing' in prompt) throw invalid(`The argument ${prompt.missing} is missing.`);
    return prompt;
  });
  return server;
}

/** The library would show the message of any error to the client. */
async function shielded<T>({ failed }: Message, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof ProtocolError) throw error;
    failed(error);
    throw new ProtocolError(ProtocolErrorCode.InternalError, 'Something went wrong on our side.');
  }
}

function invalid(message: string): ProtocolError {
  return new ProtocolError(ProtocolErrorCode.InvalidParams, message);
}

/** A refusal of the contract as an error of the protocol, with the envelope in `data`. */
function refused(body: string): ProtocolError {
  const { error } = JSON.parse(body) as { readonly error: { readonly message: string } };
  return new ProtocolError(SERVER_ERROR, error.message, { error });
}

/** Of the range that JSON-RPC leaves to implementations. */
const SERVER_ERROR = -32_000;

/** The endpoint whose reply a resource is; null for other addresses. */
function resourceRequest(uri: string): { readonly endpoint: string; readonly call: EndpointCall } | null {
  const [, kind, name = ''] = /^stancebook:\/\/(decisions|workflows)\/([\w-]+)$/.exec(uri) ?? [];
  if (kind === 'decisions' && RECORD_ID.test(name))
    return { endpoint: 'readDecision', call: { params: { record_id: name } } };
  if (kind === 'workflows' && /^[0-9a-f]{64}$/.test(name))
    return { endpoint: 'readSnapshot', call: { params: { hash: name } } };
  return null;
}

interface PromptPlan extends Prompt {
  text(sent: Readonly<Record<string, string>>): string;
}

/** A prompt with its arguments filled in. @returns null for an unknown name, or the argument that is missing */
function filledPrompt(
  name: string,
  sent: Readonly<Record<string, string>>,
): GetPromptResult | { readonly missing: string } | null {
  const plan = PLANS.find((each) => each.name === name);
  if (!plan) return null;
  const missing = plan.arguments?.find((argument) => argument.required && !sent[argument.name]);
  if (missing) return { missing: missing.name };
  const message = { role: 'user' as const, content: { type: 'text' as const, text: plan.text(sent) } };
  return { description: plan.description ?? plan.name, messages: [message] };
}
