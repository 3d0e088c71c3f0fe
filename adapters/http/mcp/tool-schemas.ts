import type { Tool } from '@modelcontextprotocol/server';
import { MCP } from '../../../domain/limits.ts';
import { ADDITION } from '../openapi/openapi-document.ts';
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

// The schemas of tools in the short form in which clients list them: models read every list in whole. What they leave out is
// in `stancebook://tools/{name}`. A value that fits a whole schema fits its short form, but for texts in place of objects.

/** The keywords of a schema beyond those that this project's pages read. */
interface Listed extends Schema {
  readonly additionalProperties?: unknown;
  readonly propertyNames?: unknown;
}

/** Arguments without what no model needs to write them, and with objects alone where a text is short for one. */
function listedArguments(schema: Schema): Schema {
  return { ...shortArguments(schema), additionalProperties: false } as Schema;
}

function shortArguments(schema: Schema): Schema {
  const { anyOf, ...rest } = withParts(schema, shortArguments);
  const { additionalProperties: _, propertyNames: __, ...kept } = rest as Listed;
  const plain = withoutKeywords(kept, isNoise);
  if (!anyOf) return plain;
  const object = anyOf.find(({ type }) => type === 'object');
  if (object) return { ...object, ...plain };
  return anyOf.every(({ type }) => type === 'string') ? { type: 'string', ...plain } : { anyOf, ...plain };
}

/** Numbers that a model does not reach, formats that clients do not know, and patterns that no model reads. */
function isNoise(keyword: string, value: unknown): boolean {
  if (keyword === 'format') return /^int(32|64)$/.test(String(value));
  if (keyword === 'pattern') return value === '\\S' || String(value).length > MCP.patternLength;
  if (keyword === 'minimum' || keyword === 'maximum') return Math.abs(Number(value)) >= INT32;
  if (keyword === 'minLength') return value === 1;
  return keyword === 'maxLength' && Number(value) >= LONG_TEXT;
}

const INT32 = 2_147_483_647;

const LONG_TEXT = 4_096;

/** What a reply has, from the fullest form to the shortest; the first that is short enough is listed. */
const FORMS: readonly ReplyForm[] = [
  { levels: Infinity, described: Infinity },
  { levels: Infinity, described: 0 },
  { levels: 2, described: 2 },
  { levels: 2, described: 0 },
  { levels: 1, described: 1 },
  { levels: 1, described: 0 },
];

interface ReplyForm {
  /** How deep objects list their members. */
  readonly levels: number;
  /** How deep members have descriptions. */
  readonly described: number;
}

/** A reply, to the depth that is short; alternatives are one object with the members of all. */
function listedReply(schema: Schema): Schema {
  const merged = mergedReply(schema);
  const isShort = (form: Schema) => JSON.stringify(form).length <= MCP.replySchemaBytes;
  return FORMS.map((form) => toDepth(merged, form)).find(isShort) ?? bareMembers(merged);
}

/** Names and types alone. */
function bareMembers(reply: Schema): Schema {
  const { properties = {} } = toDepth(reply, { levels: 1, described: 0 });
  const bare = mapValues(properties, ({ enum: _, const: __, ...member }) => member);
  return { type: 'object', properties: bare };
}

function toDepth(schema: Schema, { levels, described }: ReplyForm): Schema {
  const { properties, required, items, description, ...rest } = schema;
  const deeper = { levels: levels - 1, described: described - 1 };
  return {
    ...(description !== undefined && described >= 0 && { description }),
    ...rest,
    ...(items && { items: toDepth(items, { levels, described }) }),
    ...(properties && levels > 0 && { properties: mapValues(properties, (member) => toDepth(member, deeper)) }),
    ...(required?.length && levels > 0 && { required }),
  };
}

const OF_REPLIES: readonly string[] = ['type', 'enum', 'const', 'properties', 'required', 'items', 'description'];

function mergedReply(schema: Schema): Schema {
  const { anyOf, oneOf, ...own } = withParts(schema, mergedReply);
  const plain = withoutKeywords(own, (keyword, value) => {
    return !OF_REPLIES.includes(keyword) && (keyword !== 'format' || isNoise(keyword, value));
  });
  const [first, ...others] = anyOf ?? oneOf ?? [];
  if (!first) return plain;
  const { description = plain.description, ...union } = others.reduce(unionOf, first);
  return {
    ...union,
    ...(description !== undefined && { description }),
    ...(plain.description && { description: plain.description }),
  };
}

/** A schema that allows what either allows. */
function unionOf(one: Schema, other: Schema): Schema {
  const types = [...new Set([one.type, other.type].flat())].filter((type) => type !== undefined);
  if (one.type === undefined || other.type === undefined) return {};
  const isNull = (schema: Schema) => schema.type === 'null';
  if (isNull(one) || isNull(other)) return withNull(isNull(one) ? other : one, types);
  const [a, b] = [valuesOf(one), valuesOf(other)];
  const names = (one.required ?? []).filter((name) => other.required?.includes(name));
  const properties = one.properties && other.properties && unionOfMembers(one.properties, other.properties);
  return {
    type: types.length === 1 ? String(types[0]) : (types as string[]),
    ...(one.format !== undefined && one.format === other.format && { format: one.format }),
    ...(a && b && { enum: [...new Set([...a, ...b])] }),
    ...(one.items && other.items && { items: same(one.items, other.items) }),
    ...(properties && { properties, required: names }),
  };
}

function withNull({ const: only, enum: words, ...schema }: Schema, types: readonly unknown[]): Schema {
  const values = only === undefined ? words : [only];
  return { ...schema, type: types as string[], ...(values && { enum: [...values, null] }) };
}

function unionOfMembers(one: Members, other: Members): Members {
  const shared = Object.entries(one).map(([name, schema]) => [name, same(schema, other[name] ?? schema)] as const);
  return { ...other, ...Object.fromEntries(shared) };
}

type Members = Readonly<Record<string, Schema>>;

function same(one: Schema, other: Schema): Schema {
  return JSON.stringify(one) === JSON.stringify(other) ? one : unionOf(one, other);
}

function valuesOf({ const: only, enum: words }: Schema): readonly unknown[] | undefined {
  return only === undefined ? words : [only];
}

function withParts(schema: Schema, visit: (part: Schema) => Schema): Schema {
  const { properties, items, anyOf, oneOf } = schema;
  return {
    ...schema,
    ...(properties && { properties: mapValues(properties, visit) }),
    ...(items && { items: visit(items) }),
    ...(anyOf && { anyOf: anyOf.map(visit) }),
    ...(oneOf && { oneOf: oneOf.map(visit) }),
  };
}

function mapValues(members: Members, visit: (member: Schema) => Schema): Members {
  return Object.fromEntries(Object.entries(members).map(([name, member]) => [name, visit(member)]));
}

function withoutKeywords(schema: Schema, isLeftOut: (keyword: string, value: unknown) => boolean): Schema {
  return Object.fromEntries(Object.entries(schema).filter(([keyword, value]) => !isLeftOut(keyword, value)));
}
