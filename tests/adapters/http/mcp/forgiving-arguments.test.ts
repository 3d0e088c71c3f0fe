import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { z } from 'zod';
import { parseJson } from '../../../../adapters/http/kit/input/json-text.ts';
import { forgivingArguments } from '../../../../adapters/http/mcp/forgiving-arguments.ts';
import type { Schema } from '../../../../adapters/http/openapi/reference.ts';
import { groupSubmission, submission } from '../../../../adapters/http/shapes/decisions/submission.ts';

const RUNS = Number(process.env.FUZZ_RUNS ?? 300);

// The only member in which "" is a value: a workflow that there is not, and so left out like any other.
const BODY = submission.extend({ workflow_ref: z.string().min(1).optional() });
const GROUP = groupSubmission.extend({ workflow_ref: z.string().min(1).optional() });

const acceptedBy = (schema: z.ZodType) =>
  resolved(z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' }) as Schema);

/** Without references, as those of tools. */
function resolved(schema: Schema): Schema {
  const { $defs = {} } = schema as { readonly $defs?: Readonly<Record<string, unknown>> };
  const inlined = (node: unknown): unknown => {
    if (Array.isArray(node)) return node.map(inlined);
    if (typeof node !== 'object' || node === null) return node;
    const { $ref, ...rest } = node as { readonly $ref?: string };
    const target = $ref === undefined ? undefined : $defs[$ref.replace('#/$defs/', '')];
    return Object.fromEntries(
      Object.entries({ ...Object(target), ...rest }).map(([name, each]) => [name, inlined(each)]),
    );
  };
  const { $defs: _, ...own } = schema as object & { readonly $defs?: unknown };
  return inlined(own) as Schema;
}

/** Texts that look like something else, as values of members that allow texts. */
const oddText = fc.constantFrom('null', '5', 'True', '[1]', '{"a":1}', '"x"', '{}', 'None', ' [ ] ', '1.10', 'x');

const FORMATS: Readonly<Record<string, readonly string[]>> = {
  'date-time': ['2026-01-30T14:30:00Z', '2025-06-30t00:00:00+02:00'],
  date: ['2025-06-30'],
  uri: ['https://example.org/'],
};

const someJson = fc.oneof(oddText, fc.constantFrom<unknown>(null, 0, '', {}, [], [null], { a: [''] }));

/** Values that a schema allows. */
function valid(schema: Schema): fc.Arbitrary<unknown> {
  const { anyOf, enum: words, type, format, pattern, properties, required = [], items } = schema;
  if (anyOf) return fc.oneof(...anyOf.map(valid));
  if (words) return fc.constantFrom(...words);
  if (type === 'object' && !properties) return fc.dictionary(fc.constantFrom('a', 'null', '10', ''), someJson);
  if (type === 'object') {
    const members = Object.entries(properties ?? {}).map(([name, each]) => [name, valid(each)]);
    return fc.record<Record<string, unknown>>(Object.fromEntries(members), { requiredKeys: [...required] });
  }
  if (type === 'array') return fc.array(valid(items ?? {}), { maxLength: 2 });
  if (type === 'integer') return fc.integer({ min: 0, max: 1000 });
  if (type === 'number') return fc.constantFrom(0.5, 1, 1e-7, 0.1);
  if (type === 'boolean') return fc.boolean();
  if (pattern?.startsWith('^dec_')) return fc.constant('dec_20170605_00000000');
  return format === undefined ? oddText : fc.constantFrom(...(FORMATS[format] ?? ['x']));
}

test.each([
  ['decision', BODY],
  ['group', GROUP],
])('what is a valid %s already passes unchanged, byte for byte', (_name, schema) => {
  const accepted = acceptedBy(schema);
  let sound = 0;
  fc.assert(
    fc.property(valid(accepted), fc.boolean(), (body, isOfText) => {
      const text = JSON.stringify(body);
      fc.pre(schema.safeParse(body).success);
      sound += 1;
      expect(forgivingArguments(accepted, text, isOfText)).toEqual({ text, faults: [] });
    }),
    { numRuns: RUNS },
  );
  expect(sound).toBeGreaterThan(RUNS / 10);
});

test('a valid body with null, "" or texts added is read as that body', () => {
  const accepted = acceptedBy(BODY);
  const optional = Object.keys(accepted.properties ?? {}).filter((name) => !accepted.required?.includes(name));
  const added = fc.dictionary(fc.constantFrom(...optional), fc.constantFrom(null, ''));
  const asText = fc.constantFrom<(value: unknown) => unknown>(
    (value) => value,
    (value) => (typeof value === 'string' ? value : JSON.stringify(value)),
  );
  fc.assert(
    fc.property(valid(accepted), added, asText, (body, more, written) => {
      const own = JSON.parse(JSON.stringify(body)) as Readonly<Record<string, unknown>>;
      const texts = Object.fromEntries(Object.entries(own).map(([name, value]) => [name, written(value)]));
      const { text, faults } = forgivingArguments(accepted, JSON.stringify({ ...more, ...texts }), false);
      expect([JSON.parse(text), faults]).toEqual([own, []]);
    }),
    { numRuns: RUNS },
  );
});

test('no JSON makes it fail, and what it returns is JSON of as many bytes at most', () => {
  const accepted = acceptedBy(BODY);
  const names = Object.keys(accepted.properties ?? {});
  const anyText = fc.oneof(oddText, fc.json({ maxDepth: 3 }), fc.string());
  const value = fc.oneof(fc.jsonValue({ maxDepth: 3 }), anyText, fc.array(anyText), fc.dictionary(anyText, anyText));
  fc.assert(
    fc.property(fc.dictionary(fc.oneof(fc.constantFrom(...names), fc.string()), value), (sent) => {
      const before = JSON.stringify(sent);
      if (before.includes('__proto__')) return;
      const { text } = forgivingArguments(accepted, before, false);
      JSON.parse(text);
      expect(text.length).toBeLessThanOrEqual(before.length);
    }),
    { numRuns: RUNS },
  );
});

test.each(['[', '{"a":', '[{"a":'])('a text of 60,000 times %s is refused, and not by an overflow', (open) => {
  const accepted = acceptedBy(BODY);
  const close = open === '[' ? ']' : open === '{"a":' ? '}' : '}]';
  const count = Math.floor(60_000 / (open.length + close.length));
  const deep = `${open.repeat(count)}1${close.repeat(count)}`;
  for (const name of ['tags', 'model', 'meta', 'price_targets', 'key_factors']) {
    const { text, faults } = forgivingArguments(accepted, JSON.stringify({ [name]: deep }), false);
    expect([name, JSON.parse(text)]).toEqual([name, { [name]: deep }]);
    const isRead = accepted.properties?.[name]?.type === (open[0] === '[' ? 'array' : 'object');
    expect([name, faults.length > 0]).toEqual([name, isRead]);
  }
  const factors = JSON.stringify({ key_factors: [deep] });
  expect(forgivingArguments(accepted, factors, false)).toEqual({ text: factors, faults: [] });
  expect(() => parseJson(deep)).toThrow();
});
