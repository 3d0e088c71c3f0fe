import { z } from 'zod';

const BOUNDS = ['maxLength', 'enum', 'const', 'format', 'pattern', '$ref'];

const FORMATS_WITHOUT_END = ['password', 'uri', 'email'];

/** The name of the schema of `z.json()`: zod numbers recursive schemas, which have no id. */
const ANY_JSON = 'JsonValue';

/**
 * JSON Schemas of zod schemas; those with an id (`.meta({ id })`) become components. It uses zod's own conversion:
 * zod-to-openapi 9 turns int32 into an unbounded number, loses record limits and patterns, and never returns from
 * z.json().
 */
export class SchemaComponents {
  private readonly schemas = new Map<string, JsonSchema>();

  /** The schema of a reply: a member with a default is always present, so that the default would say nothing. */
  sent(schema: z.ZodType): JsonSchema {
    return this.converted(schema, 'output', (own) => own);
  }

  /**
   * The schema of an input: a member with a default is optional, and every text and whole number has a bound.
   * @param bytes the longest that the part of the request with this input may be
   */
  taken(schema: z.ZodType, bytes: number): JsonSchema {
    return this.converted(schema, 'input', (own) => bounded(own, bytes));
  }

  all(): Readonly<Record<string, JsonSchema>> {
    return Object.fromEntries([...this.schemas].sort(([a], [b]) => (a < b ? -1 : 1)));
  }

  private converted(schema: z.ZodType, io: 'input' | 'output', ending: (own: JsonSchema) => JsonSchema): JsonSchema {
    // Inside a list, a named or recursive schema is a reference too.
    const override = io === 'output' ? withoutDefault : () => undefined;
    const { items, $defs = {} } = z.toJSONSchema(z.array(schema), { io, unrepresentable: 'any', override });
    for (const [key, definition] of Object.entries($defs)) {
      const name = nameOf(key);
      const own = asComponent(definition) as JsonSchema;
      this.keep(name, name === ANY_JSON ? own : ending(own));
    }
    return ending(asComponent(items) as JsonSchema);
  }

  private keep(name: string, schema: JsonSchema): void {
    const known = this.schemas.get(name);
    if (known !== undefined && JSON.stringify(known) !== JSON.stringify(schema)) {
      throw new TypeError(
        `${name} names two schemas, or one that is read and sent in different forms: name each apart`,
      );
    }
    this.schemas.set(name, schema);
  }
}

/** Generators make faulty code of a default next to a reference. */
function withoutDefault({ jsonSchema }: { readonly jsonSchema: { default?: unknown } }): void {
  delete jsonSchema.default;
}

function nameOf(key: string): string {
  return key.startsWith('__schema') ? ANY_JSON : key;
}

/**
 * Turns zod's local references into references to components. It removes `readOnly`: for zod it is a matter of
 * TypeScript, in OpenAPI it would forbid callers to send the member.
 */
function asComponent(node: unknown): unknown {
  if (Array.isArray(node)) return node.map(asComponent);
  if (typeof node !== 'object' || node === null) return node;
  const entries = Object.entries(node).filter(([key, value]) => !(key === 'readOnly' && value === true));
  return Object.fromEntries(
    [...entries, ...integerFormat(node)].map(([key, value]) => [
      key,
      key === '$ref' && typeof value === 'string'
        ? value.replace(/^#\/\$defs\/(.+)$/, (_, local: string) => `#/components/schemas/${nameOf(local)}`)
        : asComponent(value),
    ]),
  );
}

const INT32 = 2 ** 31;

/** The `format` that a client needs for an integer whose schema does not show it. */
function integerFormat(node: object): [string, unknown][] {
  const { type, format, minimum, maximum } = node as {
    type?: unknown;
    format?: unknown;
    minimum?: number;
    maximum?: number;
  };
  if (type !== 'integer' || format !== undefined) return [];
  const isSmall = minimum !== undefined && maximum !== undefined && minimum >= -INT32 && maximum < INT32;
  return [['format', isSmall ? 'int32' : 'int64']];
}

/**
 * The schema of an input, with the transport's bound on each text and whole number that has no bound of its own.
 * @param bytes the longest that this part of the request may be
 */
export function bounded(schema: JsonSchema, bytes: number): JsonSchema {
  const entries = Object.entries(schema).map(([key, value]) => [key, boundedParts(key, value, bytes)]);
  return { ...Object.fromEntries(entries), ...ownBound(schema, bytes) };
}

function boundedParts(key: string, value: unknown, bytes: number): unknown {
  if (typeof value !== 'object' || value === null || key === 'enum' || key === 'example') return value;
  if (Array.isArray(value)) return value.map((item) => boundedParts('', item, bytes));
  if (key !== 'properties') return bounded(value as JsonSchema, bytes);
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, boundedParts('', member, bytes)]));
}

function ownBound({ type, ...schema }: JsonSchema, bytes: number): JsonSchema {
  const hasEnd = BOUNDS.some(
    (bound) => schema[bound] !== undefined && !FORMATS_WITHOUT_END.includes(String(schema[bound])),
  );
  if (type === 'string' && !hasEnd) return { maxLength: bytes };
  if (type !== 'integer' || schema.maximum !== undefined) return {};
  return { maximum: schema.format === 'int32' ? 2 ** 31 - 1 : Number.MAX_SAFE_INTEGER };
}

type JsonSchema = Readonly<Record<string, unknown>>;
