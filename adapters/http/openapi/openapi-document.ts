import {
  OpenAPIRegistry,
  OpenApiGeneratorV31,
  type ResponseConfig,
  type RouteConfig,
} from '@asteasolutions/zod-to-openapi';
import { z } from 'zod';
import { SUBMIT } from '../../../domain/limits.ts';
import type { Auth, Endpoint, ReplyDefinition } from '../kit/endpoint.ts';
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
import { SchemaComponents } from './schemas.ts';

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
                  schema: schemas.taken(body.schema, body.limit ?? SUBMIT.bodyBytes),
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
