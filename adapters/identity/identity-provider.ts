import passport from 'passport';
import OAuth2Strategy from 'passport-oauth2';
import type {
  AuthorizationRequest,
  IdentityProvider,
  ProvenIdentity,
  ProviderLogin,
} from '../../domain/accounts/provider/identity-provider.ts';
import { IDENTITY, SESSION } from '../../domain/limits.ts';
import { SECOND } from '../../domain/time.ts';
import type { ProviderClient } from './provider-client.ts';
import { ProviderFailure, type ProviderMetadata, type ReportFailure, refusingFailures } from './provider-metadata.ts';

class CodeFlow extends OAuth2Strategy {
  constructor(client: ProviderClient, metadata: ProviderMetadata, callbackURL: string, states: States) {
    const options = {
      authorizationURL: metadata.authorization_endpoint,
      tokenURL: metadata.token_endpoint,
      clientID: client.clientId,
      // `client` sends its proof by header or form, as the provider requires.
      clientSecret: '',
      callbackURL,
      scope: 'openid',
      pkce: true,
      store: states as unknown as OAuth2Strategy.StateStore,
      skipUserProfile: true,
    };
    super(options, (_access: string, _refresh: string, tokens: Tokens, _profile: unknown, done) => done(null, tokens));
    const getOAuthAccessToken = (code: string, form: Readonly<Record<string, string>>, done: TokenAnswer) => {
      requestTokens(client, metadata, { ...form, code }).then(
        (tokens) => done(null, tokens.access_token, undefined, tokens),
        (failure) => done(failure),
      );
    };
    Object.assign(this._oauth2, { getOAuthAccessToken });
  }

  /** passport-oauth2 calls it with the options of `passport.authenticate`. */
  override authorizationParams({ nonce, max_age, prompt, acr_values }: Readonly<Record<string, string>>): object {
    return { nonce, max_age, ...(prompt !== undefined && { prompt }), ...(acr_values !== undefined && { acr_values }) };
  }
}

/** The identity provider by OpenID Connect. The log names failures by a code; callers learn only that it failed. */
export function identityProvider(client: ProviderClient, report: ReportFailure): IdentityProvider {
  const refusing = refusingFailures(report);
  const unavailable = refusing('SERVICE_UNAVAILABLE', 'The identity provider is not available right now.');
  const proofOfBearer = (token: string) => client.identityOfAccessToken(token).catch(unavailable);
  return {
    verifyBearer: async (token) => (await proofOfBearer(token))?.identity ?? null,

    async loginOfBearer(token) {
      const proven = await proofOfBearer(token);
      return proven && { at: proven.authenticated_at, has_factor: proven.has_factor };
    },

    factorLevels: client.factorAcr,

    verifyLogout: (token) => client.logoutOfToken(token).catch(unavailable),

    authorization: (request) => authorize(client, request).catch(unavailable),

    async redeem({ code, iss }, login) {
      const failed = refusing('OAUTH_CALLBACK_ERROR', 'The identity provider did not confirm the login.');
      const proved = async () => {
        await refuseOtherIssuer(client, iss);
        const proven = await client.identityOfIdToken(await exchange(client, code, login), login.nonce);
        refuseEarlierLogin(proven, login);
        return proven;
      };
      return proved().catch(failed);
    },
  };
}

/** RFC 9207: a response of another provider must not reach the token endpoint of this one. */
async function refuseOtherIssuer(client: ProviderClient, iss: string | undefined): Promise<void> {
  const { issuer, authorization_response_iss_parameter_supported: isTold } = await client.metadata();
  if (iss === undefined ? isTold : iss !== issuer) throw new ProviderFailure('response_issuer_mismatch');
}

/** A provider that ignores `max_age` would make a session of another day a fresh login. */
function refuseEarlierLogin({ authenticated_at }: ProvenIdentity, { is_fresh, created_at }: ProviderLogin): void {
  if (!is_fresh) return;
  if (authenticated_at === null) throw new ProviderFailure('auth_time_missing');
  if (authenticated_at.getTime() < created_at.getTime() - IDENTITY.clockSkew)
    throw new ProviderFailure('login_not_fresh');
}

// passport-oauth2 runs the authorization code flow. By itself it stores states in a session, waits for tokens without a
// limit and follows redirects. So here the database stores states and verifiers, and `client` sends the token request.

/** The address to redirect the browser to, and the verifier whose hash it contains. */
async function authorize(
  client: ProviderClient,
  { redirect_uri, state, nonce, is_fresh, wants_factor }: AuthorizationRequest,
): Promise<{ readonly location: string; readonly code_verifier: string }> {
  let code_verifier = '';
  const flow = new CodeFlow(client, await client.metadata(), redirect_uri, {
    store(_request, verifier, _state, _meta, done) {
      code_verifier = verifier;
      done(null, state);
    },
    verify: unexpectedCall,
  });
  // With max_age the provider has to say when the person logged in (OpenID Connect Core, section 2).
  const age = is_fresh ? { max_age: '0', prompt: 'login' } : { max_age: String(SESSION.absolute / SECOND) };
  // Values in the order of preference, which the provider need not meet (section 3.1.2.1).
  const level = wants_factor && client.factorAcr.length > 0 ? { acr_values: client.factorAcr.join(' ') } : {};
  const location = await ending(flow, {}, { nonce, ...age, ...level });
  if (typeof location !== 'string') throw new Error('passport-oauth2 authenticated instead of redirecting.');
  return { location, code_verifier };
}

/**
 * The id token that the provider gives for the code.
 * @throws ProviderFailure
 */
async function exchange(
  client: ProviderClient,
  code: string,
  { redirect_uri, code_verifier }: ProviderLogin,
): Promise<unknown> {
  const flow = new CodeFlow(client, await client.metadata(), redirect_uri, {
    store: unexpectedCall,
    // The caller has already taken the state from the database.
    verify: (_request, _state, _meta, done) => done(null, code_verifier, null),
  });
  const tokens = await ending(flow, { code, state: 'taken' }, {});
  return (tokens as Tokens).id_token;
}

interface Tokens {
  readonly id_token?: unknown;
}

/** passport-oauth2 distinguishes these methods by how many parameters they declare. */
interface States {
  store(request: unknown, verifier: string, state: unknown, meta: unknown, done: (e: null, s: string) => void): void;
  verify(request: unknown, state: string, meta: unknown, done: (e: null, verifier: string, s: null) => void): void;
}

type TokenAnswer = (error: unknown, accessToken?: unknown, refreshToken?: unknown, tokens?: unknown) => void;

/** @throws ProviderFailure with the provider's own code if that is one of RFC 6749, 5.2 */
async function requestTokens(
  client: ProviderClient,
  { token_endpoint }: ProviderMetadata,
  form: Readonly<Record<string, string>>,
): Promise<Tokens & { readonly access_token: string }> {
  const { status, body } = await client.post(token_endpoint, form);
  const { error, ...tokens } = (body ?? {}) as { readonly error?: unknown; readonly access_token?: unknown };
  if (typeof error === 'string' && /^\w{1,40}$/.test(error)) throw new ProviderFailure(error);
  if (status !== 200) throw new ProviderFailure(`token_${status}`);
  if (typeof tokens.access_token !== 'string') throw new ProviderFailure('token_malformed');
  return { ...tokens, access_token: tokens.access_token };
}

/** Runs the strategy on the parts of a request that it reads; returns its redirect address or its tokens. */
function ending(flow: CodeFlow, query: object, options: object): Promise<string | object> {
  return new Promise((resolve, reject) => {
    let location = '';
    const response = {
      setHeader(name: string, value: string) {
        if (name === 'Location') location = value;
      },
      end: () => resolve(location),
    };
    const onAuthenticated = (error: unknown, tokens: object | false | undefined) => {
      if (tokens) resolve(tokens);
      else reject(causeOf(error));
    };
    passport.authenticate(flow, options, onAuthenticated)({ query }, response, reject);
  });
}

/** passport-oauth2 wraps what the token request threw. */
function causeOf(error: unknown): unknown {
  return error instanceof OAuth2Strategy.InternalOAuthError ? error.oauthError : error;
}

function unexpectedCall(): never {
  throw new Error('passport-oauth2 called a method of the state store that it must not call.');
}
