import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { FUNCTIONS } from '../../../../adapters/postgres/functions/apply-functions.ts';

const FILE = join(import.meta.dirname, '../../../../adapters/postgres/functions/edition.txt');

/** What 0.5.0 wrote into its databases. */
const EDITION_OF_0_5_0 = 49;

test('the edition is of the files as they are: node scripts/write-schema.ts counts it', () => {
  expect(readFileSync(FILE, 'utf8')).toBe(`${FUNCTIONS.edition} ${FUNCTIONS.hash}\n`);
});

test('it is higher than that of the release before, whose databases get these functions', () => {
  expect(FUNCTIONS.edition).toBeGreaterThan(EDITION_OF_0_5_0);
});
