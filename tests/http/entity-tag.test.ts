import { expect, test } from '@jest/globals';
import { entityTag, namesTag } from '../../adapters/http/kit/reply/static-reply.ts';

test('the same content has the same tag, other content another', () => {
  expect(entityTag('a')).toBe(entityTag(Buffer.from('a')));
  expect(entityTag('a')).not.toBe(entityTag('b'));
  expect(entityTag('a')).toMatch(/^"[\w-]{22}"$/);
});

test.each([
  ['"x"', true],
  ['W/"x"', true],
  ['"y", "x"', true],
  ['*', true],
  ['"y"', false],
  ['x', false],
  ['', false],
  [undefined, false],
])('If-None-Match %s', (sent, names) => {
  expect(namesTag(sent, '"x"')).toBe(names);
});
