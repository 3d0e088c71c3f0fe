import { Problem } from '../../../domain/problem.ts';
import { MINUTE, type Millis } from '../../../domain/time.ts';
import type { Ports, Stores } from '../../ports.ts';
import type { PresentedCredential } from './proof-of-credential.ts';
import { hashOfSession } from './session-hash.ts';

/**
 * Confirms, in the transaction of an action, that the caller proved to be the owner a short time ago (REAUTH_MINUTES).
 * A session that is confirmed cannot end before the action.
 * @throws Problem REAUTHENTICATION_REQUIRED
 */
export type ConfirmLogin = (stores: Pick<Stores, 'sessions'>) => Promise<void>;

/**
 * The confirmation for a request with that credential: a session is judged by the last proof of a password or by the
 * provider's login, a bearer token by its `auth_time`.
 * @throws Problem SERVICE_UNAVAILABLE when the provider's keys are unavailable
 */
export async function recentLoginBy(
  { identityProvider, clock, settings }: Pick<Ports, 'identityProvider' | 'clock' | 'settings'>,
  credential: PresentedCredential | null,
): Promise<ConfirmLogin> {
  const within = settings.reauthenticateAfter;
  if (credential?.kind === 'legacy_session') {
    const session_hash = hashOfSession(credential.secret);
    return async ({ sessions }) => {
      if (!(await sessions.confirmRecent(session_hash, within))) throw sessionTooOld(within);
    };
  }
  const loggedInAt = credential && identityProvider && (await identityProvider.loginOfBearer(credential.secret));
  const isRecent = loggedInAt !== null && (await clock.now()).getTime() < loggedInAt.getTime() + within;
  return async () => {
    if (!isRecent) throw tokenTooOld(within);
  };
}

/** For a request whose session ended after it was admitted. */
export function endedSession(): Problem {
  return new Problem('UNAUTHORIZED', 'This session has ended.', {
    suggestion: 'Log in again: POST /api/v1/public/auth/login.',
  });
}

/** For an action of an owner whose last proof is older than that. */
export function sessionTooOld(within: Millis): Problem {
  return new Problem('REAUTHENTICATION_REQUIRED', `This needs a login in the last ${within / MINUTE} minutes.`, {
    suggestion:
      'Send your password, or a passkey, to POST /api/v1/owner/auth/reauthenticate; without a password open ' +
      'GET /api/v1/public/auth/idp?fresh=true in the browser. Then repeat the request with the new cookie.',
    without: {
      provider:
        'Send your password, or a passkey, to POST /api/v1/owner/auth/reauthenticate. Then repeat the request with the ' +
        'new cookie.',
    },
  });
}

function tokenTooOld(within: Millis): Problem {
  const minutes = within / MINUTE;
  return new Problem(
    'REAUTHENTICATION_REQUIRED',
    `This needs a token whose auth_time is in the last ${minutes} minutes.`,
    {
      suggestion:
        'Log in at the identity provider again (prompt=login), and repeat the request with the new access token. ' +
        'If its tokens have no auth_time, log in by session: GET /api/v1/public/auth/idp?fresh=true.',
    },
  );
}
