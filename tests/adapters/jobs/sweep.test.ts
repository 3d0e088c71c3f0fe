import { expect, test } from '@jest/globals';
import { answered, failed, withinSeconds } from '../../../adapters/jobs/sweep.ts';

const requests = [
  { id: 'a', retryCount: 0 },
  { id: 'b', retryCount: 2 },
  { id: 'c', retryCount: 1 },
];

test('a run answers all requests', () => {
  expect(answered(requests).map(({ id, status }) => [id, status])).toEqual([
    ['a', 'completed'],
    ['b', 'completed'],
    ['c', 'completed'],
  ]);
});

test('of a run that failed only the most tried request is tried again', () => {
  const error = new Error('down');
  expect(failed(requests, error)).toEqual([
    { id: 'a', status: 'completed' },
    { id: 'b', status: 'failed', output: error },
    { id: 'c', status: 'completed' },
  ]);
});

test('work that ends in time gives its value or its error', async () => {
  await expect(withinSeconds(5, Promise.resolve(7))).resolves.toBe(7);
  await expect(withinSeconds(5, Promise.reject(new Error('down')))).rejects.toThrow('down');
});

test('work that does not end in time is an error', async () => {
  await expect(withinSeconds(0.01, new Promise(() => undefined))).rejects.toThrow('0.01 s');
});
