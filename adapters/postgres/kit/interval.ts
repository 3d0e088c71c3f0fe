import type { Millis } from '../../../domain/time.ts';

/** The value of a parameter `$n::interval`. */
export function interval(millis: Millis): string {
  return `${millis} milliseconds`;
}
