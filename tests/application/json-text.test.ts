import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { JsonText, jsonOf } from '../../application/json-text.ts';

test('a text is written as it is, in its place', () => {
  const value = {
    a: 1,
    meta: new JsonText('{"b":1.10,"2":0,"1":0}'),
    at: new Date(0),
    gone: undefined,
    z: [undefined],
  };
  expect(jsonOf(value)).toBe('{"a":1,"meta":{"b":1.10,"2":0,"1":0},"at":"1970-01-01T00:00:00.000Z","z":[null]}');
  expect(jsonOf({ outer: value })).toBe(`{"outer":${jsonOf(value)}}`);
});

test('every other value is written as by JSON.stringify', () => {
  fc.assert(
    fc.property(fc.dictionary(fc.string(), fc.jsonValue()), (value) => {
      expect(jsonOf(value)).toBe(JSON.stringify(value));
      const withText = { ...value, text: new JsonText('1e0') };
      expect(jsonOf(withText)).toBe(JSON.stringify({ ...withText, text: '?' }).replace('"text":"?"', '"text":1e0'));
    }),
  );
});
