import { expect, test } from '@jest/globals';
import { sourceMemory } from '../../../adapters/market/market-data-router.ts';

test('what is kept is recalled until its time is over', () => {
  const memory = sourceMemory<string>(100);
  memory.keep('BTC', 'binance', 1_000);
  expect([memory.recall('BTC', 1_099), memory.recall('BTC', 1_100)]).toEqual(['binance', undefined]);
});

test('the latest is what counts, and it can be forgotten', () => {
  const memory = sourceMemory<string>(100);
  memory.keep('BTC', 'binance', 0);
  memory.keep('BTC', 'okx', 50);
  expect(memory.recall('BTC', 120)).toBe('okx');
  memory.forget('BTC');
  expect(memory.recall('BTC', 120)).toBeUndefined();
});

test('beyond ten thousand the oldest goes', () => {
  const memory = sourceMemory<number>(100);
  for (let i = 0; i <= 10_000; i++) memory.keep(`coin ${i}`, i, 0);
  expect([memory.recall('coin 0', 1), memory.recall('coin 1', 1)]).toEqual([undefined, 1]);
  memory.keep('coin 1', 1, 0);
  memory.keep('one more', 0, 0);
  expect([memory.recall('coin 1', 1), memory.recall('coin 2', 1)]).toEqual([1, undefined]);
});
