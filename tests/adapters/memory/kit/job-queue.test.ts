import { expect, test } from '@jest/globals';
import { openMemory } from '../../../../adapters/memory/storage.ts';

const NOON = new Date('2026-01-30T12:00:00Z');
const later = (seconds: number) => new Date(NOON.getTime() + seconds * 1_000);

function at(start: Date) {
  let now = start;
  const storage = openMemory({ now: () => now });
  return {
    storage,
    moveTo: (time: Date) => {
      now = time;
    },
  };
}

test('a sweep that is asked for runs soon, and once however often it was asked for', async () => {
  const { storage } = at(NOON);
  await storage.jobs.enqueue('evaluate-due');
  await storage.jobs.enqueue('evaluate-due');
  expect(await storage.takeDueJobs()).toEqual(['evaluate-due']);
  expect(await storage.takeDueJobs()).toEqual([]);
});

test('a later sweep waits for its time, and does not swallow one that is asked for now', async () => {
  const { storage, moveTo } = at(NOON);
  await storage.jobs.enqueue('evaluate-due', later(60));
  await storage.jobs.enqueue('evaluate-due');
  expect(await storage.takeDueJobs()).toEqual(['evaluate-due']);
  expect(await storage.nextJobAt()).toEqual(later(60));
  moveTo(later(59));
  expect(await storage.takeDueJobs()).toEqual([]);
  moveTo(later(60));
  expect(await storage.takeDueJobs()).toEqual(['evaluate-due']);
  expect(await storage.nextJobAt()).toBeNull();
});

test('a sweep is asked for with its transaction, or not at all', async () => {
  const { storage } = at(NOON);
  const undone = storage.transaction(async ({ jobs }) => {
    await jobs.enqueue('evaluate-due');
    throw new Error('undone');
  });
  await expect(undone).rejects.toThrow('undone');
  expect(await storage.takeDueJobs()).toEqual([]);
  await storage.transaction(({ jobs }) => jobs.enqueue('verify-instruments'));
  expect(await storage.takeDueJobs()).toEqual(['verify-instruments']);
});
