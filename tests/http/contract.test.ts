import { describe, expect, test } from '@jest/globals';
import { z } from 'zod';
import { openApiDocument } from '../../adapters/http/openapi/openapi-document.ts';
import { TAGS } from '../../adapters/http/openapi/refusals.ts';
import { endpointsOf } from '../../adapters/http/routes/endpoints.ts';
import { publicDetail, publicState } from '../../adapters/http/shapes/decisions/decision-views.ts';
import type { Ports } from '../../application/ports.ts';
import { accessBy, accessOf, addition, operation } from './operations/operation.ts';
import { differencesFrom, nameOf, OPERATIONS } from './operations/operations.ts';

/** No handler runs here, so that no port is called. */
const endpoints = endpointsOf({} as Ports);

test('the table has each operation of interface.md, and names each operation once', () => {
  // interface.md: 5 admin, 6 agent, 17 owner, 11 workflows, 13 public, 6 named only.
  expect(OPERATIONS.filter(({ isAddition }) => !isAddition)).toHaveLength(5 + 6 + 17 + 11 + 13 + 6);
  expect(new Set(OPERATIONS.map(({ name }) => name)).size).toBe(OPERATIONS.length);
});

test.each(endpoints.map((endpoint) => [nameOf(endpoint), endpoint] as const))(
  '%s is in the contract, with its credentials',
  (name, { auth }) => {
    expect(differencesFrom([name]).filter((sentence) => sentence.startsWith(`${name} `))).toEqual([]);
    const cells = OPERATIONS.filter((each) => each.name === name).flatMap(({ who }) => [...who.values()]);
    for (const row of cells) expect(accessBy(row)).toEqual(accessOf(auth));
  },
);

test('the service serves exactly the operations of the contract, each once', () => {
  expect(differencesFrom(endpoints.map(nameOf))).toEqual([]);
  expect(new Set(endpoints.map(nameOf)).size).toBe(endpoints.length);
});

test('a sentence names an endpoint without a value, a value without an endpoint, and one that is there twice', () => {
  const [nodes, cats] = [operation('GET /nodes', 200, 'everyone'), addition('GET /cats', 200, 'everyone')];
  expect(differencesFrom(['GET /nodes', 'GET /dogs'], [nodes, cats, cats]).join('\n')).toMatch(
    /^GET \/dogs is served and has no value.*\n(GET \/cats has a value .* is not served.*\n){2}GET \/cats has two values.*$/,
  );
});

test('every tag is described', () => {
  expect(endpoints.map(({ tag }) => tag).filter((tag) => TAGS[tag] === undefined)).toEqual([]);
});

describe('the OpenAPI document of the contract', () => {
  const document = JSON.stringify(openApiDocument(endpoints, '0.4.0'));
  const { paths, components } = JSON.parse(document);

  test('every JSON schema of a body or reply is named, or is a list of a named one', () => {
    const operations = Object.values<object>(paths).flatMap((methods) => Object.values<Operation>({ ...methods }));
    const parts = operations.flatMap(({ requestBody, responses }) => [requestBody, ...Object.values(responses)]);
    const schemas = parts.flatMap((part) => part?.content?.['application/json']?.schema ?? []);
    expect(schemas.length).toBeGreaterThan(60);
    expect(schemas.filter(({ $ref, items }) => ($ref ?? items?.$ref) === undefined)).toEqual([]);
  });

  test('it names each addition to the interface as such, and no other operation', () => {
    const named = Object.entries<object>(paths).flatMap(([path, methods]) =>
      Object.entries<{ readonly 'x-addition'?: true; readonly description: string }>({ ...methods }).flatMap(
        ([method, { 'x-addition': isAddition, description }]) => {
          expect([path, method, /an addition to the interface/.test(description)]).toEqual([
            path,
            method,
            !!isAddition,
          ]);
          return isAddition ? [`${method.toUpperCase()} ${path.replace('/api/v1', '')}`] : [];
        },
      ),
    );
    expect(named.toSorted()).toEqual(
      OPERATIONS.filter(({ isAddition }) => isAddition)
        .map(({ name }) => name)
        .toSorted(),
    );
  });

  test('every reference has its component, and every component is referenced', () => {
    const kinds = Object.entries<object>(components).filter(([kind]) => kind !== 'securitySchemes');
    const there = kinds.flatMap(([kind, named]) => Object.keys(named).map((name) => `#/components/${kind}/${name}`));
    const named = new Set([...document.matchAll(/"\$ref":"([^"]+)"/g)].map(([, reference]) => reference));
    expect([...named].toSorted()).toEqual(there.toSorted());
  });
});

interface Operation {
  readonly requestBody?: { readonly content: Content };
  readonly responses: Readonly<Record<string, { readonly content?: Content }>>;
}

type Content = Readonly<Record<string, { readonly schema: Named & { readonly items?: Named } }>>;
type Named = { readonly $ref?: string };

test('only a bound read_write key may submit', () => {
  const submitting = endpoints.filter(({ permission }) => permission === 'submit').map(nameOf);
  expect(submitting).toEqual([
    ...['POST /agent/decisions', 'POST /agent/decision-groups', 'POST /agent/decisions/{record_id}/notes'],
    ...['POST /agent/plans', 'POST /agent/backtests/{set}', 'POST /agent/backtests/{set}/notes'],
  ]);
});

test.each(endpoints.map((endpoint) => [nameOf(endpoint), endpoint] as const))(
  'the examples of %s fit its schemas',
  (_, { body, replies }) => {
    const examples = [body, ...Object.values(replies)].filter((part) => part?.schema !== undefined);
    for (const part of examples) expect(part?.schema?.safeParse(part.example).error).toBeUndefined();
  },
);

const OWN = ['owner_id', 'agent_id', 'email', 'key_prefix', 'salt'];

/** Paths whose replies only the owner of the account gets. */
const TO_ITS_OWNER = /^\/api\/v1\/(owner|admin)\/|^\/api\/v1\/public\/auth\/|^\/api\/v1\/agent\/(plans|backtests)/;

test.each(
  endpoints.filter(({ path }) => !TO_ITS_OWNER.test(path)).map((endpoint) => [nameOf(endpoint), endpoint] as const),
)('the replies of %s to others have no field that names the owner', (_, { replies }) => {
  for (const { schema } of Object.values(replies)) {
    const seen = schema ? formsForOthers(schema).flatMap((form) => [...namesIn(z.toJSONSchema(form, JSON_FORM))]) : [];
    expect(seen.filter((name) => OWN.includes(name))).toEqual([]);
  }
});

test('the check finds a field that names an owner', () => {
  const leaky = z.strictObject({ items: z.array(z.union([z.string(), z.strictObject({ owner_id: z.string() })])) });
  expect(formsForOthers(leaky).flatMap((form) => [...namesIn(z.toJSONSchema(form, JSON_FORM))])).toContain('owner_id');
  const shown = [publicDetail, publicState].flatMap((form) => [...namesIn(z.toJSONSchema(form, JSON_FORM))]);
  expect(shown).toEqual(expect.arrayContaining(['record_id', 'key_factors', 'result_bucket']));
});

const JSON_FORM = { io: 'input', unrepresentable: 'any' } as const;

/** All forms of a reply that are not for the owner; the member `view` distinguishes them. */
function formsForOthers(schema: z.ZodType): readonly z.ZodType[] {
  if (!(schema instanceof z.ZodDiscriminatedUnion) || schema.def.discriminator !== 'view') return [schema];
  const forms = schema.options as readonly z.ZodObject[];
  return forms.filter((form) => !(form.shape.view as z.ZodType).safeParse('owner').success);
}

/** The names of all members at any depth. */
function namesIn(schema: unknown, names = new Set<string>()): Set<string> {
  if (typeof schema !== 'object' || schema === null) return names;
  if ('properties' in schema) for (const name of Object.keys(schema.properties ?? {})) names.add(name);
  for (const inner of Object.values(schema)) namesIn(inner, names);
  return names;
}
