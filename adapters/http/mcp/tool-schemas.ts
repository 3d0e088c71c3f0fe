import type { Tool } from '@modelcontextprotocol/server';
import { ADDITION } from '../openapi/openapi-document.ts';
import type { Operation, Reference, Schema } from '../openapi/reference.ts';
import { listedArguments, listedReply } from './listed-schemas.ts';
import type { ToolPlan } from './tools.ts';

/** The schemas of tools come from the inlined OpenAPI document, and so from the shapes of the endpoints. */

/** The operation of an endpoint. @throws Error when the document has none */
export function operationOf({ paths }: Reference, id: string): Operation {
  const operations = Object.values(paths).flatMap((methods) => Object.values(methods));
  const operation = operations.find(({ operationId }) => operationId === id);
  if (!operation) throw new Error(`The tools need the endpoint ${id}.`);
  return operation;
}

/** The tool with all that it accepts and returns. */
export function wholeTool(plan: ToolPlan, operation: Operation): Tool {
  const { name, title, hint, writes } = plan;
  const about = operation.description.replace(ADDITION, '');
  const description = [`${operation.summary}. ${about}`, ...(hint ? [hint] : [])].join(' ');
  const annotations = writes
    ? { readOnlyHint: false, destructiveHint: false, idempotentHint: false, openWorldHint: false }
    : { readOnlyHint: true, openWorldHint: false };
  const schemas = { inputSchema: acceptedArguments(plan, operation), outputSchema: outputSchema(plan, operation) };
  return { name, title, description, annotations, ...schemas } as Tool;
}

/** The tool as clients list it, with its schemas in short. */
export function listedTool({ brief }: ToolPlan, { inputSchema, outputSchema, ...tool }: Tool): Tool {
  const { properties = {}, ...rest } = listedArguments(inputSchema as Schema);
  const shown = brief ? (briefly({ properties }, brief).properties ?? {}) : properties;
  const schemas = { inputSchema: { ...rest, properties: shown }, outputSchema: listedReply(outputSchema as Schema) };
  return { ...tool, ...schemas } as Tool;
}

/** A body without what another tool says of some of its members, at any depth. */
function briefly(schema: Schema, brief: NonNullable<ToolPlan['brief']>): Schema {
  const { properties, items } = schema;
  const members = Object.entries(properties ?? {}).map(([name, member]) => {
    if (!brief.members.includes(name)) return [name, briefly(member, brief)] as const;
    const { type } = member;
    const ofItems = type === 'array' && { items: { type: 'object' } };
    return [name, { type, ...ofItems, description: `As in ${brief.as}.` } as Schema] as const;
  });
  return {
    ...schema,
    ...(items && { items: briefly(items, brief) }),
    ...(properties && { properties: Object.fromEntries(members) }),
  };
}

/** The arguments of a tool as its endpoint accepts them, without references. */
function acceptedArguments(
  { body, fixed = {}, headers = {} }: ToolPlan,
  { parameters, requestBody }: Operation,
): Schema {
  const shown = parameters.filter((parameter) => !(parameter.name in fixed));
  const named = shown.map(({ name, description, schema, required }) => ({
    name: headers[name] ?? name,
    required,
    schema: { ...schema, ...(description && { description }) },
  }));
  const [sent] = Object.values(requestBody?.content ?? {});
  if (body === '*' && sent) return withNamed(plain(sent.schema), named);
  const members = body && sent ? [{ name: body, required: true, schema: sent.schema }, ...named] : named;
  const accepted = {
    type: 'object',
    properties: Object.fromEntries(members.map(({ name, schema }) => [name, plain(schema)])),
    required: members.filter(({ required }) => required).map(({ name }) => name),
    additionalProperties: false,
  };
  return accepted;
}

/** A body whose members are arguments, with those of the path. */
function withNamed(body: Schema, named: readonly { readonly name: string; readonly schema: Schema }[]): Schema {
  const properties = Object.fromEntries(named.map(({ name, schema }) => [name, plain(schema)]));
  const required = [...Object.keys(properties), ...(body.required ?? [])];
  return named.length === 0 ? body : { ...body, properties: { ...properties, ...body.properties }, required };
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
function plain(schema: Schema): Schema {
  return without(schema) as Schema;
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
