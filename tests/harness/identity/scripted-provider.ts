import { exportJWK, generateKeyPair, type JWTHeaderParameters, type JWTPayload, SignJWT } from 'jose';
import { type Answer, type FaultServer, faultServer } from '../exchanges/fault-server.ts';
import { CLIENT_ID, CLIENT_SECRET } from './provider.ts';

/** A provider that says whatever a test has it say, well-formed or not. */
export interface ScriptedProvider extends FaultServer {
  /** By path, as `/token`; what is not told answers as a provider should. */
  readonly answers: Map<string, Answer>;
  readonly settings: {
    readonly issuer: string;
    readonly clientId: string;
    readonly clientSecret: string;
    readonly audience: string;
  };
  /** An id token for our client, as good as any but for the changes. */
  idToken(claims?: JWTPayload, header?: Partial<JWTHeaderParameters>): Promise<string>;
}

const FAR = 4_000_000_000;

export async function scriptedProvider(): Promise<ScriptedProvider> {
  const { privateKey, publicKey } = await generateKeyPair('RS256');
  const jwk = { ...(await exportJWK(publicKey)), kid: 'k', alg: 'RS256', use: 'sig' };
  const answers = new Map<string, Answer>();
  const server = await faultServer(({ pathname }) => answers.get(pathname) ?? usual(pathname));

  function usual(pathname: string): Answer {
    const json = {
      '/.well-known/openid-configuration': metadataOf(server.url),
      '/jwks': { keys: [jwk] },
      '/device': STARTED,
    }[pathname];
    return json ? { status: 200, json } : { status: 400, json: { error: 'authorization_pending' } };
  }

  return {
    ...server,
    answers,
    settings: { issuer: server.url, clientId: CLIENT_ID, clientSecret: CLIENT_SECRET, audience: 'api' },
    idToken: (claims = {}, header = {}) =>
      new SignJWT({ iss: server.url, aud: CLIENT_ID, sub: 'ada', iat: 1, exp: FAR, ...claims })
        .setProtectedHeader({ alg: 'RS256', kid: 'k', ...header })
        .sign(privateKey),
  };
}

export const STARTED = {
  device_code: 'theirs',
  user_code: 'WDJB-MJHT',
  verification_uri: 'https://id.example.com/device',
  expires_in: 600,
} as const;

export function metadataOf(issuer: string) {
  return {
    issuer,
    authorization_endpoint: `${issuer}/auth`,
    token_endpoint: `${issuer}/token`,
    jwks_uri: `${issuer}/jwks`,
    device_authorization_endpoint: `${issuer}/device`,
  };
}
