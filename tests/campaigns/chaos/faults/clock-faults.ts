import { setTimeout as sleep } from 'node:timers/promises';
import { DAY, SECOND } from '../../../../domain/time.ts';
import type { Fault } from './fault.ts';

export const clockForward: Fault = async ({ clock }, random) => {
  const millis = (20 + random.below(300)) * SECOND;
  await clock.jump(millis);
  return { detail: `${millis / SECOND} s ahead` };
};

/** As far as a time server may set it. Requests that were counted in the later window must not be admitted again. */
export const clockBack: Fault = async ({ clock }, random) => {
  const millis = (2 + random.below(10)) * SECOND;
  await clock.jump(-millis);
  return { detail: `${millis / SECOND} s back` };
};

/** Into the next day, back into the old one, and forward again: the pools of both days are opened once. */
export const clockOverMidnight: Fault = async ({ clock }) => {
  const now = clock.now().getTime();
  await clock.jump((Math.floor(now / DAY) + 1) * DAY - now - SECOND);
  await sleep(2_000);
  await clock.jump(-3 * SECOND);
  await sleep(1_000);
  await clock.jump(5 * SECOND);
  return { detail: 'over midnight, back, and over it again' };
};
