import { describe, expect, test } from '@jest/globals';
import {
  boundsWords,
  type FieldSchema,
  type FormField,
  fieldsOf,
  fits,
  membersFit,
  valueWords,
  withMember,
} from '../../../../../adapters/http/page/browser/workflows/config/schema-form.ts';
import { NODE_TEMPLATES, nodeTemplate } from '../../../../../domain/workflows/node-catalogue.ts';

const fieldsOfStep = (node_id: string) => fieldsOf(nodeTemplate(node_id)?.config_schema as FieldSchema);
const kinds = (fields: readonly FormField[]) => Object.fromEntries(fields.map(({ name, kind }) => [name, kind]));

test('every config of the library has a form, without a field that must be edited as JSON', () => {
  for (const { node_id } of NODE_TEMPLATES) {
    expect([node_id, Object.values(kinds(fieldsOfStep(node_id)))]).not.toContainEqual([
      node_id,
      expect.arrayContaining(['json']),
    ]);
  }
});

test.each([
  ['data.bars', { interval: 'choice', bars: 'number', adjusted: 'choice' }],
  ['analysis.technical', { methods: 'lines', most: 'number' }],
  ['evidence.precedents', { records: 'number', buckets: 'choices' }],
  ['input.instrument', { instrument: 'group' }],
  ['logic.gate', { conditions: 'rows' }],
])('the fields of %s are %j', (node_id, expected) => {
  expect(kinds(fieldsOfStep(node_id))).toEqual(expected);
});

test('the members of a row are fields too, with what is required', () => {
  const [conditions] = fieldsOfStep('logic.gate');
  expect(conditions?.isRequired).toBe(true);
  expect(conditions?.members.map(({ name, kind, isRequired }) => [name, kind, isRequired])).toEqual([
    ['condition', 'text', true],
    ['otherwise', 'choice', false],
  ]);
});

test.each([
  ['a schema that is no object', { items: { type: 'number' }, type: 'array' }],
  ['objects within objects', { type: 'object', properties: { a: { type: 'object', properties: { b: {} } } } }],
  ['several types', { type: ['string', 'null'] }],
  ['nothing known', {}],
])('a member with %s is edited as JSON', (_, schema) => {
  expect(fieldsOf({ properties: { member: schema } })).toMatchObject([{ kind: 'json' }]);
});

describe('a value that a field cannot show without losing some of it', () => {
  test.each([
    ['analysis.technical', { methods: ['a', 'b'], most: 3 }, true],
    ['analysis.technical', { methods: ['a\nb'] }, false],
    ['analysis.technical', { methods: [' a'] }, false],
    ['analysis.technical', { most: '3' }, false],
    ['analysis.technical', { other: 1 }, false],
    ['data.bars', { interval: '2d' }, false],
    ['data.bars', { adjusted: false }, true],
    ['data.bars', { adjusted: 'false' }, false],
    ['evidence.precedents', { buckets: ['strong_correct', 'weak_correct'] }, true],
    ['evidence.precedents', { buckets: ['strong_correct', 'strong_correct'] }, false],
    ['input.instrument', { instrument: { symbol: 'MSFT' } }, true],
    ['input.instrument', { instrument: { symbol: 'MSFT', name: 'x' } }, false],
    ['input.instrument', { instrument: null }, false],
    ['logic.gate', { conditions: [{ condition: 'a' }, { condition: 'b', otherwise: 'stop' }] }, true],
    ['logic.gate', { conditions: ['a'] }, false],
    ['logic.gate', { conditions: [{ condition: 'two\nlines' }] }, false],
  ])('%s %j fits its form: %s', (node_id, config, expected) => {
    expect(membersFit(fieldsOfStep(node_id), config)).toBe(expected);
  });

  test('is edited as JSON, which shows every value', () => {
    const [field] = fieldsOf({ properties: { a: {} } });
    expect(field && fits(field, { b: [1] })).toBe(true);
  });
});

test('a member is set in its place, and removed by undefined', () => {
  expect(JSON.stringify(withMember({ a: 1, b: 2 }, 'a', 3))).toBe('{"a":3,"b":2}');
  expect([withMember({ a: 1 }, 'b', 2), withMember({ a: 1, b: 2 }, 'a', undefined)]).toEqual([
    { a: 1, b: 2 },
    { b: 2 },
  ]);
});

test.each([
  ['data.bars', 'bars', '20 to 2,000; if empty, 250'],
  ['data.bars', 'adjusted', 'if empty, true'],
  ['analysis.technical', 'methods', '1 to 12 of them'],
  ['input.watchlist', 'instruments', '1 to 20 of them; required'],
  ['input.idea', 'claim', 'at most 1,000 characters'],
  ['risk.sizing', 'risk_pct', '0.01 to 10; if empty, 0.5'],
])('the bounds of %s %s are %j', (node_id, name, words) => {
  expect(fieldsOfStep(node_id).flatMap((field) => (field.name === name ? [boundsWords(field)] : []))).toEqual([words]);
});

test.each([
  ['two words', 'two words'],
  [['a', 'b'], 'a, b'],
  [[{ quote_currency: 'USD', spot: true }, { symbol: 'BTC' }], 'quote currency USD, spot true; symbol BTC'],
  [0.5, '0.5'],
  [undefined, ''],
])('the value %j reads %j', (value, words) => {
  expect(valueWords(value)).toBe(words);
});
