import {
  OpenAPIRegistry,
  OpenApiGeneratorV31,
  type ResponseConfig,
  type RouteConfig,
} from '@asteasolutions/zod-to-openapi';
import { z } from 'zod';
import { SUBMIT } from '../../../domain/limits.ts';
import { type Auth, type Endpoint, type ReplyDefinition, shownSchema } from '../kit/endpoint.ts';
import { HEAD_BYTES } from '../kit/reply/headers.ts';
import { documentedReplies } from '../kit/reply/static-reply.ts';
import {
  COMPONENT_HEADERS,
  commonHeaders,
  type OpenApiDocument,
  PROBLEM_SCHEMAS,
  SECURITY_SCHEMES,
} from './components.ts';
import { describedTag, RefusalComponents } from './refusals.ts';

const DESCRIPTION = `An evidence store for trading decisions made by software agents: facts, raw counts and paths, never verdicts.

Every response carries \`x-request-id\`, the rate limit headers and the quota headers. Every error has one form:
\`{ error: { code, category, message, suggestion, retry_after_seconds, details?, request_id } }\`.

Strings must not contain NUL (U+0000) or unpaired surrogates. JSON bodies nest at most 32 levels deep. They must not
contain a member twice, a member \`__proto__\`, or a number beyond a double. Each parameter is sent at most once.
Unknown parameters and members are refused. A required text must not be blank. A range must end after it begins.

Texts and names of members must not contain characters that do not show: controls other than tab and line ends, what
Unicode lets readers ignore (zero-width characters, marks of direction, tags), U+2028 and U+2029. A joiner is accepted
where a script or an emoji needs it; \`meta\`, \`notify\` and passwords are stored as sent. Names, labels and tags of
workflows are one line.

A request that is not valid HTTP is refused in the same form before an operation is chosen: 400, 408 when it takes
longer than 30 seconds, 421 when its host is not served here, 431 when its head is larger than 16 KiB. A path that is
not served is 404, a method 405 with \`Allow\`.

The examples read the address of the service from \`$BASE_URL\` and an agent's key from \`$API_KEY\`.`;

/**
 * The OpenAPI 3.1 document of the endpoints. The same arguments give the same document, byte for byte.
 * @param sessionCookie the name of the cookie that this deployment sets and accepts
 */
export function openApiDocument(
  endpoints: readonly Endpoint[],
  version: string,
  sessionCookie: string = SECURITY_SCHEMES.legacy_session.name,
): OpenApiDocument {
  const registry = new OpenAPIRegistry();
  const schemas = new SchemaComponents();
  const refusals = new RefusalComponents();
  const ordered = endpoints.toSorted((a, b) => (orderOf(a) < orderOf(b) ? -1 : 1));
  for (const endpoint of ordered) registry.registerPath(operationOf(endpoint, schemas, refusals));
  const legacy_session = { ...SECURITY_SCHEMES.legacy_session, name: sessionCookie };
  for (const [name, scheme] of Object.entries({ ...SECURITY_SCHEMES, legacy_session })) {
    registry.registerComponent('securitySchemes', name, scheme);
  }
  for (const [name, header] of Object.entries(COMPONENT_HEADERS)) registry.registerComponent('headers', name, header);
  for (const [name, schema] of Object.entries({ ...schemas.all(), ...PROBLEM_SCHEMAS })) {
    registry.registerComponent('schemas', name, schema);
  }
  for (const [name, refusal] of Object.entries(refusals.all())) registry.registerComponent('responses', name, refusal);
  for (const [code, example] of Object.entries(refusals.examples())) {
    registry.registerComponent('examples', code, example);
  }
  const tags = [...new Set(ordered.map(({ tag }) => tag))].sort(byLetters).map(describedTag);
  return new OpenApiGeneratorV31(registry.definitions).generateDocument({
    openapi: '3.1.0',
    info: { title: 'Stancebook', version, description: DESCRIPTION },
    servers: [
      {
        url: '/',
        description: 'The origin that served this document: production, staging or local.',
        'x-internal': false,
      },
    ],
    tags,
  });
}

function byLetters(a: string, b: string): number {
  return a.toLowerCase() < b.toLowerCase() ? -1 : 1;
}

function orderOf({ path, method }: Endpoint): string {
  return `${path} ${method}`;
}

/** Clients that keep to the interface leave it out; so may another service that has the same interface. Models need not know. */
export const ADDITION = ' This operation is an addition to the interface.';

function operationOf(endpoint: Endpoint, schemas: SchemaComponents, refusals: RefusalComponents): RouteConfig {
  const { id, method, path, isAddition, summary, description, tag, auth, body } = endpoint;
  return {
    operationId: id,
    method: method.toLowerCase() as 'get',
    path,
    summary,
    description: description + (isAddition ? ADDITION : '') + limitsInWords(endpoint),
    ...(isAddition && { 'x-addition': true }),
    tags: [tag],
    security: securityOf(auth),
    parameters: parametersOf(endpoint, schemas),
    ...(body
      ? {
          request: {
            body: {
              required: true,
              content: {
                [body.contentType ?? 'application/json']: {
                  schema: schemas.taken(shownSchema(body), body.limit ?? SUBMIT.bodyBytes),
                  example: asSent(body.example),
                },
              },
            },
          },
        }
      : {}),
    responses: { ...repliesOf(endpoint, schemas), ...refusals.of(endpoint) },
  };
}

function limitsInWords({ spends, limits }: Endpoint): string {
  if (limits === 'signup')
    return ` Sign-up, login, quick setup and device sign-in share one rate limit per client address.`;
  if (limits === 'cohort') return ` Has a rate limit of its own per client address.`;
  if (spends === 'check') return ` Takes one unit of the daily pool of checks of this record.`;
  return spends ? ` Takes one unit of the daily pool \`${spends}\`; a refused request takes none.` : '';
}

function securityOf(auth: Auth): Record<string, string[]>[] {
  if (auth === 'none') return [];
  if (auth === 'admin') return [{ owner_bearer: [] }, { legacy_session: [] }];
  if (auth === 'optional') return [{}, { api_key: [] }, { owner_bearer: [] }, { legacy_session: [] }];
  return auth.map((kind) => ({ [kind]: [] }));
}

function parametersOf({ params, query, headers }: Endpoint, schemas: SchemaComponents) {
  const places = [
    ['path', params],
    ['query', query],
    ['header', headers],
  ] as const;
  return places.flatMap(([place, shape]) =>
    Object.entries(shape.shape).map(([name, schema]) => parameterOf(name, place, schema as z.ZodType, schemas)),
  );
}

function parameterOf(name: string, place: 'path' | 'query' | 'header', schema: z.ZodType, schemas: SchemaComponents) {
  const { description, example, ...rest } = schemas.taken(schema, HEAD_BYTES);
  const isRequired = place === 'path' || !schema.safeParse(undefined).success;
  return {
    name,
    in: place,
    required: isRequired,
    ...(typeof description === 'string' ? { description } : {}),
    ...(example === undefined ? {} : { example: typed(example, rest.type) }),
    schema: rest,
  };
}

/** Examples of query values may be written as the text that is sent; the document shows the parsed value. */
function typed(example: unknown, type: unknown): unknown {
  if (typeof example !== 'string' || (type !== 'integer' && type !== 'boolean')) return example;
  return z.json().parse(JSON.parse(example));
}

/** The successful replies of an endpoint, by status. */
function repliesOf(endpoint: Endpoint, schemas: SchemaComponents): Record<string, ResponseConfig> {
  const replies = Object.entries(documentedReplies(endpoint));
  return Object.fromEntries(replies.map(([status, reply]) => [status, replyOf(reply, schemas)]));
}

function replyOf(reply: ReplyDefinition, schemas: SchemaComponents): ResponseConfig {
  const { description, schema, example, contentType = 'application/json', otherTypes = [] } = reply;
  const own = Object.entries(reply.headers ?? {}).map(([name, description]) => [
    name,
    { description, schema: { type: 'string' as const } },
  ]);
  const headers = { ...commonHeaders(), ...Object.fromEntries(own) };
  if (!schema) return { description, headers };
  const isJson = contentType.startsWith('application/json');
  const media = isJson
    ? { schema: schemas.sent(schema), ...(example === undefined ? {} : { example: asSent(example) }) }
    : { schema: { type: 'string' as const }, ...(typeof example === 'string' ? { example } : {}) };
  const others = otherTypes.map((type) => [withoutParameters(type), { schema: { type: 'string' as const } }]);
  return { description, headers, content: { [withoutParameters(contentType)]: media, ...Object.fromEntries(others) } };
}

function withoutParameters(mediaType: string): string {
  return mediaType.replace(/;.*/, '');
}

/** The example in its JSON form: Dates as text, absent members left out. */
function asSent(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value));
}

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

/**
 * The version of the interface, which the document at /openapi.json names. It changes with the interface alone; a release
 * of the product has the version of package.json (infrastructure/version.ts).
 */
export const CONTRACT_VERSION = '0.4.0';
