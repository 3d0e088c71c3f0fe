import { Problem } from '../../../domain/problem.ts';
import { MINUTE, type Millis, SECOND } from '../../../domain/time.ts';
import type { Ports, Stores } from '../../ports.ts';
import { hashOfSession, type PresentedCredential } from './proof-of-credential.ts';

/**
 * Confirms, in the transaction of an action, that the caller proved to be the owner a short time ago (REAUTH_MINUTES).
 * A session that is confirmed cannot end before the action.
 * @throws Problem REAUTHENTICATION_REQUIRED
 */
export type ConfirmLogin = (stores: Pick<Stores, 'sessions'>) => Promise<void>;

/**
 * The confirmation for a request with that credential: a session is judged by the last proof of a password or by the
 * provider's login, a bearer token by what it says of its login.
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
  const login = credential && identityProvider && (await identityProvider.loginOfBearer(credential.secret));
  const at = login?.at ?? null;
  const isRecent = at !== null && (await clock.now()).getTime() < at.getTime() + within;
  // A further login with less than the first had would be refused elsewhere: in the admin area.
  const acr_values = (login?.has_factor && identityProvider?.factorLevels) || [];
  return async () => {
    if (!isRecent) throw at === null ? tokenWithoutTime(within, acr_values) : tokenTooOld(within, acr_values);
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
    login: { max_age: within / SECOND, acr_values: [] },
  });
}

function tokenTooOld(within: Millis, acr_values: readonly string[]): Problem {
  const minutes = within / MINUTE;
  const message = `This needs a token of a login in the last ${minutes} minutes (auth_time, or iat without it).`;
  return new Problem('REAUTHENTICATION_REQUIRED', message, {
    suggestion:
      `Log in at the identity provider again (max_age=${within / SECOND}, or prompt=login), and repeat the request with ` +
      'the new access token.',
    login: { max_age: within / SECOND, acr_values },
  });
}

function tokenWithoutTime(within: Millis, acr_values: readonly string[]): Problem {
  const message = 'This needs a token that says when its owner logged in (auth_time), and this one does not.';
  return new Problem('REAUTHENTICATION_REQUIRED', message, {
    suggestion:
      'Configure the identity provider to write auth_time into access tokens, and get a new one; or log in by session: ' +
      'GET /api/v1/public/auth/idp?fresh=true.',
    login: { max_age: within / SECOND, acr_values },
  });
}
