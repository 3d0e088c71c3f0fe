import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { exportJWK, generateKeyPair, SignJWT } from 'jose';
import { SECOND } from '../../../../domain/time.ts';

/** An OpenID provider on loopback that signs tokens, approves no device and accepts no code of a login. */
export interface Provider {
  readonly environment: Readonly<Record<string, string>>;
  /** An access token of this subject, valid for a day, by default for the service. */
  token(subject: string, audience?: string): Promise<string>;
  close(): Promise<void>;
}

const AUDIENCE = 'https://api.stancebook.test';

export async function openProvider(): Promise<Provider> {
  const { privateKey, publicKey } = await generateKeyPair('ES256', { extractable: true });
  const answers = new Map<string, { readonly status: number; readonly json: () => unknown }>();
  const server = createServer((request, response) => {
    request.resume();
    const { status, json } = answers.get(request.url?.replace(/\?.*/, '') ?? '') ?? { status: 404, json: () => null };
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(json()));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', () => resolve()));
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const key = { ...(await exportJWK(publicKey)), kid: 'only', alg: 'ES256', use: 'sig' };
  const metadata = {
    issuer,
    authorization_endpoint: `${issuer}/authorize`,
    token_endpoint: `${issuer}/token`,
    jwks_uri: `${issuer}/keys`,
    device_authorization_endpoint: `${issuer}/device`,
  };
  answers.set('/.well-known/openid-configuration', { status: 200, json: () => metadata });
  answers.set('/keys', { status: 200, json: () => ({ keys: [key] }) });
  answers.set('/token', { status: 400, json: () => ({ error: 'authorization_pending' }) });
  answers.set('/device', { status: 200, json: () => deviceOf(issuer) });
  return {
    environment: {
      IDP_ISSUER: issuer,
      IDP_CLIENT_ID: 'stancebook',
      IDP_CLIENT_SECRET: 'secret-of-the-campaign',
      IDP_AUDIENCE: AUDIENCE,
    },
    token: (subject, audience = AUDIENCE) =>
      new SignJWT({ auth_time: Math.floor(Date.now() / SECOND) })
        .setProtectedHeader({ alg: 'ES256', kid: 'only', typ: 'at+jwt' })
        .setIssuer(issuer)
        .setSubject(subject)
        .setAudience(audience)
        .setIssuedAt()
        .setExpirationTime('1 day')
        .sign(privateKey),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

let devices = 0;

function deviceOf(issuer: string) {
  devices += 1;
  return {
    device_code: `device-${devices}`,
    user_code: `FUZZ-${devices}`,
    verification_uri: `${issuer}/activate`,
    verification_uri_complete: `${issuer}/activate?user_code=FUZZ-${devices}`,
    expires_in: 3_600,
    interval: 1,
  };
}
