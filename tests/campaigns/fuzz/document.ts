import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';

export type JsonSchema = Readonly<Record<string, unknown>>;
export type Validator = ValidateFunction;

/** A documented parameter. `fits` validates its typed value. */
export interface Parameter {
  readonly name: string;
  readonly in: 'path' | 'query' | 'header';
  readonly required: boolean;
  readonly schema: JsonSchema;
  readonly fits: Validator;
}

/** What a tool has beyond the operation that it calls. */
export interface ToolForm {
  /** Whether the server says so: an argument that is null counts as not sent. */
  readonly nullIsAbsent: boolean;
  readonly required: readonly string[];
  /** Validate `structuredContent`: the schema in the list of tools, and the whole one. */
  readonly outputFits: readonly Validator[];
}

export interface Reply {
  /** The validator of the body by media type. Empty when there is no body. */
  readonly content: ReadonlyMap<string, Validator>;
  /** The error codes; empty when the reply is no error. */
  readonly codes: ReadonlySet<string>;
  readonly headers: ReadonlyMap<string, Validator>;
}

/** One operation, read from the document alone. */
export interface Operation {
  readonly id: string;
  readonly method: string;
  readonly path: string;
  readonly parameters: readonly Parameter[];
  readonly body: {
    readonly contentType: string;
    readonly schema: JsonSchema;
    readonly example: unknown;
    readonly fits: Validator;
  } | null;
  readonly replies: ReadonlyMap<number, Reply>;
  /** The credentials that it accepts; null when it needs none. */
  readonly security: readonly string[] | null;
  /** All descriptions of it and of the document as a whole. */
  readonly words: string;
  /** Of a tool of the Model Context Protocol: its body is the message, and the content of the body the arguments. */
  readonly tool?: ToolForm;
}

export interface Document {
  readonly operations: readonly Operation[];
  /** Resolves a reference of the document. */
  schemaOf(schema: JsonSchema): JsonSchema;
  /** Validates the body of an error, on any path. */
  readonly isError: Validator;
}

// biome-ignore lint/suspicious/noExplicitAny: other tests check the form of the document
type Loose = any;

/** Reads a served OpenAPI document, and compiles every schema in it. */
export function readDocument(text: string): Document {
  const document: Loose = JSON.parse(text);
  const ajv = new Ajv2020({ strict: false, allErrors: true });
  addFormats.default(ajv);
  ajv.addSchema({ $id: 'document', ...document });
  // Thousands of parts have one of a few hundred schemas.
  const compiled = new Map<string, Validator>();
  const compile = (schema: JsonSchema): Validator => {
    const text = JSON.stringify(schema).replaceAll('"#/', '"document#/');
    const known = compiled.get(text) ?? ajv.compile(JSON.parse(text));
    compiled.set(text, known);
    return known;
  };
  const find = (reference: string): Loose =>
    reference
      .split('/')
      .slice(1)
      .reduce((part: Loose, name) => part[name], document);
  const resolved = (part: Loose): Loose => (part?.$ref === undefined ? part : find(part.$ref));
  const reader = { compile, resolved, general: String(document.info.description) };
  return {
    operations: Object.entries(document.paths).flatMap(([path, methods]: Loose) =>
      Object.entries(methods).map(([method, operation]) => operationOf(path, method, operation, reader)),
    ),
    schemaOf: resolved,
    isError: compile({ $ref: '#/components/schemas/Problem' }),
  };
}

interface Reader {
  readonly compile: (schema: JsonSchema) => Validator;
  readonly resolved: (part: Loose) => Loose;
  readonly general: string;
}

function operationOf(path: string, method: string, operation: Loose, reader: Reader): Operation {
  const { compile, resolved, general } = reader;
  const [contentType, body]: Loose = Object.entries(resolved(operation.requestBody)?.content ?? {})[0] ?? [];
  return {
    id: operation.operationId,
    method: method.toUpperCase(),
    path,
    parameters: (operation.parameters ?? [])
      .map(resolved)
      .map((each: Loose) => ({ ...each, required: each.required === true, fits: compile(each.schema) })),
    body: body ? { contentType, schema: body.schema, example: body.example, fits: compile(body.schema) } : null,
    replies: new Map(
      Object.entries(operation.responses).map(([status, reply]) => [Number(status), replyOf(resolved(reply), reader)]),
    ),
    security: operation.security.length === 0 ? null : operation.security.flatMap((each: object) => Object.keys(each)),
    words: `${general}\n${wordsOf(operation, resolved)}`,
  };
}

function replyOf(reply: Loose, { compile, resolved }: Reader): Reply {
  const content = Object.entries(reply.content ?? {}) as [string, Loose][];
  const isRefusal = content.some(([, { examples }]) => examples !== undefined);
  const headers = Object.entries(reply.headers ?? {}) as [string, Loose][];
  return {
    content: new Map(content.map(([type, { schema }]) => [type, compile(schema)])),
    codes: new Set(isRefusal ? content.flatMap(([, { examples }]) => Object.keys(examples)) : []),
    headers: new Map(headers.map(([name, header]) => [name, compile(resolved(header).schema)])),
  };
}

/** All text in this part and in what it refers to. */
function wordsOf(part: Loose, resolved: (part: Loose) => Loose, seen: Set<string> = new Set()): string {
  if (typeof part === 'string') return part;
  if (typeof part !== 'object' || part === null) return '';
  const { $ref, ...own } = part;
  const texts = Object.values(own).map((each) => wordsOf(each, resolved, seen));
  if (typeof $ref === 'string' && !seen.has($ref)) {
    seen.add($ref);
    texts.push(wordsOf(resolved(part), resolved, seen));
  }
  return texts.join('\n');
}
