import { Problem } from '../../../domain/problem.ts';
import { endpointCaller } from '../kit/call-endpoint.ts';
import { presentedCredential } from '../kit/caller/credentials.ts';
import { ownOrigin } from '../kit/caller/origin.ts';
import { admitUnspent } from '../kit/caller/request-admission.ts';
import type { Endpoint } from '../kit/endpoint.ts';
import { type Content, type HttpExchange, HttpRefusal, type Services } from '../kit/exchange.ts';
import { CHALLENGE } from '../kit/reply/envelope.ts';
import type { Mount } from '../kit/served-page.ts';
import { inlinedDocument } from '../openapi/inlined-document.ts';
import { openApiDocument } from '../openapi/openapi-document.ts';
import { type DoorRules, doorRefusal } from './door-checks.ts';
import { mcpServer, type ServerParts } from './mcp-server.ts';
import { type McpMessage, readMessage } from './message.ts';
import { type EndpointCalls, protocolReply, type ServerOf } from './protocol-reply.ts';
import { MCP_PATH, METADATA_PATH } from './resource-metadata.ts';
import { listedTool, operationOf } from './tool-schemas.ts';
import { TOOLS } from './tools.ts';

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
 * @param serverOf makes the server of one message; by default that of our tools
 */
export function mcpMount(parts: McpParts, serverOf: ServerOf = ownServer(parts)): Mount {
  return {
    path: MCP_PATH,
    answering(services) {
      const callers = new Map(parts.endpoints.map((each) => [each.id, endpointCaller(each, services)]));
      return async (exchange) => {
        try {
          const refusal = doorRefusal(exchange.request, parts);
          if (refusal) throw refusal;
          const calls: EndpointCalls = { callers, refusal: null };
          const content = await answered(exchange, services, serverOf, calls);
          exchange.send(content, undefined, calls.refusal?.code);
        } catch (error) {
          const metadataUrl = `${ownOrigin(exchange.request, services.credentials)}${METADATA_PATH}`;
          exchange.refuse(parts.issuer === null ? error : challenged(error, metadataUrl));
        }
      };
    },
  };
}

/**
 * Every message is counted once: by the endpoint that it calls, or here.
 * @throws Problem for a caller who is not admitted; a faulty message of such a caller is not judged
 */
async function answered(
  exchange: HttpExchange,
  services: Services,
  serverOf: ServerOf,
  calls: EndpointCalls,
): Promise<Content> {
  let outcome: () => Content;
  try {
    const content = await replyTo(exchange, services, serverOf, calls);
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
  serverOf: ServerOf,
  calls: EndpointCalls,
): Promise<Content> {
  const message: McpMessage | Content = await readMessage(exchange.request);
  if ('status' in message) return message;
  const credential = presentedCredential(exchange.request, services.credentials);
  const mayCall = credential !== null && GUARD.auth.some((kind) => kind === credential.kind);
  if (!mayCall || !COUNTED_BY_ENDPOINTS.includes(message.method)) await admitUnspent(exchange, services, GUARD);
  return protocolReply(exchange, services, serverOf, message, calls);
}

/** The schemas of the tools are made for the first message. */
function ownServer(parts: McpParts): ServerOf {
  let made: ServerParts | undefined;
  return (message) => {
    made ??= serverParts(parts);
    return mcpServer(made, message);
  };
}

function serverParts({ endpoints, version, guide }: McpParts): ServerParts {
  const document = inlinedDocument(openApiDocument(endpoints, version));
  const tools = TOOLS.map((plan) => {
    const operation = operationOf(document, plan.endpoint);
    return [plan.name, { plan, listed: listedTool(plan, operation), parameters: operation.parameters }] as const;
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
