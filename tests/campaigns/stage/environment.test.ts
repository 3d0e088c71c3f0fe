import { expect, test } from '@jest/globals';
import { LIMITS } from '../../../infrastructure/config/variables/limit-variables.ts';
import { limitVariables, UNREACHED_LIMITS } from './environment.ts';

test('every limit of the service has the variable that a campaign sets', () => {
  expect(Object.keys(limitVariables(UNREACHED_LIMITS)).toSorted()).toEqual(Object.keys(LIMITS).toSorted());
});
