import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { DEFERRALS, UNAVAILABILITIES } from '../../domain/grading/evaluation.ts';

test('the guide to evaluation explains each reason for which there is no outcome, and whether it is tried again', () => {
  const text = readFileSync(join(import.meta.dirname, '../../docs/evaluation.md'), 'utf8');
  const documented = (last: string) =>
    [...text.matchAll(/^\| (`[a-z_`, ]+`) \|.*\| ([a-z ]+) \|$/gm)]
      .filter(([, , verdict]) => verdict === last)
      .flatMap(([, names = '']) => names.match(/[a-z_]+/g) ?? []);
  expect(documented('tried again').toSorted()).toEqual(DEFERRALS.toSorted());
  expect(documented('ends').toSorted()).toEqual(UNAVAILABILITIES.toSorted());
});
