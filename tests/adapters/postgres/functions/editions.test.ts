import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { FUNCTIONS } from '../../../../adapters/postgres/functions/function-files.ts';

const FILE = join(import.meta.dirname, '../../../../adapters/postgres/functions/editions.txt');
const editions = readFileSync(FILE, 'utf8').trim().split('\n');

test('the last edition is of the files as they are: node scripts/write-schema.ts adds a line', () => {
  expect(editions.at(-1)).toBe(FUNCTIONS.hash);
});

test('an edition differs from the one before it', () => {
  expect(editions.filter((hash, index) => hash === editions[index - 1])).toEqual([]);
});
