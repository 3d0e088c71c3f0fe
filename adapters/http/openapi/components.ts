import type { OpenApiGeneratorV31 } from '@asteasolutions/zod-to-openapi';
import { PROBLEMS } from '../../../domain/problem.ts';
import { ALWAYS_SENT, CHALLENGE } from '../kit/reply/headers.ts';

// The parts of the OpenAPI document that every operation refers to.

export type OpenApiDocument = ReturnType<OpenApiGeneratorV31['generateDocument']>;
type Components = NonNullable<OpenApiDocument['components']>;
type Schema = NonNullable<Components['schemas']>[string];
type Header = NonNullable<Components['headers']>[string];
export type ResponseObject = NonNullable<Components['responses']>[string];

/** The credentials. The cookie of sessions has a name that depends on the deployment. */
export const SECURITY_SCHEMES = {
  api_key: {
    type: 'apiKey',
    in: 'header',
    name: 'X-API-Key',
    description: 'The key of an agent, or of an owner for reading.',
  },
  owner_bearer: {
    type: 'http',
    scheme: 'bearer',
    bearerFormat: 'JWT',
    description:
      'An access token of the identity provider, verified by RFC8725: its signature by a key of the provider and an ' +
      'algorithm of a fixed list, its issuer, its audience, its times.',
  },
  legacy_session: {
    type: 'apiKey',
    in: 'cookie',
    name: '__Host-sid',
    description:
      'The session of a login, in the cookie that the service sets: `__Host-sid` on https, `sid` on plain http.',
  },
} as const;

const integer: Schema = { type: 'integer', format: 'int64', minimum: 0, maximum: Number.MAX_SAFE_INTEGER };

export const COMPONENT_HEADERS: Readonly<Record<string, Header>> = {
  'x-request-id': header(
    'Identifies the request in our log; your own is returned if it is 1-128 of A-Z a-z 0-9 . _ -',
    {
      type: 'string',
      pattern: '^[A-Za-z0-9._-]+$',
      maxLength: 128,
    },
  ),
  'x-ratelimit-limit': header('Requests per minute', integer),
  'x-ratelimit-remaining': header('Requests left in the current window; of two windows, the smaller number', integer),
  'x-ratelimit-reset': header('Unix time at the end of that window', integer),
  'x-quota-resource': header('The pool that this request belongs to', {
    type: 'string',
    enum: ['query', 'read', 'check', 'none'],
  }),
  'x-quota-remaining': header('Units left today; unlimited for none', {
    type: 'string',
    pattern: '^(\\d+|unlimited)$',
    maxLength: 16,
  }),
  'x-quota-limit': header('Units of the whole day; unlimited for none', {
    type: 'string',
    pattern: '^(\\d+|unlimited)$',
    maxLength: 16,
  }),
  'x-quota-reset': header('Unix time of the next 00:00 UTC', integer),
  'access-control-allow-origin': header('Your own origin, if the operator allows its pages to read replies', {
    type: 'string',
    maxLength: 2_048,
  }),
  'www-authenticate': header(
    'How to authenticate: a bearer token; the other credentials have no scheme of HTTP. Where the login has to be newer or ' +
      'stronger, what to ask the identity provider for (RFC 9470)',
    {
      type: 'string',
      pattern: `^${CHALLENGE}(, error="insufficient_user_authentication"(, max_age="\\d+")?(, acr_values="[ -~]+")?)?$`,
      maxLength: 8_192,
    },
  ),
  'retry-after': header('Seconds to wait, equal to error.retry_after_seconds; left out when that is null', integer),
};

const COMMON_HEADER_NAMES = [...ALWAYS_SENT, 'access-control-allow-origin'];

/** References to the headers of every response. */
export function commonHeaders(): Record<string, { $ref: string }> {
  return Object.fromEntries(COMMON_HEADER_NAMES.map((name) => [name, { $ref: `#/components/headers/${name}` }]));
}

/** The form of every refusal, and its parts. */
export const PROBLEM_SCHEMAS: Readonly<Record<string, Schema>> = {
  Problem: object({ error: named('ProblemFacts') }),
  ProblemFacts: object(
    {
      code: named('ProblemCode'),
      category: named('ProblemCategory'),
      message: { type: 'string', description: 'What happened, for people' },
      suggestion: { type: 'string', description: 'What to do instead' },
      retry_after_seconds: {
        type: ['integer', 'null'],
        format: 'int32',
        minimum: 1,
        maximum: 2_147_483_647,
        description: 'Seconds to wait before a retry; null when waiting does not help',
      },
      details: {
        type: 'array',
        description: 'Every fault of the input, or the facts behind the refusal',
        items: named('ProblemDetail'),
      },
      request_id: { type: 'string' },
    },
    ['details'],
  ),
  ProblemCode: { type: 'string', enum: Object.keys(PROBLEMS), description: 'What happened, for programs' },
  ProblemCategory: {
    type: 'string',
    enum: [...new Set(Object.values(PROBLEMS).map(({ category }) => category))],
  },
  ProblemDetail: {
    type: 'object',
    required: ['path', 'message'],
    properties: { path: { type: 'string' }, message: { type: 'string' }, received: {} },
  },
};

function object(properties: Readonly<Record<string, Schema>>, optional: readonly string[] = []): Schema {
  const required = Object.keys(properties).filter((name) => !optional.includes(name));
  return { type: 'object', required, additionalProperties: false, properties };
}

function named(name: string): { $ref: string } {
  return { $ref: `#/components/schemas/${name}` };
}

function header(description: string, schema: Schema): Header {
  return { description, schema };
}
