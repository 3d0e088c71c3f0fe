import { hasFactor } from '../../../domain/accounts/factors/factor.ts';
import { Problem } from '../../../domain/problem.ts';
import type { Ports } from '../../ports.ts';
import type { PresentedCredential } from '../sign-in/proof-of-credential.ts';
import { hashOfSession } from '../sign-in/session-hash.ts';

export type AdminFactorPorts = Pick<Ports, 'factors' | 'sessions' | 'identityProvider'> & {
  readonly settings: Pick<Ports['settings'], 'adminFactorRequired'>;
};

/**
 * The refusal of an admin in the admin area whose session was opened without a second factor, or whose token does not tell
 * of one (ADMIN_FACTOR); null where none is needed. An admin who has a factor always needs a session with it: one of before
 * its enrolment has fewer rights.
 * @throws Problem SERVICE_UNAVAILABLE when the provider's keys are unavailable
 */
export async function adminFactorRefusal(
  { factors, sessions, identityProvider, settings }: AdminFactorPorts,
  owner_id: string,
  { kind, secret }: PresentedCredential,
): Promise<Problem | null> {
  const { adminFactorRequired: isRequired } = settings;
  if (kind !== 'legacy_session') {
    const isProved = !isRequired || (await identityProvider?.loginOfBearer(secret))?.has_factor;
    return isProved ? null : tokenWithout(identityProvider?.factorLevels ?? []);
  }
  const session = await sessions.find(hashOfSession(secret));
  if (session && session.factor !== null) return null;
  if (hasFactor(await factors.of(owner_id))) return sessionWithout();
  return isRequired ? notEnrolled(identityProvider !== null) : null;
}

function notEnrolled(hasProvider: boolean): Problem {
  const message = 'The admin area needs a second factor, and this account has none.';
  const problem = new Problem('FACTOR_REQUIRED', message);
  if (!hasProvider) return problem;
  const atProvider = 'Or log in with one at the identity provider: GET /api/v1/public/auth/idp?fresh=true&factor=true.';
  return new Problem('FACTOR_REQUIRED', message, { suggestion: `${problem.suggestion} ${atProvider}` });
}

function sessionWithout(): Problem {
  return new Problem('FACTOR_REQUIRED', 'The admin area needs a session that was opened with your second factor.', {
    suggestion:
      'Log in again with it: POST /api/v1/owner/auth/reauthenticate with `totp`, `recovery_code` or a passkey; then repeat ' +
      'the request with the new cookie.',
  });
}

function tokenWithout(acr_values: readonly string[]): Problem {
  return new Problem('FACTOR_REQUIRED', 'The admin area needs a second factor, and this token tells of none.', {
    suggestion:
      'Get a token whose `amr` or `acr` tells of a second factor, or use a session: log in through the provider, and add a ' +
      'second factor here: POST /api/v1/owner/auth/factors/totp.',
    login: { acr_values },
  });
}
