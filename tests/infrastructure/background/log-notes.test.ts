import { setTimeout as sleep } from 'node:timers/promises';
import { expect, test } from '@jest/globals';
import { followLog } from '../../../infrastructure/background/log-watch.ts';

test('the tree is noted again and again, one run at a time, until the stop, which waits for the last run', async () => {
  let [runs, running, most] = [0, 0, 0];
  const note = async () => {
    runs += 1;
    running += 1;
    most = Math.max(most, running);
    await sleep(30);
    running -= 1;
  };
  const stop = followLog({ note }, 10);
  while (runs < 3) await sleep(5);
  await stop();
  const before = runs;
  expect([running, most]).toEqual([0, 1]);
  await sleep(100);
  expect(runs).toBe(before);
});
