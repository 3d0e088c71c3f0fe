import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
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
  const key = { ...(await exportJWK(publicKey)), kid: 'only', alg: 'ES256', use: 'sig' };
  const thread = new Worker(new URL('./provider-thread.ts', import.meta.url), { workerData: { key } });
  const [issuer] = (await once(thread, 'message')) as [string];
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
    async close() {
      await thread.terminate();
    },
  };
}
