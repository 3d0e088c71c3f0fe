import { expect, test } from '@jest/globals';
import canonicalize from 'canonicalize';
import fc from 'fast-check';
import { canonicalJson } from '../../../adapters/formats/canonical-json.ts';

test('every JSON value has the form that the library writes', () => {
  const name = fc.oneof(
    fc.string(),
    fc.constantFrom('10', '9', '', '__proto__', 'é', '\u{1f600}', '\ufb33', '\\ud83d'),
  );
  const values = fc.jsonValue({ noUnicodeString: false });
  fc.assert(
    fc.property(fc.oneof(values, fc.dictionary(name, values)), (value) => {
      expect(canonicalJson(value)).toBe(canonicalize(value));
    }),
    { numRuns: 1_000 },
  );
});

test.each([
  ['a member that is a number in digits', { b: 1, 10: 2, 9: 3 }, '{"10":2,"9":3,"b":1}'],
  ['a member __proto__', JSON.parse('{"a":{"__proto__":1}}'), '{"a":{"__proto__":1}}'],
  ['a date', { at: new Date(0) }, '{"at":"1970-01-01T00:00:00.000Z"}'],
  ['an escape of a surrogate in a text', { text: '\\ud800' }, '{"text":"\\\\ud800"}'],
  ['a member without a value', { a: undefined, b: null }, '{"b":null}'],
])('%s', (_, value, text) => {
  expect(canonicalJson(value)).toBe(text);
});

test.each([Number.NaN, Number.POSITIVE_INFINITY, '\ud800', { a: ['\udc00'] }, undefined, () => 1])(
  '%p has no form',
  (value) => {
    expect(() => canonicalJson(value)).toThrow();
  },
);
