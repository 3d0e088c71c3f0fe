import type { Millis } from '../domain/time.ts';

/** Lets requests be answered between two evaluations, or two parts of a long request. */
export function pause(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}

/** How long work gives way to urgent requests, and how long it then goes on while they do not end. */
const [PATIENCE, WORK]: readonly [Millis, Millis] = [5, 2];

/** Parts of requests under way in this process that agents wait for. */
let urgent = 0;
const waiting = new Set<() => void>();
let worksUntil = 0;

/** Does a part of a request to which `giveWay` gives way. */
export async function urgently<T>(work: Promise<T> | T): Promise<T> {
  urgent += 1;
  try {
    return await work;
  } finally {
    urgent -= 1;
    if (urgent === 0) for (const resume of waiting) resume();
  }
}

/**
 * The same as `pause`, between two parts of work that nobody waits for: it also waits until nothing urgent is under way, here
 * and in PostgreSQL. Where that never ends it goes on for 2 of 7 ms.
 */
export async function giveWay(): Promise<void> {
  await pause();
  if (performance.now() < worksUntil) return;
  const until = performance.now() + PATIENCE;
  while (urgent > 0) {
    if (await isBusyUntil(until)) {
      worksUntil = performance.now() + WORK;
      return;
    }
    await pause();
  }
}

function isBusyUntil(until: Millis): Promise<boolean> {
  const { promise, resolve } = Promise.withResolvers<boolean>();
  const timer = setTimeout(resolve, Math.max(0, until - performance.now()), true);
  const resume = () => resolve(false);
  waiting.add(resume);
  return promise.finally(() => {
    clearTimeout(timer);
    waiting.delete(resume);
  });
}
