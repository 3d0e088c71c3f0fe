import { beforeEach, expect, test } from '@jest/globals';
import { wakeUp } from '../../../adapters/jobs/runner.ts';
import type { Sweeping } from '../../../adapters/jobs/sweep.ts';
import { HOUR, MINUTE, SECOND } from '../../../domain/time.ts';

let requested: (Date | undefined)[];
let looks: number;
let follow: (answer: Sweeping) => Promise<void>;
beforeEach(() => {
  requested = [];
  looks = 0;
  const queue = { enqueue: async (_: unknown, at?: Date) => void requested.push(at) };
  follow = wakeUp(queue, 'evaluate-due', () => {
    looks += 1;
  });
});

const ahead = (by: number) => ({ next: new Date(Date.now() + by) });

test('an answer without a moment asks for nothing', async () => {
  await follow(undefined);
  await follow({});
  expect([requested, looks]).toEqual([[], 0]);
});

test('a moment within the next minutes is asked for once, however often it is answered', async () => {
  const answer = ahead(MINUTE);
  for (let i = 0; i < 3; i += 1) await follow(answer);
  expect([requested, looks]).toEqual([[answer.next], 0]);
});

test('an earlier moment is requested in addition to the later one', async () => {
  const [late, early] = [ahead(MINUTE), ahead(SECOND * 30)];
  await follow(late);
  await follow(early);
  expect(requested).toEqual([late.next, early.next]);
});

test('a moment that the schedule comes by before is left to it', async () => {
  await follow(ahead(HOUR));
  expect(requested).toEqual([]);
});

test('a moment gone by is asked for and looked for at once', async () => {
  const answer = ahead(-SECOND);
  await follow(answer);
  await follow(answer);
  expect([requested, looks]).toEqual([[answer.next, answer.next], 2]);
});

test('a sweep that always has more to do pauses after twenty runs, and then goes on', async () => {
  for (let i = 0; i < 42; i += 1) await follow(ahead(-SECOND));
  expect([requested.length, looks]).toEqual([42, 40]);
});
