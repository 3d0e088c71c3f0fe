import type { CallToolResult } from '@modelcontextprotocol/server';
import type { CalledReply, EndpointCall } from '../kit/call-endpoint.ts';
import { memberText } from '../kit/input/member-text.ts';
import type { Parameter } from '../openapi/reference.ts';
import { skillFiles } from './skill-files.ts';
import type { ToolPlan } from './tools.ts';

/**
 * The request that a call of a tool stands for. An argument that the endpoint does not name is sent as a query
 * parameter, so that the endpoint refuses it.
 * @param text the arguments as they were sent: a body keeps its spelling
 */
export function requestOf(
  { body, fixed = {}, defaults = {}, headers: headerNames = {} }: ToolPlan,
  parameters: readonly Parameter[],
  sent: Readonly<Record<string, unknown>>,
  text: string,
): EndpointCall {
  if (body === '*') return { body: text };
  const inPath = new Set(parameters.filter((each) => each.in === 'path').map(({ name }) => name));
  const headerOf = new Map(Object.entries(headerNames).map(([header, argument]) => [argument, header]));
  const params = Object.fromEntries([...inPath].map((name) => [name, textOf(sent[name] ?? '')]));
  const headers: Record<string, string> = {};
  const query: Record<string, string> = { ...defaults };
  for (const [name, value] of Object.entries(sent)) {
    const header = headerOf.get(name);
    if (header !== undefined) headers[header] = textOf(value);
    else if (name !== body && !inPath.has(name)) query[name] = textOf(value);
  }
  const member = body === undefined ? undefined : (memberText(text, body) ?? 'null');
  return { params, headers, query: { ...query, ...fixed }, ...(member !== undefined && { body: member }) };
}

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
