import { expect, test } from '@jest/globals';
import type { Job } from '../../../domain/jobs.ts';
import { wakeUps } from '../../../infrastructure/background/wake-ups.ts';

function queueOf(answer: () => Promise<void> = async () => undefined) {
  const enqueued: Job[] = [];
  return {
    enqueued,
    async enqueue(job: Job) {
      enqueued.push(job);
      await answer();
    },
  };
}

const never = (fault: unknown) => {
  throw fault;
};

test('jobs that are requested together are enqueued once', async () => {
  const queue = queueOf();
  const { wake, close } = wakeUps(queue, never);
  for (const job of ['evaluate-due', 'evaluate-due', 'verify-instruments'] as const) wake(job);
  await close();
  expect(queue.enqueued).toEqual(['evaluate-due', 'verify-instruments']);
});

test('closing waits for the job that is being enqueued', async () => {
  const { promise, resolve } = Promise.withResolvers<void>();
  const { wake, close } = wakeUps(
    queueOf(() => promise),
    never,
  );
  wake('evaluate-due');
  let closed = false;
  const closing = close().then(() => {
    closed = true;
  });
  await new Promise((next) => setImmediate(next));
  expect(closed).toBe(false);
  resolve();
  await closing;
});

test('nothing is sent after the close', async () => {
  const queue = queueOf();
  const { wake, close } = wakeUps(queue, never);
  await close();
  wake('evaluate-due');
  await close();
  expect(queue.enqueued).toEqual([]);
});

test('a queue that fails is reported and harms no caller', async () => {
  const faults: unknown[] = [];
  const gone = new Error('The queue is gone');
  const { wake, close } = wakeUps(
    queueOf(() => Promise.reject(gone)),
    (fault) => faults.push(fault),
  );
  wake('evaluate-due');
  await close();
  expect(faults).toEqual([gone]);
});
