import type { Closed, PollRefusal } from '../../../domain/accounts/provider/device-polling.ts';
import { Problem, type ProblemCode } from '../../../domain/problem.ts';
import { SECOND } from '../../../domain/time.ts';

/** The refusal of a poll that gets no key; null: the code is unknown, or no longer known. */
export function deviceRefusal(refusal: PollRefusal | null): Problem {
  if (refusal === null) return new Problem('EXPIRED_TOKEN', 'There is no such device code, or it ended long ago.');
  switch (refusal.step) {
    case 'wait':
      return new Problem('AUTHORIZATION_PENDING', 'The user has not decided yet.', whenToPoll(refusal));
    case 'slow_down':
      return tooSoon(refusal);
    case 'over':
      return closedProblem(refusal.status);
  }
}

function whenToPoll({ poll_every }: Polled) {
  return { retry_after_seconds: poll_every / SECOND };
}

function tooSoon(polled: Polled): Problem {
  const { retry_after_seconds } = whenToPoll(polled);
  const suggestion = `Leave at least ${retry_after_seconds} seconds between polls from now on.`;
  const message = 'The code was polled before its interval was over.';
  return new Problem('SLOW_DOWN', message, { suggestion, retry_after_seconds });
}

interface Polled {
  readonly poll_every: number;
}

function closedProblem(status: Closed): Problem {
  const [code, message, suggestion] = CLOSED[status];
  return new Problem(code, message, suggestion === undefined ? {} : { suggestion });
}

const CLOSED: Readonly<Record<Closed, readonly [code: ProblemCode, message: string, suggestion?: string]>> = {
  denied: ['ACCESS_DENIED', 'The user refused the sign-in.'],
  expired: ['EXPIRED_TOKEN', 'The sign-in was not completed in time.'],
  spent: [
    'EXPIRED_TOKEN',
    'The identity provider has redeemed this sign-in already, and its answer was lost on the way.',
    'Start the device flow again; no key was issued.',
  ],
  consumed: [
    'EXPIRED_TOKEN',
    'This device code was redeemed already: its API key was issued, and a key is shown only once.',
    'If the key never arrived, have the owner revoke it and start the device flow again.',
  ],
};
