import type { Owner } from '../../../domain/accounts/owner.ts';
import type { ProvenIdentity } from '../../../domain/accounts/provider/identity.ts';
import { isLoginSecret, type ProviderLogin } from '../../../domain/accounts/provider/provider-login.ts';
import { eventOf } from '../../../domain/accounts/security-event.ts';
import { Problem } from '../../../domain/problem.ts';
import type { Ports } from '../../ports.ts';
import { beginSession, type LoggedIn, notingSuspension } from '../sign-in/begin-session.ts';
import type { RequestClient } from '../sign-in/request-client.ts';
import { configured } from './configured.ts';
import { hashOfLoginSecret } from './login-secret.ts';
import { type IdentityPorts, ownerOfIdentity } from './owner-of-identity.ts';

/** What the provider sends back with the browser: a code and the state of the login, or an error. */
export type ProviderAnswer =
  | { readonly state: string; readonly code: string; readonly iss: string | undefined }
  | { readonly state: string | undefined; readonly error: string };

/** What the browser itself sent, not verified yet. */
export interface Presented {
  readonly browserSecret: string | undefined;
  readonly session: string | undefined;
}

export type ProviderLoginPorts = IdentityPorts & Pick<Ports, 'identityProvider' | 'providerLogins' | 'securityEvents'>;

/**
 * Ends a login through the identity provider with a session, as a login by password does (interface.md 4.5, settled.md
 * section 8). The browser of the state uses it up in any case; another browser cannot use it.
 * @throws Problem OAUTH_NOT_CONFIGURED, OAUTH_CALLBACK_ERROR when the provider refused or failed, INVALID_STATE,
 * ACCOUNT_SUSPENDED, RATE_LIMIT_EXCEEDED where no more accounts may be opened today
 */
export async function finishProviderLogin(
  ports: ProviderLoginPorts,
  answer: ProviderAnswer,
  { browserSecret, session }: Presented,
  client: RequestClient,
): Promise<LoggedIn> {
  const { source } = client;
  const {
    owner,
    provider_session,
    has_factor,
    authenticated_at: at,
  } = await provedOwner(ports, answer, browserSecret, client).catch(async (error: unknown) => {
    if (error instanceof Problem && error.category === 'auth_failed') {
      await ports.securityEvents.append(eventOf('provider_login', 'failure', null, source));
    }
    throw error;
  });
  const now = await ports.clock.now();
  // The provider's clock may be ahead.
  const authenticated_at = at && at > now ? now : at;
  return notingSuspension(ports, eventOf('provider_login', 'failure', owner.owner_id, source), () =>
    ports.transaction(async ({ sessions, securityEvents }) => {
      await securityEvents.append(eventOf('provider_login', 'success', owner.owner_id, source));
      const factor = has_factor ? 'provider' : null;
      return beginSession({ sessions }, owner, session, { now, authenticated_at, source, provider_session, factor });
    }),
  );
}

interface ProvedOwner extends Omit<ProvenIdentity, 'identity'> {
  readonly owner: Owner;
}

async function provedOwner(
  ports: ProviderLoginPorts,
  answer: ProviderAnswer,
  browserSecret: string | undefined,
  client: RequestClient,
): Promise<ProvedOwner> {
  const provider = configured(ports.identityProvider);
  const login = await takeLogin(ports, answer.state, browserSecret);
  if ('error' in answer) {
    throw new Problem('OAUTH_CALLBACK_ERROR', `The identity provider did not log you in${reasonOf(answer.error)}.`);
  }
  if (!login) throw new Problem('INVALID_STATE', 'This browser has no such login under way, or not any more.');
  const { identity, ...proof } = await provider.redeem(answer, login);
  return { owner: await ownerOfIdentity(ports, identity, client), ...proof };
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
