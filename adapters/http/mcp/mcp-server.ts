import {
  ProtocolError,
  ProtocolErrorCode,
  ResourceNotFoundError,
  Server,
  type Tool,
} from '@modelcontextprotocol/server';
import { hiddenTexts } from '../../../domain/hidden-texts.ts';
import { MCP } from '../../../domain/limits.ts';
import type { CalledReply, EndpointCall } from '../kit/call-endpoint.ts';
import type { Parameter } from '../openapi/reference.ts';
import { filledPrompt, PROMPTS } from './prompts.ts';
import { GUIDE_URI, RESOURCE_TEMPLATES, RESOURCES, resourceRequest } from './resources.ts';
import { requestOf, resultOf } from './tool-call.ts';
import type { ToolPlan } from './tools.ts';

/** What every message is answered from. */
export interface ServerParts {
  readonly version: string;
  readonly tools: ReadonlyMap<string, ServedTool>;
  guide(origin: string): string;
}

export interface ServedTool {
  readonly plan: ToolPlan;
  readonly listed: Tool;
  readonly parameters: readonly Parameter[];
}

/** One message: its arguments as they were sent, and the way to the endpoints. */
export interface Message {
  /** Of this service, without a closing slash. */
  readonly origin: string;
  /** The text of `params.arguments`; `{}` without any. */
  argumentsText(): string;
  call(endpoint: string, request: EndpointCall): Promise<CalledReply>;
  /** Notes a fault of ours, which the client does not see. */
  failed(fault: unknown): void;
}

const INSTRUCTIONS = `State a trading decision before its outcome is known; it is graded later against market prices. Counts of earlier
decisions are facts, not advice. A refused call has isError and an envelope: do what error.suggestion says, and wait
error.retry_after_seconds if it is not null. An argument that is null counts as not sent. Read stancebook://guide for the whole loop.`;

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
  server.setRequestHandler('tools/call', ({ params: { name, arguments: sent = {} } }) =>
    shielded(message, async () => {
      const tool = tools.get(name);
      if (!tool) throw invalid(`There is no tool ${name.slice(0, 100)}.`);
      const request = requestOf(tool.plan, tool.listed, tool.parameters, sent, message.argumentsText());
      return resultOf(tool.plan, await message.call(tool.plan.endpoint, request));
    }),
  );
  server.setRequestHandler('resources/list', () => ({ resources: RESOURCES }));
  server.setRequestHandler('resources/templates/list', () => ({ resourceTemplates: RESOURCE_TEMPLATES }));
  server.setRequestHandler('resources/read', ({ params: { uri } }) =>
    shielded(message, async () => {
      if (uri === GUIDE_URI) return { contents: [{ uri, mimeType: 'text/markdown', text: guide(message.origin) }] };
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
