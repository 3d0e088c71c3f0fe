import { expect, test } from '@jest/globals';
import { METHOD_OF_NEW_RECORDS, methodNamed } from '../../../domain/grading/method.ts';

test('each method is found by the name that it writes into its outcomes', () => {
  const names = ['eval/1', 'eval/2', 'eval/3'];
  expect(names.map((name) => methodNamed(name)?.name)).toEqual(names);
});

test('a method of a later version is unknown, so its records are left alone', () => {
  expect([methodNamed('eval/4'), methodNamed('')]).toEqual([undefined, undefined]);
});

test('new records get the newest one', () => {
  expect(METHOD_OF_NEW_RECORDS.name).toBe('eval/3');
});
