import { expect, test } from '@jest/globals';
import { concurrencyLimit } from '../../../adapters/identity/concurrency-limit.ts';

const refuse = () => {
  throw new Error('full');
};
const turn = () => new Promise((resolve) => setImmediate(resolve));

test('never more run at once than allowed, also when one comes as another ends', async () => {
  const inTurn = concurrencyLimit(2, 100, refuse);
  let running = 0;
  let most = 0;
  const work = async () => {
    running += 1;
    most = Math.max(most, running);
    await turn();
    running -= 1;
  };
  const chain = async () => {
    for (let round = 0; round < 5; round += 1) await inTurn(work);
  };
  await Promise.all(Array.from({ length: 8 }, chain));
  expect(most).toBe(2);
});

test('a place is freed by work that throws', async () => {
  const inTurn = concurrencyLimit(1, 100, refuse);
  const outcomes = await Promise.allSettled([
    inTurn(async () => Promise.reject(new Error('failed'))),
    inTurn(async () => 'served'),
  ]);
  expect(outcomes.map(({ status }) => status)).toEqual(['rejected', 'fulfilled']);
});

test('those beyond the queue are refused', async () => {
  const inTurn = concurrencyLimit(1, 1, refuse);
  const outcomes = await Promise.allSettled([inTurn(turn), inTurn(turn), inTurn(turn)]);
  expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled', 'rejected']);
});
