import { randomBytes } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { exportJWK, generateKeyPair, type JWK } from 'jose';
import Provider, { type AdapterFactory, type Configuration, type KoaContextWithOIDC } from 'oidc-provider';
import { providerMemory } from './provider-memory.ts';

export const CLIENT_ID = 'stancebook';
/** Contains characters that HTTP Basic must encode (RFC 6749, 2.3.1). */
export const CLIENT_SECRET = 'canary:secret+of/the%test';
export const AUDIENCE = 'https://stancebook.test/api';
/** A page of an owner, which gets access tokens for the audience. */
export const DASHBOARD = { client_id: 'dashboard', redirect_uri: 'https://dashboard.test/signed-in' } as const;

/** The header that names the user of the browser; the value `REFUSE` stands for a user who denies consent. */
export const USER_HEADER = 'x-test-user';
export const REFUSE = 'nobody';
/** The level of a login with a second factor, which users have when the request asks for it. */
export const FACTOR_ACR = 'urn:example:factor';

export interface TestProvider {
  readonly issuer: string;
  /** The configuration of the service: IDP_ISSUER and the rest. */
  readonly env: Readonly<Record<string, string>>;
  /** Every request that was received, such as `GET /jwks`. */
  readonly requests: readonly string[];
  /** Signs with a new key from now on; the old one stays published only with `keepOld`. */
  rotateKeys(options?: { readonly keepOld?: boolean }): Promise<void>;
  /** Stops the server until `start`, which uses the same port. */
  stop(): Promise<void>;
  start(): Promise<void>;
  close(): Promise<void>;
}

export interface ProviderOptions {
  /** The allowed redirect URIs, in addition to that of the dashboard. */
  readonly redirectUris: readonly string[];
  /** Default: `client_secret_basic`. The provider accepts no other method. */
  readonly clientAuth?: 'client_secret_basic' | 'client_secret_post';
  /** Where it posts the form of a logout (Back-Channel Logout); returns the status of the reply. */
  readonly deliverLogout?: (form: string) => Promise<number>;
  /** Lifetime of a device code in seconds; default: 600. */
  readonly deviceCodeTtl?: number;
  /** Whether access tokens say when the person logged in (RFC 9068, 2.2.1); default: yes. */
  readonly authTime?: boolean;
}

/**
 * A real OpenID provider on loopback: authorization code with PKCE, device flow, JWT access tokens for `AUDIENCE`,
 * `iss` in its answers (RFC 9207). It logs in the user that the header `x-test-user` names, without a prompt.
 */
export async function openProvider(options: ProviderOptions): Promise<TestProvider> {
  const requests: string[] = [];
  let answer: Handler = (_request, response) => response.writeHead(503).end();
  const server = createServer((request, response) => {
    requests.push(`${request.method} ${request.url?.replace(/\?.*/, '')}`);
    answer(request, response);
  });
  const { port } = await listen(server, 0);
  const issuer = `http://127.0.0.1:${port}`;
  const memory = providerMemory();
  let keys = [await newKey()];
  const rebuild = () => {
    answer = handlerOf(new Provider(issuer, configurationOf(options, keys, memory)));
  };
  rebuild();
  const stop = () =>
    new Promise<void>((resolve) => {
      server.close(() => resolve());
      server.closeAllConnections();
    });
  return {
    issuer,
    env: {
      IDP_ISSUER: issuer,
      IDP_CLIENT_ID: CLIENT_ID,
      IDP_CLIENT_SECRET: CLIENT_SECRET,
      IDP_AUDIENCE: AUDIENCE,
    },
    requests,
    async rotateKeys({ keepOld = false } = {}) {
      keys = [await newKey(), ...(keepOld ? keys : [])];
      rebuild();
    },
    stop,
    start: async () => {
      await listen(server, port);
    },
    close: async () => {
      if (server.listening) await stop();
    },
  };
}

type Handler = (request: IncomingMessage, response: ServerResponse) => void;

function listen(server: Server, port: number): Promise<AddressInfo> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, '127.0.0.1', () => resolve(server.address() as AddressInfo));
  });
}

async function newKey(): Promise<JWK> {
  const { privateKey } = await generateKeyPair('RS256', { extractable: true });
  return { ...(await exportJWK(privateKey)), kid: randomBytes(6).toString('hex'), alg: 'RS256', use: 'sig' };
}

function handlerOf(provider: Provider): Handler {
  const rest = provider.callback();
  return (request, response) => {
    if (!request.url?.startsWith('/interaction/')) return void rest(request, response);
    const user = String(request.headers[USER_HEADER] ?? REFUSE);
    const finish = async () => {
      const { acr_values } = (await provider.interactionDetails(request, response)).params;
      const login = { accountId: user, ...(acr_values === FACTOR_ACR && { acr: FACTOR_ACR }) };
      const result = user === REFUSE ? { error: 'access_denied' } : { login };
      await provider.interactionFinished(request, response, result);
    };
    finish().catch(() => response.writeHead(400).end());
  };
}

const DEVICE_CODE = 'urn:ietf:params:oauth:grant-type:device_code';

function configurationOf(
  {
    redirectUris,
    clientAuth = 'client_secret_basic',
    deviceCodeTtl = 600,
    deliverLogout,
    authTime = true,
  }: ProviderOptions,
  keys: readonly JWK[],
  adapter: AdapterFactory,
): Configuration {
  return {
    adapter,
    clients: [
      {
        client_id: CLIENT_ID,
        client_secret: CLIENT_SECRET,
        token_endpoint_auth_method: clientAuth,
        redirect_uris: [...redirectUris],
        grant_types: ['authorization_code', DEVICE_CODE],
        response_types: ['code'],
        ...(deliverLogout && {
          backchannel_logout_uri: 'https://stancebook.test/logout',
          backchannel_logout_session_required: true,
        }),
      },
      {
        client_id: DASHBOARD.client_id,
        token_endpoint_auth_method: 'none',
        redirect_uris: [DASHBOARD.redirect_uri],
        grant_types: ['authorization_code'],
        response_types: ['code'],
      },
    ],
    clientAuthMethods: [clientAuth, 'none'],
    acrValues: [FACTOR_ACR],
    jwks: { keys: [...keys] },
    cookies: { keys: ['of the test'] },
    pkce: { required: () => true },
    findAccount: (_context, sub) => ({ accountId: sub, claims: () => ({ sub, email: `${sub}@example.com` }) }),
    interactions: { url: (_context, { uid }) => `/interaction/${uid}` },
    loadExistingGrant: grantEverything,
    ...(deliverLogout && {
      fetch: async (_url: unknown, { body }: RequestInit = {}) =>
        new Response(null, { status: await deliverLogout(String(body)) }),
    }),
    // RFC 9068, 2.2.1: when the person logged in, and how.
    extraTokenClaims({ oidc }) {
      const code = oidc.entities.AuthorizationCode as { authTime?: number; acr?: string } | undefined;
      return { acr: code?.acr, ...(authTime && { auth_time: code?.authTime }) };
    },
    ttl: {
      DeviceCode: deviceCodeTtl,
      AccessToken: 3_600,
      IdToken: 3_600,
      Grant: 3_600,
      Session: 3_600,
      Interaction: 600,
    },
    features: {
      devInteractions: { enabled: false },
      rpInitiatedLogout: {
        enabled: true,
        logoutSource: showForm,
        postLogoutSuccessSource: (context) => {
          context.body = 'You are logged out.';
        },
      },
      backchannelLogout: { enabled: deliverLogout !== undefined },
      deviceFlow: {
        enabled: true,
        userCodeInputSource: showForm,
        userCodeConfirmSource: showForm,
        successSource: (context) => {
          context.body = 'Go back to your device.';
        },
      },
      resourceIndicators: {
        enabled: true,
        defaultResource: () => AUDIENCE,
        useGrantedResource: () => true,
        getResourceServerInfo: () => ({ scope: 'use', audience: AUDIENCE, accessTokenFormat: 'jwt' }),
      },
    },
  };
}

/** Used also after the user has denied: then the form asks for another code. */
function showForm(context: KoaContextWithOIDC, form: string): void {
  context.body = form;
}

/** Grants every request without a consent page. */
async function grantEverything({ oidc }: KoaContextWithOIDC) {
  const { provider, client, session } = oidc;
  const known = client && session?.grantIdFor(client.clientId);
  if (known) return provider.Grant.find(known);
  const grant = new provider.Grant({ clientId: client?.clientId, accountId: session?.accountId });
  grant.addOIDCScope('openid email');
  grant.addResourceScope(AUDIENCE, 'use');
  await grant.save();
  return grant;
}
