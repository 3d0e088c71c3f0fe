import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { type CryptoKey, exportJWK, generateKeyPair, type JWK, type JWTPayload, SignJWT } from 'jose';
import type { ProviderSettings } from '../../../adapters/identity/provider-client.ts';

/** The reply of the provider at a path: JSON, any text, or no reply at all. */
export type HostileAnswer =
  | { readonly status?: number; readonly json: unknown }
  | { readonly status?: number; readonly text: string; readonly headers?: Readonly<Record<string, string>> }
  | 'silence';

export const PATHS = {
  discovery: '/.well-known/openid-configuration',
  keys: '/keys',
  token: '/token',
} as const;

/** A key pair whose public half the provider publishes. */
export interface SigningKey {
  readonly kid: string;
  readonly alg: string;
  readonly privateKey: CryptoKey;
  readonly publicJwk: JWK;
}

/** An OpenID provider that says and signs whatever the test sets. Without such changes its answers are correct. */
export interface HostileProvider {
  readonly settings: ProviderSettings;
  readonly key: SigningKey;
  /** Each entry replaces the correct answer at its path until the entry is deleted. */
  readonly answers: Map<string, HostileAnswer>;
  /** Its discovery document. */
  readonly metadata: Readonly<Record<string, unknown>>;
  /** The requests to the token endpoint: the header Authorization and the form. */
  readonly tokenRequests: readonly { readonly authorization: string | undefined; readonly form: URLSearchParams }[];
  /** The number of requests at that path. */
  asked(path: string): number;
  /** A token of its issuer for the audience, in force for an hour; claims of `undefined` are left out. */
  sign(claims?: JWTPayload, by?: { readonly key?: SigningKey; readonly typ?: string | undefined }): Promise<string>;
  close(): Promise<void>;
}

export const HOUR_SECONDS = 3_600;

export async function openHostileProvider(changes: Partial<ProviderSettings> = {}): Promise<HostileProvider> {
  const key = await makeSigningKey('RS256', 'first');
  const answers = new Map<string, HostileAnswer>();
  const asked: string[] = [];
  const tokenRequests: { authorization: string | undefined; form: URLSearchParams }[] = [];
  let sound: Readonly<Record<string, unknown>> = {};
  const server = createServer(async (request, response) => {
    const path = request.url?.replace(/\?.*/, '') ?? '';
    asked.push(path);
    let sent = '';
    for await (const chunk of request) sent += chunk;
    if (path === PATHS.token) {
      tokenRequests.push({ authorization: request.headers.authorization, form: new URLSearchParams(sent) });
    }
    const answer = answers.get(path) ?? { json: sound[path] ?? null, status: path in sound ? 200 : 404 };
    if (answer === 'silence') return;
    const isJson = 'json' in answer;
    const headers = { 'content-type': isJson ? 'application/json' : 'text/html', ...(isJson ? {} : answer.headers) };
    response.writeHead(answer.status ?? 200, headers).end(isJson ? JSON.stringify(answer.json) : answer.text);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', () => resolve()));
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const settings = {
    issuer,
    clientId: 'stancebook',
    clientSecret: 'canary-secret',
    audience: 'https://api',
    ...changes,
  };
  const metadata = {
    issuer,
    authorization_endpoint: `${issuer}/authorize`,
    token_endpoint: `${issuer}${PATHS.token}`,
    jwks_uri: `${issuer}${PATHS.keys}`,
  };
  sound = { [PATHS.discovery]: metadata, [PATHS.keys]: { keys: [key.publicJwk] } };
  return {
    settings,
    key,
    answers,
    metadata,
    tokenRequests,
    asked: (path) => asked.filter((each) => each === path).length,
    sign: (claims = {}, by = {}) => sign({ ...inForce(settings), ...claims }, { key, typ: 'at+jwt', ...by }),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

export async function makeSigningKey(alg: string, kid: string): Promise<SigningKey> {
  const { privateKey, publicKey } = await generateKeyPair(alg, { extractable: true });
  return { kid, alg, privateKey, publicJwk: { ...(await exportJWK(publicKey)), kid, alg, use: 'sig' } };
}

function inForce({ issuer, audience }: ProviderSettings): JWTPayload {
  const iat = Math.floor(Date.now() / 1_000);
  return { iss: issuer, sub: 'ada', aud: audience, iat, exp: iat + HOUR_SECONDS };
}

function sign(claims: JWTPayload, { key, typ }: { readonly key: SigningKey; readonly typ: string | undefined }) {
  const header = { alg: key.alg, kid: key.kid, ...(typ !== undefined && { typ }) };
  return new SignJWT(JSON.parse(JSON.stringify(claims))).setProtectedHeader(header).sign(key.privateKey);
}
