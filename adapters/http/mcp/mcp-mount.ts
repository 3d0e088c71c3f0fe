import type { McpServer, Server } from '@modelcontextprotocol/server';
import type { Request as HttpRequest, Request } from 'express';
import { replyJson } from '../../../application/json-text.ts';
import { MCP } from '../../../domain/limits.ts';
import { PROBLEMS, Problem, type ProblemCode, type ProblemDetail } from '../../../domain/problem.ts';
import { shown, shownJson } from '../../../domain/shown-text.ts';
import { endpointCaller } from '../kit/call-endpoint.ts';
import { ownOrigin, presentedCredential } from '../kit/caller/credentials.ts';
import { admitUnspent } from '../kit/caller/request-admission.ts';
import type { Endpoint } from '../kit/endpoint.ts';
import { type Content, type HttpExchange, HttpRefusal, type Services } from '../kit/exchange.ts';
import { typeName } from '../kit/input/input-messages.ts';
import { memberText, parseJson } from '../kit/input/json-text.ts';
import { ClientGone, readBody, requireType } from '../kit/input/read-body.ts';
import { CHALLENGE } from '../kit/reply/headers.ts';
import { type Mount, methodNotAllowed } from '../kit/unmatched.ts';
import { openApiDocument } from '../openapi/openapi-document.ts';
import { inlinedDocument } from '../openapi/reference.ts';
import type { Message, ServerParts } from './mcp-server.ts';
import { MCP_PATH, METADATA_PATH } from './resource-metadata.ts';
import { listedTool, operationOf, wholeTool } from './tool-schemas.ts';
import { type SentArguments, TOOLS } from './tools.ts';

const PARSE_ERROR = -32_700;

const INVALID_REQUEST = -32_600;

const METHOD_NOT_FOUND = -32_601;

const INVALID_PARAMS = -32_602;

const FAILED = 'A message of the Model Context Protocol failed';

/** Any address: the protocol reads only method, headers and body of a request. */
const ADDRESS = 'http://localhost/mcp';

const LOOPBACK: readonly string[] = ['localhost', '127.0.0.1', '[::1]'];

export interface McpParts extends DoorRules {
  readonly endpoints: readonly Endpoint[];
  readonly version: string;
  /** The guide for agents, as Markdown. @param origin of this service, without a closing slash */
  guide(origin: string): string;
  /** The issuer of bearers; null where no identity provider is set up. */
  readonly issuer: string | null;
}

/** Keys and bearers: a cookie would let a page of this service speak for its reader. */
const GUARD = { auth: ['api_key', 'owner_bearer'] } as const;

/** Messages that the endpoint counts which they call; each of the others counts as one request before it is answered. */
const COUNTED_BY_ENDPOINTS: readonly unknown[] = ['tools/call', 'resources/read'];

/**
 * The Model Context Protocol at /mcp, stateless: each POST carries one message and gets one whole reply. A tool calls the
 * endpoint itself, so that there is one admission, one count and one judgement, whichever way a request comes.
 * @param loadServer resolves with what makes the server of one message; by default that of our tools
 */
export function mcpMount(parts: McpParts, loadServer: LoadServer = ownServer(parts)): Mount {
  return {
    path: MCP_PATH,
    answering(services) {
      const callers = new Map(parts.endpoints.map((each) => [each.id, endpointCaller(each, services)]));
      return async (exchange) => {
        try {
          const refusal = doorRefusal(exchange.request, parts);
          if (refusal) throw refusal;
          await refuseOtherMethods(exchange, services);
          const calls: EndpointCalls = { callers, refusal: null };
          const content = await answered(exchange, services, loadServer, calls);
          exchange.send(content, undefined, calls.refusal?.code);
        } catch (error) {
          const metadataUrl = `${ownOrigin(exchange.request, services.credentials)}${METADATA_PATH}`;
          exchange.refuse(parts.issuer === null ? error : challenged(error, metadataUrl));
        }
      };
    },
  };
}

/** Clients try GET and DELETE first: without a valid credential they must learn that, and not that the method is wrong. */
async function refuseOtherMethods(exchange: HttpExchange, services: Services): Promise<void> {
  const { method } = exchange.request;
  if (method === 'POST') return;
  await admitUnspent(exchange, services, GUARD);
  throw methodNotAllowed(method, 'OPTIONS, POST');
}

/**
 * Every message is counted once: by the endpoint that it calls, or here.
 * @throws Problem for a caller who is not admitted; a faulty message of such a caller is not judged
 */
async function answered(
  exchange: HttpExchange,
  services: Services,
  loadServer: LoadServer,
  calls: EndpointCalls,
): Promise<Content> {
  let outcome: () => Content;
  try {
    const content = await replyTo(exchange, services, loadServer, calls);
    outcome = () => content;
  } catch (error) {
    outcome = () => {
      throw error;
    };
  }
  if (exchange.admission === null) await admitUnspent(exchange, services, GUARD);
  return outcome();
}

async function replyTo(
  exchange: HttpExchange,
  services: Services,
  loadServer: LoadServer,
  calls: EndpointCalls,
): Promise<Content> {
  const message: McpMessage | Content = await readMessage(exchange.request);
  if ('status' in message) return message;
  const credential = presentedCredential(exchange.request, services.credentials);
  const mayCall = credential !== null && GUARD.auth.some((kind) => kind === credential.kind);
  if (!mayCall || !COUNTED_BY_ENDPOINTS.includes(message.method)) await admitUnspent(exchange, services, GUARD);
  return protocolReply(exchange, services, loadServer, message, calls);
}

/** The library is loaded, and the schemas of the tools are made, for the first message. */
function ownServer(parts: McpParts): LoadServer {
  let made: ServerParts | undefined;
  return async () => {
    const { mcpServer } = await import('./mcp-server.ts');
    made ??= serverParts(parts);
    const own = made;
    return (message) => mcpServer(own, message);
  };
}

function serverParts({ endpoints, version, guide }: McpParts): ServerParts {
  const document = inlinedDocument(openApiDocument(endpoints, version));
  const tools = TOOLS.map((plan) => {
    const operation = operationOf(document, plan.endpoint);
    const whole = wholeTool(plan, operation);
    return [plan.name, { plan, whole, listed: listedTool(plan, whole), parameters: operation.parameters }] as const;
  });
  return { version, tools: new Map(tools), guide };
}

/** A 401 names the metadata, by which a client finds the authorization server (RFC 9728, section 5.1). */
function challenged(error: unknown, metadataUrl: string): unknown {
  if (!(error instanceof Problem) || error.status !== 401) return error;
  const { code, message, suggestion } = error;
  const refusal = new HttpRefusal(code, message, { suggestion });
  refusal.headers = { 'www-authenticate': `${CHALLENGE}, resource_metadata="${metadataUrl}"` };
  return refusal;
}

interface DoorRules {
  /** The origin of PUBLIC_URL; null: only this machine's own names are served. */
  readonly publicOrigin: string | null;
  /** Host names in addition to that of PUBLIC_URL. */
  readonly allowedHosts: readonly string[];
  /** Origins whose pages may read replies. */
  readonly corsOrigins: readonly string[];
}

/**
 * The refusal of a request that a page of another site may have sent, by a name that was made to lead here (DNS
 * rebinding) or from its own origin: the specification of the protocol requires both checks.
 */
function doorRefusal({ headers, socket }: Request, rules: DoorRules): Problem | undefined {
  const { publicOrigin, allowedHosts, corsOrigins } = rules;
  const own = publicOrigin === null ? [...LOOPBACK, addressOf(socket.localAddress)] : [new URL(publicOrigin).hostname];
  const host = (headers.host ?? '').replace(/:\d*$/, '').toLowerCase();
  if (![...own, ...allowedHosts].includes(host)) {
    return new Problem(
      'MISDIRECTED_REQUEST',
      `The host ${host.slice(0, 100) || '(none)'} is not served at this path.`,
      {
        suggestion: 'Send requests to the host of PUBLIC_URL; without one, to localhost.',
      },
    );
  }
  const { origin } = headers;
  if (origin === undefined || corsOrigins.includes(origin)) return undefined;
  const isOwn = publicOrigin === null ? own.includes(hostOf(origin)) : origin === publicOrigin;
  if (isOwn) return undefined;
  return new Problem('FORBIDDEN', `Pages of ${origin.slice(0, 100)} may not send requests to this path.`, {
    suggestion: 'Send requests from a program, or let the operator add the origin to CORS_ORIGINS.',
  });
}

function hostOf(origin: string): string {
  return URL.parse(origin)?.hostname ?? '';
}

function addressOf(address = ''): string {
  const bare = address.replace(/^::ffff:(?=\d+\.)/, '');
  return bare.includes(':') ? `[${bare}]` : bare;
}

/** The endpoints that a message may call, and how the last call was refused. */
interface EndpointCalls {
  readonly callers: ReadonlyMap<string, ReturnType<typeof endpointCaller>>;
  refusal: Problem | null;
}

/** Makes the server of one message. `legacy`: of a revision that begins with `initialize`. */
type ServerOf = (message: Message, era: 'legacy' | 'modern') => McpServer | Server;

type LoadServer = () => Promise<ServerOf>;

/**
 * The reply of the protocol to one message. A subscription is refused: nothing of this server changes while it runs, and
 * outcomes are read by get_decision_state.
 * @throws Problem UNAUTHORIZED for a credential that the called endpoint finds invalid: clients expect the status 401
 */
async function protocolReply(
  exchange: HttpExchange,
  { log, credentials }: Services,
  loadServer: LoadServer,
  sent: McpMessage,
  calls: EndpointCalls,
): Promise<Content> {
  const { text, method, id } = sent;
  if (method === 'subscriptions/listen') return rpcError(404, METHOD_NOT_FOUND, 'Nothing to subscribe to.', id);
  const sentArguments = sentArgumentsOf(sent);
  const judged = typeof sentArguments === 'string' ? sentArguments : judgedMessage(sent, sentArguments);
  if (typeof sentArguments === 'string' || typeof judged === 'string') {
    return rpcError(200, INVALID_PARAMS, String(judged), id);
  }
  const faults: Error[] = [];
  const message = {
    origin: ownOrigin(exchange.request, credentials),
    sentArguments: () => sentArguments,
    async call(endpoint: string, request: Parameters<ReturnType<typeof endpointCaller>>[1]) {
      const caller = calls.callers.get(endpoint);
      if (!caller) throw new Error(`There is no endpoint ${endpoint}.`);
      const reply = await caller(exchange, request);
      calls.refusal = reply.status >= 400 ? problemIn(String(reply.body)) : null;
      return reply;
    },
    failed: (fault: unknown) => {
      if (!(fault instanceof ClientGone)) log.error(FAILED, { request_id: exchange.requestId, error: fault });
    },
  };
  const [serverOf, { createMcpHandler }] = await Promise.all([loadServer(), import('@modelcontextprotocol/server')]);
  const handler = createMcpHandler(({ era }) => serverOf(message, era), { onerror: (error) => faults.push(error) });
  const request = new Request(ADDRESS, { method: 'POST', headers: protocolHeaders(exchange.request), body: text });
  const response = await handler.fetch(request, { parsedBody: judged });
  const body = await response.text();
  if (calls.refusal?.status === 401) throw calls.refusal;
  if (response.status >= 500) {
    for (const error of faults) log.error(FAILED, { request_id: exchange.requestId, error });
  }
  const type = response.headers.get('content-type') ?? undefined;
  // The library writes the structured content of a result anew.
  return acceptedForm(
    { status: response.status, type, ...(body !== '' && { body: shownJson(body) }) },
    exchange.request,
  );
}

const JSON_TYPE = 'application/json';

const EVENTS_TYPE = 'text/event-stream';

interface TextContent extends Content {
  readonly body?: string;
}

/**
 * A reply in the form that the client accepts: an event to clients that name nothing but events, JSON to all others, whatever
 * the revision. A stream of several messages stays one.
 */
function acceptedForm(content: TextContent, { headers: { accept = '' } }: HttpRequest): Content {
  const { status, type = '', body = '' } = content;
  const wantsEvents = accept.split(',').every((each) => each.split(';')[0]?.trim().toLowerCase() === EVENTS_TYPE);
  if (wantsEvents && status === 200 && type.startsWith(JSON_TYPE)) {
    return { status, type: EVENTS_TYPE, body: `event: message\ndata: ${body}\n\n` };
  }
  const messages = type.startsWith(EVENTS_TYPE) ? [...body.matchAll(/^data: (.+)$/gm)] : [];
  const json = messages.length === 1 && !wantsEvents ? messages[0]?.[1] : undefined;
  if (json === undefined) return content;
  return { status, type: JSON_TYPE, body: json };
}

const WITH_ARGUMENTS: readonly unknown[] = ['tools/call', 'prompts/get'];

/** The arguments of a message: null and "" count as not sent, and a text as its JSON. @returns what is wrong, as a text */
function sentArgumentsOf({ text, parsed, method }: McpMessage): SentArguments | string {
  const { params } = parsed as { readonly params?: { readonly arguments?: unknown } };
  const sent = WITH_ARGUMENTS.includes(method) ? params?.arguments : undefined;
  if (sent === undefined || sent === null || sent === '') return { text: '{}', isOfText: false };
  if (typeof sent === 'string' && /^\s*\{/.test(sent)) {
    try {
      parseJson(sent, ENCLOSING_OF_BODY);
      return { text: sent, isOfText: true };
    } catch (error) {
      if (!(error instanceof Problem)) throw error;
      const [first] = error.details ?? [];
      return first ? `arguments.${first.path} ${first.message}.` : error.message.replace('The body', 'arguments');
    }
  }
  if (typeof sent !== 'object' || Array.isArray(sent)) return `arguments must be an object, not ${typeName(sent)}.`;
  return { text: memberText(memberText(text, 'params') ?? '{}', 'arguments') ?? '{}', isOfText: false };
}

/** Levels of JSON around a decision in the arguments of a call. */
const ENCLOSING_OF_BODY = 1;

/**
 * The message with its arguments as they are read. For a prompt without those that are null, or what is wrong with another
 * one: the library reports that as a fault of ours.
 */
function judgedMessage({ parsed, method }: McpMessage, { text }: SentArguments): object | string {
  const { params } = parsed as { readonly params?: unknown };
  if (!WITH_ARGUMENTS.includes(method) || typeof params !== 'object' || params === null) return parsed;
  const sent = JSON.parse(text) as object;
  if (method === 'tools/call') return { ...parsed, params: { ...params, arguments: sent } };
  const texts = Object.entries(sent).filter(([, value]) => value !== null);
  const other = texts.find(([, value]) => typeof value !== 'string');
  if (other) return `The argument ${shown(other[0].slice(0, 100))} must be a string, not ${typeName(other[1])}.`;
  return { ...parsed, params: { ...params, arguments: Object.fromEntries(texts) } };
}

/** The headers that the protocol defines. The library would refuse clients that do not accept both forms. */
function protocolHeaders({ headers }: HttpRequest): Headers {
  const own = new Headers({ 'content-type': JSON_TYPE, accept: `${JSON_TYPE}, ${EVENTS_TYPE}` });
  for (const [name, value] of Object.entries(headers)) {
    if (typeof value === 'string' && /^mcp-[\w-]+$/.test(name)) own.set(name, value);
  }
  return own;
}

/** The refusal that an envelope describes. */
function problemIn(envelope: string): Problem {
  const { error } = JSON.parse(envelope) as {
    readonly error: { code: ProblemCode; message: string; suggestion: string };
  };
  const { code, message, suggestion } = error;
  const problem: Problem = new Problem(code in PROBLEMS ? code : 'INTERNAL_ERROR', message, { suggestion });
  return problem;
}

/** One message of JSON-RPC 2.0, as far as it is judged here. */
interface McpMessage {
  readonly text: string;
  readonly parsed: object;
  readonly method: unknown;
  /** null where the message has none. */
  readonly id: string | number | null;
}

/**
 * The message of a request, or the error that JSON-RPC has for what is none. A list of messages is none: each message
 * is counted by itself.
 * @throws Problem UNSUPPORTED_MEDIA_TYPE, PAYLOAD_TOO_LARGE; MALFORMED_BODY for bytes that are not UTF-8
 */
async function readMessage(request: Request): Promise<McpMessage | Content> {
  requireType(request.headers['content-type'], 'application/json');
  const text = await readBody(request, MCP.messageBytes);
  let parsed: unknown;
  try {
    parsed = parseJson(text, MCP.enclosingLevels);
  } catch (error) {
    if (error instanceof Problem) return rpcError(400, PARSE_ERROR, error.message, null, error.details);
    throw error;
  }
  if (typeof parsed !== 'object' || parsed === null || Array.isArray(parsed)) {
    return rpcError(400, INVALID_REQUEST, 'Send one message of JSON-RPC 2.0 in each request, not a list.');
  }
  const { method, id } = parsed as { readonly method?: unknown; readonly id?: unknown };
  return { text, parsed, method, id: typeof id === 'string' || typeof id === 'number' ? id : null };
}

/** An error of JSON-RPC as a whole reply. @param details the places of the faults, where there are such */
function rpcError(
  status: number,
  code: number,
  message: string,
  id: McpMessage['id'] = null,
  details?: readonly ProblemDetail[],
): Content {
  const body = replyJson({ jsonrpc: '2.0', id, error: { code, message, ...(details && { data: { details } }) } });
  return { status, type: 'application/json; charset=utf-8', body };
}
