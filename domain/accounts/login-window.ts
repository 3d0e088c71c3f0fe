import { LOGIN } from '../limits.ts';

/** The start of the fixed window of attempts that the instant lies in: quarters of an hour, in UTC. */
export function loginWindow(at: Date): Date {
  return new Date(Math.floor(at.getTime() / LOGIN.window) * LOGIN.window);
}

/** When the window is over. */
export function endOfLoginWindow(start: Date): Date {
  return new Date(start.getTime() + LOGIN.window);
}
