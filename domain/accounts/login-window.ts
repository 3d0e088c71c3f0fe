import { LOGIN } from '../limits.ts';
import { windowStart } from '../time.ts';

/** The start of the fixed window of attempts that contains the instant: quarters of an hour, in UTC. */
export function loginWindow(at: Date): Date {
  return windowStart(at, LOGIN.window);
}

/** When the window is over. */
export function endOfLoginWindow(start: Date): Date {
  return new Date(start.getTime() + LOGIN.window);
}
