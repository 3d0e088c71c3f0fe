import type { Millis } from '../../time.ts';

/** When a fixed window that began then is over. */
export function endOfWindow(start: Date, length: Millis): Date {
  return new Date(start.getTime() + length);
}
