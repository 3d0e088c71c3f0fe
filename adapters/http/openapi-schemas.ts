import { z } from 'zod';

export type JsonSchema = Readonly<Record<string, unknown>>;

/**
 * JSON Schemas of zod schemas, those with an id (`.meta({ id })`) gathered as components. It rests on zod's own
 * conversion: zod-to-openapi 9 turns int32 into an unbounded number, loses record limits and patterns, and never
 * returns from z.json().
 */
export class SchemaComponents {
  private readonly schemas = new Map<string, JsonSchema>();
  private readonly origins = new Map<string, string>();

  /** `input`: as a caller writes it, defaults optional. `output`: as we send it. */
  of(schema: z.ZodType, io: 'input' | 'output'): JsonSchema {
    // Inside a list, a named or recursive schema is a reference like any other.
    const { items: own, $defs } = z.toJSONSchema(z.array(schema), { io, unrepresentable: 'any' });
    const names = new Map<string, string>();
    const definitions = Object.entries($defs ?? {});
    for (const [key, definition] of definitions) names.set(key, this.nameFor(key, definition));
    for (const [key, definition] of definitions) {
      this.schemas.set(names.get(key) ?? key, redirect(definition, names) as JsonSchema);
    }
    return redirect(own, names) as JsonSchema;
  }

  all(): Readonly<Record<string, JsonSchema>> {
    return Object.fromEntries([...this.schemas].sort(([a], [b]) => (a < b ? -1 : 1)));
  }

  /** The schema's own id, numbered when another schema has it; zod numbers recursive ones, and JSON is ours. */
  private nameFor(key: string, definition: unknown): string {
    const wish = key.startsWith('__schema') ? 'JsonValue' : key;
    const origin = JSON.stringify(definition, (name, value) => (name === 'id' ? undefined : value));
    for (let number = 1; ; number += 1) {
      const name = number === 1 ? wish : `${wish}${number}`;
      const known = this.origins.get(name);
      if (known === undefined) this.origins.set(name, origin);
      if (known === undefined || known === origin) return name;
    }
  }
}

/**
 * zod's local references, turned to the components. Its ids are no keyword of OpenAPI; what it calls readonly is so to
 * TypeScript, while `readOnly` would forbid callers to send it.
 */
function redirect(node: unknown, names: ReadonlyMap<string, string>): unknown {
  if (Array.isArray(node)) return node.map((item) => redirect(item, names));
  if (typeof node !== 'object' || node === null) return node;
  const entries = Object.entries(node).filter(
    ([key, value]) =>
      !(key === 'id' && typeof value === 'string' && names.has(value)) && !(key === 'readOnly' && value === true),
  );
  return Object.fromEntries(
    [...entries, ...integerFormat(node)].map(([key, value]) => [
      key,
      key === '$ref' && typeof value === 'string'
        ? value.replace(/^#\/\$defs\/(.+)$/, (_, local: string) => `#/components/schemas/${names.get(local) ?? local}`)
        : redirect(value, names),
    ]),
  );
}

const INT32 = 2 ** 31;

/** Which of its integers a client needs, where the schema itself does not tell. */
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
