import type { Tool } from '@modelcontextprotocol/server';
import type { Operation, Reference, Schema } from '../openapi/reference.ts';
import type { ToolPlan } from './tools.ts';

/** The schemas of tools come from the inlined OpenAPI document, and so from the shapes of the endpoints. */

/** The operation of an endpoint. @throws Error when the document has none */
export function operationOf({ paths }: Reference, id: string): Operation {
  const operations = Object.values(paths).flatMap((methods) => Object.values(methods));
  const operation = operations.find(({ operationId }) => operationId === id);
  if (!operation) throw new Error(`The tools need the endpoint ${id}.`);
  return operation;
}

/** The tool as clients list it. */
export function listedTool(plan: ToolPlan, operation: Operation): Tool {
  const { name, title, hint, writes } = plan;
  const description = [`${operation.summary}. ${operation.description}`, ...(hint ? [hint] : [])].join(' ');
  const annotations = writes
    ? { title, readOnlyHint: false, destructiveHint: false, idempotentHint: false, openWorldHint: false }
    : { title, readOnlyHint: true, openWorldHint: false };
  const schemas = { inputSchema: inputSchema(plan, operation), outputSchema: outputSchema(plan, operation) };
  return { name, title, description, annotations, ...schemas } as Tool;
}

function inputSchema({ body, fixed = {}, headers = {} }: ToolPlan, { parameters, requestBody }: Operation): object {
  const shown = parameters.filter((parameter) => !(parameter.name in fixed));
  const named = shown.map(({ name, description, schema, required }) => ({
    name: headers[name] ?? name,
    required,
    schema: { ...schema, ...(description && { description }) },
  }));
  const [sent] = Object.values(requestBody?.content ?? {});
  if (body === '*' && sent) return plain(sent.schema);
  const members = body && sent ? [{ name: body, required: true, schema: sent.schema }, ...named] : named;
  return {
    type: 'object',
    properties: Object.fromEntries(members.map(({ name, schema }) => [name, plain(schema)])),
    required: members.filter(({ required }) => required).map(({ name }) => name),
    additionalProperties: false,
  };
}

const TEXT = { type: 'string' };

/** What `structuredContent` is for each form that is not JSON. */
const OTHER_FORMS = {
  text: { type: 'object', properties: { text: TEXT }, required: ['text'], additionalProperties: false },
  archive: {
    type: 'object',
    properties: {
      files: {
        type: 'array',
        items: {
          type: 'object',
          properties: { path: TEXT, text: TEXT },
          required: ['path', 'text'],
          additionalProperties: false,
        },
      },
    },
    required: ['files'],
    additionalProperties: false,
  },
} as const;

/** Always of an object, as the protocol requires; several successes are alternatives. */
function outputSchema({ form }: ToolPlan, { responses }: Operation): object {
  if (form) return OTHER_FORMS[form];
  const successes = Object.entries(responses).filter(([status]) => status.startsWith('2'));
  const schemas = successes.flatMap(([, { content }]) =>
    Object.values(content ?? {}).map(({ schema }) => plain(schema)),
  );
  const [only = {}] = schemas;
  return schemas.length === 1 ? { type: 'object', ...only } : { type: 'object', anyOf: schemas };
}

/** Without examples, which are no part of a schema's meaning and would make the list of tools longer. */
function plain(schema: Schema): object {
  return without(schema) as object;
}

function without(node: unknown): unknown {
  if (Array.isArray(node)) return node.map(without);
  if (typeof node !== 'object' || node === null) return node;
  const kept = Object.entries(node).filter(([key, value]) => !(key === 'example' && !isSchema(value)));
  return Object.fromEntries(kept.map(([key, value]) => [key, without(value)]));
}

/** A member that is named `example` has a schema; an example is a value. */
function isSchema(value: unknown): boolean {
  return typeof value === 'object' && value !== null && 'type' in value;
}
