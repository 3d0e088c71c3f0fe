import { expect, test } from '@jest/globals';
import { batcher } from '../../../../adapters/postgres/kit/batcher.ts';

/** A batcher whose batches end only when the test says so; its clock stands still unless the test moves it. */
function held({ most, atOnce }: { most: number; atOnce: number }) {
  const batches: { items: readonly number[]; end(): void; fail(error: Error): void }[] = [];
  const clock = { at: 0 };
  const call = batcher<number, string>({
    run: (items) =>
      new Promise((resolve, reject) => {
        batches.push({ items, end: () => resolve(items.map((item) => `${item}!`)), fail: reject });
      }),
    most,
    atOnce,
    monotonic: () => clock.at,
  });
  return { batches, call, clock, left: () => batches.map(({ items }) => items) };
}

const turn = () => new Promise((resolve) => setImmediate(resolve));

test('calls are sent together as long as each turn of the event loop brings another', async () => {
  const { batches, call, left } = held({ most: 64, atOnce: 1 });
  const calls = [1, 2].map(call);
  for (const next of [3, 4, 5]) {
    await turn();
    calls.push(call(next));
  }
  expect(left()).toEqual([]);
  await turn();
  await turn();
  expect(left()).toEqual([[1, 2, 3, 4, 5]]);
  batches[0]?.end();
  expect(await Promise.all(calls)).toEqual(['1!', '2!', '3!', '4!', '5!']);
});

test('a single call is sent at the end of its turn', async () => {
  const { batches, call, left } = held({ most: 64, atOnce: 1 });
  const called = call(1);
  await turn();
  expect(left()).toEqual([[1]]);
  batches[0]?.end();
  expect(await called).toBe('1!');
});

test('a batch that never stops growing is sent all the same', async () => {
  const { call, clock, left } = held({ most: 64, atOnce: 1 });
  void call(0);
  for (let n = 1; n <= 20; n += 1) {
    void call(n);
    await turn();
  }
  expect(left()).toEqual([]);
  clock.at = 5;
  void call(21);
  await turn();
  expect(left()).toHaveLength(1);
});

test('a batch that no call may join is sent at once', () => {
  const { call, left } = held({ most: 1, atOnce: 2 });
  [1, 2, 3].map(call);
  expect(left()).toEqual([[1], [2]]);
});

test('calls that wait for a place are sent together as soon as one is free', async () => {
  const { batches, call, left } = held({ most: 64, atOnce: 2 });
  const calls = [call(1)];
  await turn();
  calls.push(call(2));
  await turn();
  calls.push(...[3, 4].map(call));
  await turn();
  await turn();
  expect(left()).toEqual([[1], [2]]);
  calls.push(call(5));
  batches[1]?.end();
  await turn();
  await turn();
  expect(left()).toEqual([[1], [2], [3, 4, 5]]);
  batches[0]?.end();
  batches[2]?.end();
  expect(await Promise.all(calls)).toEqual(['1!', '2!', '3!', '4!', '5!']);
});

test('a batch has at most its size, and earlier calls are sent first', async () => {
  const { batches, call, left } = held({ most: 3, atOnce: 1 });
  const calls = [1, 2, 3, 4, 5, 6, 7].map(call);
  for (let batch = 0; batch < 3; batch += 1) {
    await turn();
    await turn();
    expect(batches).toHaveLength(batch + 1);
    batches[batch]?.end();
  }
  expect(left()).toEqual([[1, 2, 3], [4, 5, 6], [7]]);
  expect(await Promise.all(calls)).toEqual(['1!', '2!', '3!', '4!', '5!', '6!', '7!']);
});

test('an error reaches only the members of its batch, and the next batch goes on', async () => {
  const { batches, call } = held({ most: 2, atOnce: 1 });
  const calls = [1, 2, 3, 4, 5].map(call);
  const settled = Promise.allSettled(calls);
  await turn();
  batches[0]?.end();
  await turn();
  batches[1]?.fail(new Error('lost'));
  await turn();
  await turn();
  batches[2]?.end();
  const lost = { status: 'rejected', reason: new Error('lost') };
  expect(await settled).toEqual([
    { status: 'fulfilled', value: '1!' },
    { status: 'fulfilled', value: '2!' },
    lost,
    lost,
    { status: 'fulfilled', value: '5!' },
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

test('items that count as several fill a batch sooner, and one that is too large is a batch of its own', async () => {
  const batches: (readonly number[])[] = [];
  const call = batcher<number, number>({
    run: async (items) => {
      batches.push(items);
      return items;
    },
    most: 10,
    sizeOf: (item) => item,
    atOnce: 1,
  });
  const sizes = [4, 5, 1, 8, 3, 20, 2];
  expect(await Promise.all(sizes.map(call))).toEqual(sizes);
  expect(batches).toEqual([[4, 5, 1], [8], [3], [20], [2]]);
});
