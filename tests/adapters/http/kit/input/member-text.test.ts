import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { memberText } from '../../../../../adapters/http/kit/input/json-text.ts';

test.each([
  ['{"meta":{"n":9007199254740993,"p":1.10,"z":-0}}', '{"n":9007199254740993,"p":1.10,"z":-0}'],
  ['{"meta":{"10":1,"2":2,"a":3,"1":{"3":0,"1":0}}}', '{"10":1,"2":2,"a":3,"1":{"3":0,"1":0}}'],
  [' { "a" : 1 , "meta" : { "b" : [ 1 , 2 ] ,\n "c" : " , } " } , "d" : 1 } ', '{"b":[1,2],"c":" , } "}'],
  ['{"summary":"\\"meta\\":{}","tags":["meta"],"x":{"meta":1},"\\u006deta":{"\\u00e9":"\\/"}}', '{"\\u00e9":"\\/"}'],
  ['{"meta":{},"later":{"meta":{"a":1}}}', '{}'],
  ['{"a":{"meta":1},"meta":[true]}', '[true]'],
  ['{"meta":1e400}', '1e400'],
])('the member of %s', (json, text) => {
  expect(memberText(json, 'meta')).toBe(text);
});

test.each(['{}', '{"a":"meta"}', '{"a":["meta",{"meta":1}]}'])('none in %s', (json) => {
  expect(memberText(json, 'meta')).toBeNull();
});

test('white space around tokens changes no text', () => {
  const members = fc.dictionary(fc.string(), fc.jsonValue());
  const space = fc.constantFrom(undefined, 1, '\t', ' \n');
  fc.assert(
    fc.property(members, fc.jsonValue(), members, space, (before, value, after, spacing) => {
      const body = { ...before, meta: value, ...after };
      expect(memberText(JSON.stringify(body, null, spacing), 'meta')).toBe(JSON.stringify(body.meta));
    }),
  );
});
