import { MCP } from '../../../domain/limits.ts';
import type { Schema } from '../openapi/reference.ts';

// The schemas of tools in the short form in which clients list them: models read every list in whole. What they leave out is
// in `stancebook://tools/{name}`. A value that fits a whole schema fits its short form, but for texts in place of objects.

/** The keywords of a schema beyond those that this project's pages read. */
interface Listed extends Schema {
  readonly additionalProperties?: unknown;
  readonly propertyNames?: unknown;
}

/** Arguments without what no model needs to write them, and with objects alone where a text is short for one. */
export function listedArguments(schema: Schema): Schema {
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
export function listedReply(schema: Schema): Schema {
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
