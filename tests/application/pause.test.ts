import { afterEach, beforeEach, expect, jest, test } from '@jest/globals';
import { giveWay, pause, urgently } from '../../application/pause.ts';

beforeEach(() => {
  jest.useFakeTimers({ doNotFake: ['Date', 'hrtime', 'nextTick', 'queueMicrotask', 'setImmediate'] });
});
afterEach(() => {
  // What went on is over before the next test.
  jest.advanceTimersByTime(1_000);
  jest.useRealTimers();
});

/** An urgent request that goes on until its end, and what happened so far. */
function underWay() {
  const { promise, resolve: end } = Promise.withResolvers<string>();
  const seen: string[] = [];
  const request = urgently(promise);
  const work = (name: string) => giveWay().then(() => seen.push(name));
  return { seen, end, request, work };
}

async function turns(count: number): Promise<void> {
  for (let n = 0; n < count; n += 1) await pause();
}

test('work waits for the end of every urgent request, and then all of it goes on', async () => {
  const [one, other] = [underWay(), underWay()];
  const works = [one.work('a'), one.work('b')];
  await turns(5);
  one.end('first');
  expect(await one.request).toBe('first');
  await turns(5);
  expect(one.seen).toEqual([]);
  other.end('second');
  await Promise.all(works);
  expect(one.seen).toEqual(['a', 'b']);
});

test('a request that fails holds up nothing', async () => {
  await expect(urgently(Promise.reject(new Error('no')))).rejects.toThrow('no');
  await giveWay();
});

test('where urgent requests never end, work goes on for 2 of 7 ms', async () => {
  const { seen, end, work } = underWay();
  const first = work('first');
  await turns(3);
  jest.advanceTimersByTime(4);
  await turns(3);
  expect(seen).toEqual([]);
  jest.advanceTimersByTime(1);
  await first;
  await work('at once');
  jest.advanceTimersByTime(2);
  const last = work('last');
  await turns(3);
  expect(seen).toEqual(['first', 'at once']);
  jest.advanceTimersByTime(5);
  await last;
  end('');
});
