import type { CountedAttempt } from '../../../domain/accounts/sign-in/login-store.ts';
import { endOfWindow } from '../../../domain/accounts/sign-in/login-window.ts';
import { Problem } from '../../../domain/problem.ts';
import { type Millis, SECOND } from '../../../domain/time.ts';
import type { Ports } from '../../ports.ts';

/** A limit on what may be done in a fixed window. */
export interface CountedLimit {
  /** The hash of what is counted. */
  readonly subject: Uint8Array;
  readonly most: number;
  readonly window: Millis;
  /** Of the refusal. */
  readonly message: string;
  readonly suggestion: string;
}

/**
 * Counts in the current window of each limit, then does the work; what throws is taken back. So never more is done in a
 * window than its limit, and work in progress counts.
 * @throws Problem RATE_LIMIT_EXCEEDED where a window is full
 */
export async function counted<T>(
  { logins }: Pick<Ports, 'logins'>,
  limits: readonly CountedLimit[],
  work: () => Promise<T>,
): Promise<T> {
  const attempts: CountedAttempt[] = [];
  try {
    for (const limit of limits) {
      const attempt = await logins.count(limit.subject, limit.most, limit.window);
      if (!attempt.admitted) throw refusalOf(attempt, limit);
      attempts.push(attempt);
    }
    return await work();
  } catch (fault) {
    for (const attempt of attempts) await logins.takeBack(attempt);
    throw fault;
  }
}

/** The refusal of an attempt that a full window did not admit. */
export function refusalOf(attempt: CountedAttempt, limit: Omit<CountedLimit, 'subject' | 'most'>): Problem {
  const left = endOfWindow(attempt.window_start, limit.window).getTime() - attempt.at.getTime();
  const { message, suggestion } = limit;
  return new Problem('RATE_LIMIT_EXCEEDED', message, { suggestion, retry_after_seconds: left / SECOND });
}
