import type { ResponseConfig } from '@asteasolutions/zod-to-openapi';
import { PROBLEMS, Problem, type ProblemCode } from '../../domain/problem.ts';
import type { Endpoint, ReplyDefinition } from './endpoint.ts';
import { envelope } from './envelope.ts';
import { ALWAYS_SENT } from './header-names.ts';
import type { SchemaComponents } from './openapi-schemas.ts';
import { documentedReplies } from './shared-reply.ts';

const EXAMPLE_ID = '0198c0de-0000-7000-8000-000000000000';

const COMMON_HEADER_NAMES = [...ALWAYS_SENT, 'access-control-allow-origin'];

/** One refusal for each code that any of the endpoints refuses with, as it is answered. */
export function refusalExamples(endpoints: readonly Endpoint[]): Record<string, { readonly value: unknown }> {
  const codes = new Set(endpoints.flatMap(problemsOf).map(({ code }) => code));
  const shown = [...codes].sort().map((code) => [code, { value: asSent(envelope(exampleOf(code), EXAMPLE_ID)) }]);
  return Object.fromEntries(shown);
}

/** Every answer of an endpoint, by status: its replies, and its refusals with an example for each code. */
export function responsesOf(endpoint: Endpoint, schemas: SchemaComponents): Record<string, ResponseConfig> {
  const responses: Record<string, ResponseConfig> = {};
  for (const [status, reply] of Object.entries(documentedReplies(endpoint)))
    responses[status] = replyOf(reply, schemas);
  const refusals = Map.groupBy(problemsOf(endpoint), ({ status }) => status);
  for (const [status, problems] of [...refusals].sort(([a], [b]) => a - b)) responses[status] = refusalOf(problems);
  return responses;
}

function replyOf(reply: ReplyDefinition, schemas: SchemaComponents): ResponseConfig {
  const { description, schema, example, contentType = 'application/json' } = reply;
  const own = Object.entries(reply.headers ?? {}).map(([name, tells]) => [
    name,
    { description: tells, schema: { type: 'string' as const } },
  ]);
  const headers = { ...commonHeaders(), ...Object.fromEntries(own) };
  if (!schema) return { description, headers };
  const isJson = contentType.startsWith('application/json');
  const media = isJson
    ? { schema: schemas.of(schema, 'output'), ...(example === undefined ? {} : { example: asSent(example) }) }
    : { schema: { type: 'string' as const }, ...(typeof example === 'string' ? { example } : {}) };
  return { description, headers, content: { [contentType.replace(/;.*/, '')]: media } };
}

type RefusedWith = Pick<Problem, 'code' | 'status'>;

function refusalOf(problems: readonly RefusedWith[]): ResponseConfig {
  const codes = [...new Set(problems.map(({ code }) => code))];
  const examples = codes.map((code) => [code, { $ref: `#/components/examples/${code}` }]);
  const [first] = problems;
  const waits = first?.status === 429 || first?.status === 503;
  return {
    description: codes.join(', '),
    headers: {
      ...commonHeaders(),
      ...(waits ? { 'retry-after': { $ref: '#/components/headers/retry-after' } } : {}),
    },
    content: {
      'application/json': {
        schema: { $ref: '#/components/schemas/Error' },
        examples: Object.fromEntries(examples),
      },
    },
  };
}

function problemsOf(endpoint: Endpoint): RefusedWith[] {
  const { problems, valueStatus, shapeStatus } = endpoint;
  const codes = new Set<ProblemCode>([...byCredential(endpoint), ...byBody(endpoint), ...problems]);
  // Where nothing is asked for, a query parameter that nobody knows is refused all the same.
  codes.add('VALIDATION_ERROR');
  if (endpoint.spends) codes.add('DAILY_QUOTA_EXCEEDED');
  for (const code of ['RATE_LIMIT_EXCEEDED', 'INTERNAL_ERROR', 'SERVICE_UNAVAILABLE'] as const) codes.add(code);
  return [...codes].flatMap((code) => {
    const statuses = code === 'VALIDATION_ERROR' ? [shapeStatus ?? 400, valueStatus] : [PROBLEMS[code].status];
    return [...new Set(statuses)].filter((status) => status !== undefined).map((status) => ({ code, status }));
  });
}

function byCredential({ auth, permission }: Endpoint): ProblemCode[] {
  if (auth === 'none') return [];
  if (auth === 'admin') return ['ADMIN_REQUIRED', 'CROSS_ORIGIN_SESSION'];
  if (auth === 'optional') return ['UNAUTHORIZED'];
  const bySession: ProblemCode[] = auth.includes('legacy_session') ? ['CROSS_ORIGIN_SESSION'] : [];
  return ['UNAUTHORIZED', 'FORBIDDEN', ...(permission === 'submit' ? (['KEY_UNBOUND'] as const) : []), ...bySession];
}

function byBody({ body }: Endpoint): ProblemCode[] {
  return body ? ['MALFORMED_BODY', 'PAYLOAD_TOO_LARGE', 'UNSUPPORTED_MEDIA_TYPE'] : [];
}

function exampleOf(code: ProblemCode): Problem {
  const details = [{ path: 'limit', message: 'must be at most 100', received: '500' }];
  const words = code.toLowerCase().replaceAll('_', ' ');
  return code === 'VALIDATION_ERROR'
    ? new Problem(code, 'limit must be at most 100.', { details })
    : new Problem(code, `${words.charAt(0).toUpperCase()}${words.slice(1)}.`);
}

function commonHeaders(): Record<string, { $ref: string }> {
  return Object.fromEntries(COMMON_HEADER_NAMES.map((name) => [name, { $ref: `#/components/headers/${name}` }]));
}

/** In the form in which it travels: Dates as text, absent members left out. */
export function asSent(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value));
}
