import { expect, test } from '@jest/globals';
import { batcher } from '../../../adapters/postgres/batcher.ts';

/** A batcher whose batches end only when the test says so. */
function held({ most, atOnce }: { most: number; atOnce: number }) {
  const batches: { items: readonly number[]; end(): void; fail(error: Error): void }[] = [];
  const call = batcher<number, string>({
    run: (items) =>
      new Promise((resolve, reject) => {
        batches.push({ items, end: () => resolve(items.map((item) => `${item}!`)), fail: reject });
      }),
    most,
    atOnce,
  });
  return { batches, call };
}

const turn = () => new Promise((resolve) => setImmediate(resolve));

test('a call leaves at once while a place is free, and waits with the others when none is', async () => {
  const { batches, call } = held({ most: 64, atOnce: 2 });
  const calls = [1, 2, 3, 4, 5].map(call);
  expect(batches.map(({ items }) => items)).toEqual([[1], [2]]);
  batches[1]?.end();
  await turn();
  expect(batches.map(({ items }) => items)).toEqual([[1], [2], [3, 4, 5]]);
  batches[0]?.end();
  batches[2]?.end();
  expect(await Promise.all(calls)).toEqual(['1!', '2!', '3!', '4!', '5!']);
});

test('a batch has at most its size, and those who came first go first', async () => {
  const { batches, call } = held({ most: 3, atOnce: 1 });
  const calls = [1, 2, 3, 4, 5, 6].map(call);
  for (let batch = 0; batch < 3; batch += 1) {
    expect(batches).toHaveLength(batch + 1);
    batches[batch]?.end();
    await turn();
  }
  expect(batches.map(({ items }) => items)).toEqual([[1], [2, 3, 4], [5, 6]]);
  expect(await Promise.all(calls)).toEqual(['1!', '2!', '3!', '4!', '5!', '6!']);
});

test('an error reaches every member of its batch and nobody else, and the next batch goes on', async () => {
  const { batches, call } = held({ most: 2, atOnce: 1 });
  const calls = [1, 2, 3, 4].map(call);
  const settled = Promise.allSettled(calls);
  batches[0]?.end();
  await turn();
  batches[1]?.fail(new Error('lost'));
  await turn();
  batches[2]?.end();
  const lost = { status: 'rejected', reason: new Error('lost') };
  expect(await settled).toEqual([
    { status: 'fulfilled', value: '1!' },
    lost,
    lost,
    { status: 'fulfilled', value: '4!' },
  ]);
});

test('an error that is thrown at once is an error of the batch', async () => {
  const call = batcher<number, string>({
    run: () => {
      throw new Error('at once');
    },
    most: 2,
    atOnce: 1,
  });
  await expect(call(1)).rejects.toThrow('at once');
  await expect(call(2)).rejects.toThrow('at once');
});

test('a batch that answers too few of its members fails for all of them', async () => {
  const call = batcher<number, string>({ run: async () => [], most: 2, atOnce: 1 });
  await expect(call(1)).rejects.toThrow('A batch of 1 was answered with 0 results.');
});
