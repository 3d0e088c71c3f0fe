import { describe, expect, test } from '@jest/globals';
import { Validator } from '@seriousme/openapi-schema-validator';
import { Ajv2020 } from 'ajv/dist/2020.js';
import addFormats from 'ajv-formats';
import { z } from 'zod';
import { bounded, openApiDocument, SchemaComponents } from '../../adapters/http/openapi/openapi-document.ts';
import { PROBLEMS } from '../../domain/problem.ts';
import { failing, writeNote } from './example.ts';

const endpoints = [writeNote, failing(() => undefined, 'admin')];
const document = JSON.parse(JSON.stringify(openApiDocument(endpoints, '0.4.0')));
const operation = document.paths['/api/v1/agent/notes/{note_id}'].post;

const ajv = new Ajv2020({ strict: false, allErrors: true });
addFormats.default(ajv);
ajv.addSchema({ $id: 'document', ...document });

interface Answer {
  readonly $ref?: string;
  readonly headers: object;
  readonly content?: Readonly<
    Record<string, { readonly schema: object; readonly example?: unknown; readonly examples?: object }>
  >;
}

/** An answer of an operation, or the component that it refers to. */
function answerOf(answer: Answer): Answer {
  return document.components.responses[answer.$ref?.split('/').at(-1) ?? ''] ?? answer;
}

/** The errors of a value under a schema of the document; null without any. */
function faults(schema: object, value: unknown): unknown {
  const absolute = JSON.parse(JSON.stringify(schema).replaceAll('"#/', '"document#/'));
  const validate = ajv.compile(absolute);
  return validate(value) ? null : validate.errors;
}

test('the document is valid OpenAPI 3.1', async () => {
  const result = await new Validator().validate(document);
  expect(result).toMatchObject({ valid: true });
  expect(document.openapi).toBe('3.1.0');
});

test('the same endpoints in another order give the same document', () => {
  expect(JSON.stringify(openApiDocument(endpoints.toReversed(), '0.4.0'))).toBe(
    JSON.stringify(openApiDocument(endpoints, '0.4.0')),
  );
});

test('the example of a request fits its schema, and a wrong one does not', () => {
  const { schema, example } = operation.requestBody.content['application/json'];
  expect(faults(schema, example)).toBeNull();
  expect(faults(schema, { ...example, txet: 1 })).not.toBeNull();
  expect(faults(schema, { ...example, weight: 2 ** 31 })).not.toBeNull();
  expect(faults(schema, { ...example, meta: { deep: [{ any: null }] } })).toBeNull();
});

test('every reply has an example that fits its schema', () => {
  const operations = Object.values(document.paths).flatMap((path) => Object.values(path as object));
  const answers = operations.flatMap(({ responses }) => Object.values(responses as object).map(answerOf));
  const media = answers.flatMap(({ content }) => Object.values(content ?? {}));
  expect(media.length).toBeGreaterThan(10);
  for (const { schema, example, examples } of media) {
    const shown = examples ? Object.keys(examples).map((code) => document.components.examples[code].value) : [example];
    expect(shown.length).toBeGreaterThan(0);
    for (const value of shown) expect(faults(schema, value)).toBeNull();
  }
});

test('every refusal is shown under its status', () => {
  const shown = Object.entries<Answer>(operation.responses).flatMap(([status, answer]) =>
    Object.keys(answerOf(answer).content?.['application/json']?.examples ?? {}).map((code) => `${status} ${code}`),
  );
  expect(shown).toEqual([
    '400 MALFORMED_BODY',
    '400 VALIDATION_ERROR',
    '401 UNAUTHORIZED',
    '401 KEY_EXPIRED',
    '403 KEY_NETWORK_REFUSED',
    '403 FORBIDDEN',
    '403 KEY_UNBOUND',
    '409 VERSION_CONFLICT',
    '413 PAYLOAD_TOO_LARGE',
    '415 UNSUPPORTED_MEDIA_TYPE',
    '422 VALIDATION_ERROR',
    '429 RATE_LIMIT_EXCEEDED',
    '500 INTERNAL_ERROR',
    '503 SERVICE_UNAVAILABLE',
  ]);
  expect(PROBLEMS.VALIDATION_ERROR.otherStatus).toBe(422);
});

test('parameters have the types of their values, although they are sent as text', () => {
  expect(operation.parameters).toEqual([
    expect.objectContaining({ name: 'note_id', in: 'path', required: true, example: 'n1' }),
    expect.objectContaining({ name: 'dry', in: 'query', required: false, schema: { type: 'boolean' } }),
    expect.objectContaining({
      name: 'copies',
      example: 1,
      schema: { type: 'integer', format: 'int32', minimum: 0, maximum: 10 },
    }),
    expect.objectContaining({ name: 'idempotency-key', in: 'header', required: false }),
  ]);
});

test('credentials and common headers are declared', () => {
  expect(operation.security).toEqual([{ api_key: [] }]);
  expect(document.paths['/api/v1/public/failure'].get.security).toEqual([{ owner_bearer: [] }, { legacy_session: [] }]);
  for (const answer of Object.values<Answer>(operation.responses)) {
    expect(Object.keys(answerOf(answer).headers)).toEqual(
      expect.arrayContaining(['x-request-id', 'x-ratelimit-limit', 'x-quota-resource', 'x-quota-remaining']),
    );
  }
});

describe('the schemas contain everything that zod knows', () => {
  const components = new SchemaComponents();
  const named = z.strictObject({ n: z.int32().min(1) }).meta({ id: 'Named' });
  const cases: [string, z.ZodType, object][] = [
    ['bounds of int32', z.int32(), { type: 'integer', format: 'int32', minimum: -2147483648, maximum: 2147483647 }],
    ['larger integers', z.int().min(0), { type: 'integer', format: 'int64', minimum: 0, maximum: 2 ** 53 - 1 }],
    ['what TypeScript may not write', z.array(z.uuid()).readonly(), expect.not.objectContaining({ readOnly: true })],
    ['patterns', z.string().regex(/^a\d$/), { type: 'string', pattern: '^a\\d$' }],
    [
      'limits of names',
      z.record(z.string().max(4), z.number()),
      expect.objectContaining({ propertyNames: { type: 'string', maxLength: 4 } }),
    ],
    ['named schemas', z.array(named), { type: 'array', items: { $ref: '#/components/schemas/Named' } }],
    ['any JSON', z.json(), { $ref: '#/components/schemas/JsonValue' }],
  ];
  test.each(cases)('%s', (_, schema, expected) => {
    expect(components.taken(schema, 512)).toEqual(expected);
  });

  test('a name belongs to one schema: another schema or another form under it is refused', () => {
    const both = new SchemaComponents();
    const point = z.strictObject({ at: z.string().max(9) }).meta({ id: 'Point' });
    expect(both.taken(point, 512)).toEqual(both.sent(point));
    expect(() => both.sent(z.strictObject({ at: z.number() }).meta({ id: 'Point' }))).toThrow(
      'Point names two schemas',
    );
    const filled = z.strictObject({ at: z.string().max(9).default('now') }).meta({ id: 'Filled' });
    expect(both.taken(filled, 512)).toEqual({ $ref: '#/components/schemas/Filled' });
    expect(() => both.sent(filled)).toThrow('Filled names two schemas');
  });

  test('a default is that of a request alone: a reply always has the member', () => {
    const note = z.object({ colour: z.enum(['red', 'blue']).nullable().default(null) });
    const components = new SchemaComponents();
    expect(components.taken(note, 100)).toMatchObject({ properties: { colour: { default: null } } });
    const sent = components.sent(note);
    expect(sent).toMatchObject({
      required: ['colour'],
      properties: { colour: { anyOf: [{ enum: ['red', 'blue'] }, {}] } },
    });
    expect(JSON.stringify(sent)).not.toContain('default');
  });

  test('the description of a reference is not copied to the named schema', () => {
    const components = new SchemaComponents();
    const place = z.strictObject({ first: named.describe('The first.'), last: named.nullable() });
    expect(components.sent(place)).toMatchObject({
      properties: {
        first: { $ref: '#/components/schemas/Named', description: 'The first.' },
        last: { anyOf: [{ $ref: '#/components/schemas/Named' }, { type: 'null' }] },
      },
    });
    expect(components.all().Named).not.toHaveProperty('description');
  });
});

test('what is sent ends somewhere: at its own bound, or at that of the transport', () => {
  const list = z.array(z.union([z.string(), z.string().max(9)]));
  const text = z.strictObject({ any: z.string(), id: z.uuid(), word: z.enum(['a']), whole: z.int().min(0), list });
  const components = new SchemaComponents();
  components.taken(z.array(text.meta({ id: 'Text' })), 512);
  const { properties } = components.all().Text as { properties: Record<string, object> };
  expect(properties.any).toEqual({ type: 'string', maxLength: 512 });
  expect(properties.list).toMatchObject({ items: { anyOf: [{ maxLength: 512 }, { maxLength: 9 }] } });
  expect(properties.id).not.toHaveProperty('maxLength');
  expect(properties.word).not.toHaveProperty('maxLength');
  expect(properties.whole).toMatchObject({ maximum: Number.MAX_SAFE_INTEGER });
  expect(bounded({ type: 'integer', format: 'int32' }, 512)).toMatchObject({ maximum: 2 ** 31 - 1 });
});
