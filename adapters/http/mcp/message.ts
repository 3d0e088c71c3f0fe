import type { Request } from 'express';
import { replyJson } from '../../../application/json-text.ts';
import { MCP } from '../../../domain/limits.ts';
import { Problem, type ProblemDetail } from '../../../domain/problem.ts';
import type { Content } from '../kit/exchange.ts';
import { requireType } from '../kit/input/content-type.ts';
import { parseJson } from '../kit/input/json-text.ts';
import { readBody } from '../kit/input/raw-body.ts';

/** One message of JSON-RPC 2.0, as far as it is judged here. */
export interface McpMessage {
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
export async function readMessage(request: Request): Promise<McpMessage | Content> {
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

const PARSE_ERROR = -32_700;
const INVALID_REQUEST = -32_600;
export const METHOD_NOT_FOUND = -32_601;

/** An error of JSON-RPC as a whole reply. @param details the places of the faults, where there are such */
export function rpcError(
  status: number,
  code: number,
  message: string,
  id: McpMessage['id'] = null,
  details?: readonly ProblemDetail[],
): Content {
  const body = replyJson({ jsonrpc: '2.0', id, error: { code, message, ...(details && { data: { details } }) } });
  return { status, type: 'application/json; charset=utf-8', body };
}
