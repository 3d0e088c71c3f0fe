import { randomBytes } from 'node:crypto';
import { type Owner, ownerGone } from '../../../domain/accounts/owner.ts';
import {
  type AuthorizationRequest,
  type Identity,
  isLoginSecret,
  LOGIN_SECRET_BYTES,
  type ProvenIdentity,
  type ProviderLogin,
} from '../../../domain/accounts/provider/identity-provider.ts';
import { type ActionSource, eventOf } from '../../../domain/accounts/security-event.ts';
import { uuidV7 } from '../../../domain/identifiers.ts';
import { IDENTITY } from '../../../domain/limits.ts';
import { Problem } from '../../../domain/problem.ts';
import type { Ports } from '../../ports.ts';
import { sha256 } from '../../sha256.ts';
import { counted, type NewAccountSettings, newAccountLimits, type RequestClient } from '../sign-in/register-owner.ts';
import { beginSession, type LoggedIn, notingSuspension } from '../sign-in/sessions.ts';

/** Another call opened the account meanwhile, so this one is not counted. */
const TWIN = new Error('The identity has an owner.');

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

interface BegunLogin {
  /** The provider's page to redirect the browser to. */
  readonly location: string;
  /** The secret that the browser stores, and sends with the provider's answer. */
  readonly browser_secret: string;
}

/**
 * Begins a login through the identity provider (interface.md 4.5, settled.md section 8). Every login has its own state,
 * so that a browser can have several under way.
 * @param asked `is_fresh`: the person has to log in at the provider anew, to prove to be the owner; `wants_factor`: with a
 * second factor, if the operator has said how the provider calls that
 * @param presented the secret that came with the request; the browser keeps a valid one
 * @throws Problem OAUTH_NOT_CONFIGURED, SERVICE_UNAVAILABLE
 */
export async function beginProviderLogin(
  { identityProvider, providerLogins, clock }: Pick<Ports, 'identityProvider' | 'providerLogins' | 'clock'>,
  asked: Pick<AuthorizationRequest, 'redirect_uri' | 'is_fresh' | 'wants_factor'>,
  presented: string | undefined,
): Promise<BegunLogin> {
  const provider = configured(identityProvider);
  const browser_secret = presented !== undefined && isLoginSecret(presented) ? presented : makeLoginSecret();
  const [state, nonce] = [makeLoginSecret(), makeLoginSecret()];
  const { location, code_verifier } = await provider.authorization({ ...asked, state, nonce });
  await providerLogins.add({
    state_hash: hashOfLoginSecret(state),
    browser_hash: hashOfLoginSecret(browser_secret),
    nonce,
    code_verifier,
    redirect_uri: asked.redirect_uri,
    created_at: await clock.now(),
    is_fresh: asked.is_fresh,
  });
  return { location, browser_secret };
}

/** A state, a nonce or a browser's secret. */
export function makeLoginSecret(): string {
  return randomBytes(LOGIN_SECRET_BYTES).toString('base64url');
}

/** SHA-256: its 256 random bits need no slow hash. */
function hashOfLoginSecret(secret: string): Uint8Array {
  return sha256(secret);
}

/** The client of the identity provider. @throws Problem OAUTH_NOT_CONFIGURED where none is set up */
export function configured<Provider>(provider: Provider | null): Provider {
  if (provider !== null) return provider;
  throw new Problem('OAUTH_NOT_CONFIGURED', 'No identity provider is set up here.');
}

/**
 * Ends the sessions that a logout token of the provider names (OpenID Connect Back-Channel Logout 1.0): those of its
 * `sid`, its `sub`, or both. Only sessions that began up to its issue end, so a replayed token ends nothing that is newer.
 * @throws Problem OAUTH_NOT_CONFIGURED, OAUTH_CALLBACK_ERROR for a token that is not valid, SERVICE_UNAVAILABLE when the
 * provider's keys are unavailable
 */
export async function endProviderSessions(
  { identityProvider, identities, transaction }: Pick<Ports, 'identityProvider' | 'identities' | 'transaction'>,
  token: string,
  source: ActionSource,
): Promise<void> {
  const logout = await configured(identityProvider).verifyLogout(token);
  if (!logout) {
    throw new Problem('OAUTH_CALLBACK_ERROR', 'The logout token is not valid.', {
      suggestion: 'Send a logout token of the configured provider for this client, within 5 minutes of its issue.',
    });
  }
  const { identity, provider_session, issued_at } = logout;
  const owner = identity && (await identities.find(identity));
  if (identity && !owner) return;
  const of = { owner_id: owner?.owner_id ?? null, provider_session };
  const until = new Date(issued_at.getTime() + IDENTITY.clockSkew);
  await transaction(async ({ sessions, securityEvents }) => {
    for (const owner_id of new Set(await sessions.destroyByProvider(of, until))) {
      await securityEvents.append({
        ...eventOf('session_ended', 'success', owner_id, source),
        actor: 'identity provider',
      });
    }
  });
}

export type IdentityPorts = Pick<Ports, 'identities' | 'logins' | 'transaction' | 'clock'> & NewAccountSettings;

/**
 * The owner of a proved identity, created at its first use (settled.md section 8). Of concurrent calls one creates the
 * owner, and all return the same one.
 * @throws Problem UNAUTHORIZED when that owner is removed meanwhile, RATE_LIMIT_EXCEEDED where the day's new accounts
 * are used up, also of the network
 */
export async function ownerOfIdentity(
  ports: IdentityPorts,
  identity: Identity,
  { network, source }: RequestClient,
): Promise<Owner> {
  const { identities, settings } = ports;
  const known = await identities.find(identity);
  if (known) return known;
  try {
    return await counted(ports, newAccountLimits(settings, network), () => open(ports, identity, source));
  } catch (fault) {
    if (fault !== TWIN) throw fault;
  }
  const twin = await identities.find(identity);
  if (!twin) throw ownerGone();
  return twin;
}

async function open({ transaction, clock }: IdentityPorts, identity: Identity, source: ActionSource): Promise<Owner> {
  const created_at = await clock.now();
  const owner_id = uuidV7(created_at, randomBytes(10));
  const unmarked = { suspended_at: null, email_confirmed_at: null, erases_at: null } as const;
  const terms = { role: 'owner', tier: 'free', created_at, ...unmarked } as const;
  const owner = { owner_id, email: null, password_hash: null, ...terms };
  await transaction(async ({ identities, securityEvents }) => {
    if (!(await identities.addOwner(identity, owner))) throw TWIN;
    await securityEvents.append(eventOf('identity_linked', 'success', owner_id, source));
  });
  return owner;
}
