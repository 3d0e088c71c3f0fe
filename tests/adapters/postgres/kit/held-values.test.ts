import { expect, test } from '@jest/globals';
import { heldValues } from '../../../../adapters/postgres/kit/held-values.ts';

const heldTexts = (most: number) => heldValues<string>(most, ({ length }) => length);

test('those go first that were not read again, and a value that is replaced counts once', () => {
  const held = heldTexts(10);
  held.keep('a', 'aaaa');
  held.keep('b', 'bbbb');
  held.keep('a', 'aaaaa');
  held.find('b');
  held.keep('c', 'ccccc');
  expect(['a', 'b', 'c'].map((name) => held.find(name))).toEqual([null, 'bbbb', 'ccccc']);
});

test('a value that is larger than the bound is not held', () => {
  const held = heldTexts(10);
  held.keep('a', 'aaaa');
  held.keep('b', 'b'.repeat(11));
  expect(['a', 'b'].map((name) => held.find(name))).toEqual([null, null]);
});
