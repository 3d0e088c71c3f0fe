import { z } from 'zod';
import { bounded } from './bounds.ts';
import type { JsonSchema } from './json-schema.ts';

/** The name of what `z.json()` takes: zod numbers recursive schemas, which have no id. */
const ANY_JSON = 'JsonValue';

/**
 * JSON Schemas of zod schemas, those with an id (`.meta({ id })`) gathered as components. It rests on zod's own
 * conversion: zod-to-openapi 9 turns int32 into an unbounded number, loses record limits and patterns, and never
 * returns from z.json().
 */
export class SchemaComponents {
  private readonly schemas = new Map<string, JsonSchema>();

  /** As we send it: what has a default is there. */
  sent(schema: z.ZodType): JsonSchema {
    return this.converted(schema, 'output', (own) => own);
  }

  /**
   * As a caller writes it: what has a default is optional, and every text and whole number ends somewhere.
   * @param bytes that the part of the request may have which holds it
   */
  taken(schema: z.ZodType, bytes: number): JsonSchema {
    return this.converted(schema, 'input', (own) => bounded(own, bytes));
  }

  all(): Readonly<Record<string, JsonSchema>> {
    return Object.fromEntries([...this.schemas].sort(([a], [b]) => (a < b ? -1 : 1)));
  }

  private converted(schema: z.ZodType, io: 'input' | 'output', ending: (own: JsonSchema) => JsonSchema): JsonSchema {
    // Inside a list, a named or recursive schema is a reference like any other.
    const { items, $defs = {} } = z.toJSONSchema(z.array(schema), { io, unrepresentable: 'any' });
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

function nameOf(key: string): string {
  return key.startsWith('__schema') ? ANY_JSON : key;
}

/**
 * zod's local references, turned to the components. What it calls readonly is so to TypeScript, while `readOnly` would
 * forbid callers to send it.
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

/** Which of its integers a client needs, where the schema itself does not show it. */
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
