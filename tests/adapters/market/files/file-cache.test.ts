import { expect, test } from '@jest/globals';
import { fileCache } from '../../../../adapters/market/files/bar-files.ts';

/** A cache of texts, as heavy as they are long, and what was read through it. */
function recorded(capacity: number) {
  const cache = fileCache<string>(capacity, ({ length }) => length);
  const readings: string[] = [];
  const read = (key: string, text: string, fingerprint = 'same') =>
    cache(key, fingerprint, async () => {
      readings.push(key);
      return text;
    });
  return { cache, readings, read };
}

test('unchanged files are read once, by callers at the same time too', async () => {
  const { readings, read } = recorded(10);
  expect(await Promise.all([read('a', 'x'), read('a', 'x')])).toEqual(['x', 'x']);
  expect(await read('a', 'x')).toBe('x');
  expect(readings).toEqual(['a']);
});

test('a changed file is read anew', async () => {
  const { read } = recorded(10);
  await read('a', 'x', 'old');
  expect(await read('a', 'y', 'new')).toBe('y');
});

test('a reading that failed is tried again', async () => {
  const { cache, read } = recorded(10);
  await expect(cache('a', 'same', () => Promise.reject(new Error('disk')))).rejects.toThrow('disk');
  expect(await read('a', 'x')).toBe('x');
});

test('what was used longest ago makes room', async () => {
  const { readings, read } = recorded(3);
  for (const key of ['a', 'b', 'c', 'a', 'd', 'a', 'b']) await read(key, 'x');
  expect(readings).toEqual(['a', 'b', 'c', 'd', 'b']);
});

test('one file beyond the capacity alone is kept while it is the last one used', async () => {
  const { readings, read } = recorded(3);
  for (const key of ['a', 'big', 'big', 'a']) await read(key, key === 'big' ? 'xxxxx' : 'x');
  expect(readings).toEqual(['a', 'big', 'a']);
});
