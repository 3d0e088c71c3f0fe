interface Schema {
  readonly $ref?: string;
  readonly type?: string;
  readonly pattern?: string;
  readonly description?: string;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly required?: readonly string[];
  readonly properties?: Readonly<Record<string, Schema>>;
}

interface Parameter {
  readonly name: string;
  readonly in: string;
  readonly required: boolean;
  readonly description?: string;
  readonly example?: unknown;
  readonly schema: Schema;
}

interface Operation {
  readonly operationId: string;
  readonly security: readonly Readonly<Record<string, unknown>>[];
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: { readonly content: Readonly<Record<string, { schema: Schema; example: object }>> };
}

export interface Document {
  readonly paths: Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> };
}

/** An integer that a caller sends, and how to send it. */
export interface Integer {
  readonly name: string;
  readonly schema: Schema;
  readonly method: string;
  readonly operation: Operation;
  readonly url: string;
  /** Of a body, the names of the members that lead to it; of a parameter, null. */
  readonly members: readonly string[] | null;
}

/** Names an integer by its operation and its place. */
export function nameOf({ operation, members, name }: Integer): string {
  return `${operation.operationId} ${members?.join('.') ?? name}`;
}

/** Every integer that an operation takes: in path and query, and in a JSON body outside of lists. */
export function integersOf(document: Document): Integer[] {
  return Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).flatMap(([method, operation]) => {
      const { parameters = [], requestBody } = operation;
      const common = { method, operation, url: urlOf(path, parameters) };
      const schema = requestBody?.content['application/json']?.schema;
      const inBody = schema ? integersIn(schema, document, []) : [];
      return [
        ...parameters
          .filter((parameter) => parameter.schema.type === 'integer')
          .map((parameter) => ({ ...common, name: parameter.name, schema: parameter.schema, members: null })),
        ...inBody.map(([members, found]) => ({ ...common, name: members.at(-1) ?? '', schema: found, members })),
      ];
    }),
  );
}

const KNOWN: Readonly<Record<string, string>> = {
  agent_id: 'agt_4f1c2d3e5a6b',
  hash: '0'.repeat(64),
  coin: 'USDT',
};

const SOME_UUID = '0198c0de-0000-7000-8000-000000000000';

/** With a value for each parameter that is required; integers of the path stay to be replaced. */
function urlOf(path: string, parameters: readonly Parameter[]): string {
  const shownValue = ({ name, example, schema }: Parameter) =>
    String(example ?? KNOWN[name] ?? (new RegExp(schema.pattern ?? '^$').test(SOME_UUID) ? SOME_UUID : name));
  const inPath = path.replaceAll(/\{(\w+)\}/g, (_, name: string) => {
    const parameter = parameters.find((each) => each.name === name);
    if (parameter?.schema.type === 'integer') return `{${name}}`;
    return parameter ? shownValue(parameter) : name;
  });
  const needed = parameters.filter((each) => each.in === 'query' && each.required);
  const query = needed.map((each) => `${each.name}=${shownValue(each)}`).join('&');
  return query === '' ? inPath : `${inPath}?${query}`;
}

/** The integers among the members of an object, at any depth outside of lists. */
function integersIn(schema: Schema, document: Document, path: readonly string[]): [readonly string[], Schema][] {
  const { properties, ...own } = resolved(schema, document);
  if (own.type === 'integer') return [[path, own]];
  return Object.entries(properties ?? {}).flatMap(([name, member]) => integersIn(member, document, [...path, name]));
}

function resolved(schema: Schema, { components }: Document): Schema {
  const target = components.schemas[schema.$ref?.split('/').at(-1) ?? ''];
  return target ? { ...target, ...schema } : schema;
}

/** The example with that value in its place, as JSON. */
export function bodyWith(operation: Operation, members: readonly string[], document: Document, value: bigint): string {
  const media = operation.requestBody?.content['application/json'];
  const placed = (schema: Schema, example: object | undefined, [name = '', ...below]: readonly string[]): object => {
    const { properties = {}, required = [] } = resolved(schema, document);
    const base = example ?? Object.fromEntries(required.map((each) => [each, sampleOf(properties[each])]));
    const member = properties[name] ?? {};
    return { ...base, [name]: below.length === 0 ? PLACE : placed(member, memberOf(example, name), below) };
  };
  return JSON.stringify(placed(media?.schema ?? {}, media?.example, members)).replace(`"${PLACE}"`, String(value));
}

function memberOf(example: object | undefined, name: string): object | undefined {
  const member: unknown = example && Object.entries(example).find(([each]) => each === name)?.[1];
  return typeof member === 'object' && member !== null ? member : undefined;
}

const PLACE = 'the integer';

function sampleOf(schema: Schema | undefined): unknown {
  return schema?.type === 'boolean' ? true : null;
}
