import { isLoginSecret, type ProviderLogin } from '../../../domain/accounts/provider-login.ts';
import { Problem } from '../../../domain/problem.ts';
import type { Ports } from '../../ports.ts';
import { beginSession, type LoggedIn } from '../sign-in/begin-session.ts';
import { configured } from './configured.ts';
import { hashOfLoginSecret } from './login-secret.ts';
import { ownerOfIdentity } from './owner-of-identity.ts';

/** What the provider sends back with the browser: a code and the state of the login, or an error. */
export type ProviderAnswer =
  | { readonly state: string; readonly code: string; readonly iss: string | undefined }
  | { readonly state: string | undefined; readonly error: string };

/** What the browser itself sent, not verified yet. */
export interface Presented {
  readonly browserSecret: string | undefined;
  readonly session: string | undefined;
}

/**
 * Ends a login through the identity provider with a session, as a login by password does (interface.md 4.5, settled.md
 * section 8). The browser of the state uses it up in any case; another browser cannot use it.
 * @throws Problem OAUTH_NOT_CONFIGURED, OAUTH_CALLBACK_ERROR when the provider refused or failed, INVALID_STATE
 */
export async function finishProviderLogin(
  ports: Pick<Ports, 'identityProvider' | 'providerLogins' | 'identities' | 'clock' | 'transaction'>,
  answer: ProviderAnswer,
  { browserSecret, session }: Presented,
): Promise<LoggedIn> {
  const provider = configured(ports.identityProvider);
  const login = await takeLogin(ports, answer.state, browserSecret);
  if ('error' in answer) {
    throw new Problem('OAUTH_CALLBACK_ERROR', `The identity provider did not log you in${reasonOf(answer.error)}.`);
  }
  if (!login) throw new Problem('INVALID_STATE', 'This browser has no such login under way, or not any more.');
  const owner = await ownerOfIdentity(ports, await provider.redeem(answer, login));
  const created_at = await ports.clock.now();
  return ports.transaction(({ sessions }) => beginSession({ sessions }, owner, session, created_at));
}

async function takeLogin(
  { providerLogins }: Pick<Ports, 'providerLogins'>,
  state: string | undefined,
  browserSecret: string | undefined,
): Promise<ProviderLogin | null> {
  if (state === undefined || browserSecret === undefined) return null;
  if (!isLoginSecret(state) || !isLoginSecret(browserSecret)) return null;
  return providerLogins.take(hashOfLoginSecret(state), hashOfLoginSecret(browserSecret));
}

/** Anyone can write the address line: only a code of the form of RFC 6749 is repeated. */
function reasonOf(error: string): string {
  return /^[a-z_]{1,40}$/.test(error) ? `: ${error}` : '';
}
