import { createMcpHandler, type McpServer, type Server } from '@modelcontextprotocol/server';
import type { Request as HttpRequest } from 'express';
import { PROBLEMS, Problem, type ProblemCode } from '../../../domain/problem.ts';
import { shownJson } from '../../../domain/shown-text.ts';
import type { endpointCaller } from '../kit/call-endpoint.ts';
import { ownOrigin } from '../kit/caller/origin.ts';
import type { Content, HttpExchange, Services } from '../kit/exchange.ts';
import { memberText } from '../kit/input/member-text.ts';
import { ClientGone } from '../kit/input/raw-body.ts';
import type { Message } from './mcp-server.ts';
import { type McpMessage, METHOD_NOT_FOUND, rpcError } from './message.ts';

/** The endpoints that a message may call, and how the last call was refused. */
export interface EndpointCalls {
  readonly callers: ReadonlyMap<string, ReturnType<typeof endpointCaller>>;
  refusal: Problem | null;
}

/** Makes the server of one message. `legacy`: of a revision that begins with `initialize`. */
export type ServerOf = (message: Message, era: 'legacy' | 'modern') => McpServer | Server;

const FAILED = 'A message of the Model Context Protocol failed';

/** Any address: the protocol reads only method, headers and body of a request. */
const ADDRESS = 'http://localhost/mcp';

/**
 * The reply of the protocol to one message. A subscription is refused: nothing of this server changes while it runs, and
 * outcomes are read by get_decision_state.
 * @throws Problem UNAUTHORIZED for a credential that the called endpoint finds invalid: clients expect the status 401
 */
export async function protocolReply(
  exchange: HttpExchange,
  { log, credentials }: Services,
  serverOf: ServerOf,
  { text, parsed, method, id }: McpMessage,
  calls: EndpointCalls,
): Promise<Content> {
  if (method === 'subscriptions/listen') return rpcError(404, METHOD_NOT_FOUND, 'Nothing to subscribe to.', id);
  const faults: Error[] = [];
  const message = {
    origin: ownOrigin(exchange.request, credentials),
    argumentsText: () => memberText(memberText(text, 'params') ?? '{}', 'arguments') ?? '{}',
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
  const handler = createMcpHandler(({ era }) => serverOf(message, era), { onerror: (error) => faults.push(error) });
  const request = new Request(ADDRESS, { method: 'POST', headers: protocolHeaders(exchange.request), body: text });
  const response = await handler.fetch(request, { parsedBody: parsed });
  const body = await response.text();
  if (calls.refusal?.status === 401) throw calls.refusal;
  if (response.status >= 500) {
    for (const error of faults) log.error(FAILED, { request_id: exchange.requestId, error });
  }
  const type = response.headers.get('content-type') ?? undefined;
  // The library writes the structured content of a result anew.
  return { status: response.status, type, ...(body !== '' && { body: shownJson(body) }) };
}

/** The headers that the protocol defines. */
function protocolHeaders({ headers }: HttpRequest): Headers {
  const own = new Headers({ 'content-type': 'application/json' });
  for (const [name, value] of Object.entries(headers)) {
    if (typeof value === 'string' && /^(accept|mcp-[\w-]+)$/.test(name)) own.set(name, value);
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
