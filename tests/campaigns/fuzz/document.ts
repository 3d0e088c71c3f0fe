import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';

export type JsonSchema = Readonly<Record<string, unknown>>;
export type Judge = ValidateFunction;

/** A parameter as the document tells it; `fits` judges its typed value. */
export interface Parameter {
  readonly name: string;
  readonly in: 'path' | 'query' | 'header';
  readonly required: boolean;
  readonly schema: JsonSchema;
  readonly fits: Judge;
}

export interface Reply {
  /** What may be in it by media type; without any, there is no body. */
  readonly content: ReadonlyMap<string, Judge>;
  /** The codes of its errors; empty for what is none. */
  readonly codes: ReadonlySet<string>;
  readonly headers: ReadonlyMap<string, Judge>;
}

/** One operation, with nothing but what the document tells of it. */
export interface Operation {
  readonly id: string;
  readonly method: string;
  readonly path: string;
  readonly parameters: readonly Parameter[];
  readonly body: {
    readonly contentType: string;
    readonly schema: JsonSchema;
    readonly example: unknown;
    readonly fits: Judge;
  } | null;
  readonly replies: ReadonlyMap<number, Reply>;
  /** The credentials that it takes; null: it looks at none. */
  readonly security: readonly string[] | null;
  /** Every word that the document says about it, and about everything. */
  readonly words: string;
}

export interface Document {
  readonly operations: readonly Operation[];
  /** What a reference of the document stands for. */
  schemaOf(schema: JsonSchema): JsonSchema;
  /** The form of every error, on any path. */
  readonly isError: Judge;
}

// biome-ignore lint/suspicious/noExplicitAny: the document is what is to be judged; its form is checked elsewhere
type Loose = any;

/** Reads a served OpenAPI document, and compiles every schema in it. */
export function readDocument(text: string): Document {
  const document: Loose = JSON.parse(text);
  const ajv = new Ajv2020({ strict: false, allErrors: true });
  addFormats.default(ajv);
  ajv.addSchema({ $id: 'document', ...document });
  const compile = (schema: JsonSchema) =>
    ajv.compile(JSON.parse(JSON.stringify(schema).replaceAll('"#/', '"document#/')));
  const find = (reference: string): Loose =>
    reference
      .split('/')
      .slice(1)
      .reduce((part: Loose, name) => part[name], document);
  const resolved = (part: Loose): Loose => (part?.$ref === undefined ? part : find(part.$ref));
  const reader = { compile, resolved, everywhere: String(document.info.description) };
  return {
    operations: Object.entries(document.paths).flatMap(([path, methods]: Loose) =>
      Object.entries(methods).map(([method, told]) => operationOf(path, method, told, reader)),
    ),
    schemaOf: resolved,
    isError: compile({ $ref: '#/components/schemas/Problem' }),
  };
}

interface Reader {
  readonly compile: (schema: JsonSchema) => Judge;
  readonly resolved: (part: Loose) => Loose;
  readonly everywhere: string;
}

function operationOf(path: string, method: string, told: Loose, reader: Reader): Operation {
  const { compile, resolved, everywhere } = reader;
  const [contentType, body]: Loose = Object.entries(resolved(told.requestBody)?.content ?? {})[0] ?? [];
  return {
    id: told.operationId,
    method: method.toUpperCase(),
    path,
    parameters: (told.parameters ?? [])
      .map(resolved)
      .map((each: Loose) => ({ ...each, required: each.required === true, fits: compile(each.schema) })),
    body: body ? { contentType, schema: body.schema, example: body.example, fits: compile(body.schema) } : null,
    replies: new Map(
      Object.entries(told.responses).map(([status, reply]) => [Number(status), replyOf(resolved(reply), reader)]),
    ),
    security: told.security.length === 0 ? null : told.security.flatMap((each: object) => Object.keys(each)),
    words: `${everywhere}\n${wordsOf(told, resolved)}`,
  };
}

function replyOf(reply: Loose, { compile, resolved }: Reader): Reply {
  const content = Object.entries(reply.content ?? {}) as [string, Loose][];
  const isRefusal = content.some(([, { examples }]) => examples !== undefined);
  const headers = Object.entries(reply.headers ?? {}) as [string, Loose][];
  return {
    content: new Map(content.map(([type, { schema }]) => [type, compile(schema)])),
    codes: new Set(isRefusal ? content.flatMap(([, { examples }]) => Object.keys(examples)) : []),
    headers: new Map(headers.map(([name, told]) => [name, compile(resolved(told).schema)])),
  };
}

/** All text under this part: its own, and what its references lead to. */
function wordsOf(part: Loose, resolved: (part: Loose) => Loose, seen: Set<string> = new Set()): string {
  if (typeof part === 'string') return part;
  if (typeof part !== 'object' || part === null) return '';
  const { $ref, ...own } = part;
  const told = Object.values(own).map((each) => wordsOf(each, resolved, seen));
  if (typeof $ref === 'string' && !seen.has($ref)) {
    seen.add($ref);
    told.push(wordsOf(resolved(part), resolved, seen));
  }
  return told.join('\n');
}
