import { hasFactor } from '../../../domain/accounts/factors/factor.ts';
import type { Role } from '../../../domain/caller.ts';
import { Problem } from '../../../domain/problem.ts';
import type { Ports, Settings } from '../../ports.ts';
import { hashOfSession, type PresentedCredential } from '../sign-in/proof-of-credential.ts';

type FactorRules = Pick<Settings, 'adminFactorRequired' | 'ownerFactorRequired'>;

export type RequiredFactorPorts = Pick<Ports, 'factors' | 'sessions' | 'identityProvider'> & {
  readonly settings: FactorRules;
};

/** What a credential is used for: the admin area, or anything else that an owner does by session or bearer token. */
export type FactorArea = 'admin' | 'owner';

const NAMES: Readonly<Record<FactorArea, string>> = { admin: 'The admin area', owner: 'This service' };

/** Whether an owner of that role needs a second factor, so that the last one stays. */
export function needsFactor({ adminFactorRequired, ownerFactorRequired }: FactorRules, role: Role): boolean {
  return ownerFactorRequired || (adminFactorRequired && role === 'admin');
}

/**
 * The refusal of an owner whose session was opened without a second factor, or whose token names none, where one is required
 * (OWNER_FACTOR; ADMIN_FACTOR for the admin area); null where none is needed, and for API keys. In the admin area an owner
 * who has a factor always needs a session with it: one of before its enrolment has fewer rights.
 * @throws Problem SERVICE_UNAVAILABLE when the provider's keys are unavailable
 */
export async function factorRefusal(
  { factors, sessions, identityProvider, settings }: RequiredFactorPorts,
  area: FactorArea,
  owner_id: string,
  { kind, secret }: PresentedCredential,
): Promise<Problem | null> {
  const isRequired = settings.ownerFactorRequired || (area === 'admin' && settings.adminFactorRequired);
  if (kind === 'api_key' || (area === 'owner' && !isRequired)) return null;
  if (kind === 'owner_bearer') {
    const isProved = !isRequired || (await identityProvider?.loginOfBearer(secret))?.has_factor;
    return isProved ? null : tokenWithout(area, identityProvider?.factorLevels ?? []);
  }
  const session = await sessions.find(hashOfSession(secret));
  if (session && session.factor !== null) return null;
  if (hasFactor(await factors.of(owner_id))) return sessionWithout(area);
  return isRequired ? notEnrolled(area, identityProvider !== null) : null;
}

function notEnrolled(area: FactorArea, hasProvider: boolean): Problem {
  const message = `${NAMES[area]} needs a second factor, and this account has none.`;
  const problem = new Problem('FACTOR_REQUIRED', message);
  if (!hasProvider) return problem;
  const atProvider = 'Or log in with one at the identity provider: GET /api/v1/public/auth/idp?fresh=true&factor=true.';
  return new Problem('FACTOR_REQUIRED', message, { suggestion: `${problem.suggestion} ${atProvider}` });
}

function sessionWithout(area: FactorArea): Problem {
  return new Problem('FACTOR_REQUIRED', `${NAMES[area]} needs a session that was opened with your second factor.`, {
    suggestion:
      'Log in again with it: POST /api/v1/owner/auth/reauthenticate with `totp`, `recovery_code` or a passkey; then repeat ' +
      'the request with the new cookie.',
  });
}

function tokenWithout(area: FactorArea, acr_values: readonly string[]): Problem {
  return new Problem('FACTOR_REQUIRED', `${NAMES[area]} needs a second factor, and this token names none.`, {
    suggestion:
      'Get a token whose `amr` or `acr` names a second factor, or use a session: log in through the provider, and add a ' +
      'second factor here: POST /api/v1/owner/auth/factors/totp.',
    login: { acr_values },
  });
}

/**
 * The refusal of a key for an account that has not existed before: nobody can have added a second factor to it.
 * @throws Problem FACTOR_REQUIRED
 */
export function refuseKeyOfNewAccount({ ownerFactorRequired }: Pick<Settings, 'ownerFactorRequired'>): void {
  if (!ownerFactorRequired) return;
  throw new Problem('FACTOR_REQUIRED', 'Accounts need a second factor here before they get an API key.', {
    suggestion:
      'Open the account with POST /api/v1/public/auth/register, log in, add a second factor (POST ' +
      '/api/v1/owner/auth/factors/totp, or a passkey), then create a key: POST /api/v1/owner/auth/api-keys.',
  });
}

/** Whether a device sign-in was approved with a password alone, though owners need a second factor. */
export function isBareApproval(
  { ownerFactorRequired }: Pick<Settings, 'ownerFactorRequired'>,
  { has_factor }: { readonly has_factor: boolean },
): boolean {
  return ownerFactorRequired && !has_factor;
}

/** The refusal of such a sign-in, which ends with it. */
export function bareApproval(): Problem {
  return new Problem('FACTOR_REQUIRED', 'The identity provider names no second factor for this sign-in, so it ended.', {
    suggestion:
      'Start the device flow again, and have the owner approve it with a second factor at the provider; or the owner logs ' +
      'in with a browser, adds a second factor, and creates a key: POST /api/v1/owner/auth/api-keys.',
  });
}
