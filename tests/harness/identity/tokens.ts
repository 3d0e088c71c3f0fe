import { createHash, randomBytes } from 'node:crypto';
import { openBrowser } from './browser.ts';
import { DASHBOARD, type TestProvider } from './provider.ts';

/** An access token for the audience of the service and an id token of the dashboard, issued to that user. */
export interface IssuedTokens {
  readonly access_token: string;
  readonly id_token: string;
}

/** Logs the user in at the provider, for the dashboard; `more` are further parameters of its request. */
export async function tokensOf(
  { issuer }: TestProvider,
  user: string,
  more: Readonly<Record<string, string>> = {},
): Promise<IssuedTokens> {
  const verifier = randomBytes(32).toString('base64url');
  const authorization = new URL('/auth', issuer);
  authorization.search = new URLSearchParams({
    ...DASHBOARD,
    response_type: 'code',
    scope: 'openid',
    code_challenge: createHash('sha256').update(verifier).digest('base64url'),
    code_challenge_method: 'S256',
    ...more,
  }).toString();
  const { url } = await openBrowser({ user }).visit(authorization, DASHBOARD.redirect_uri);
  const reply = await fetch(new URL('/token', issuer), {
    method: 'POST',
    body: new URLSearchParams({
      ...DASHBOARD,
      grant_type: 'authorization_code',
      code: url.searchParams.get('code') ?? '',
      code_verifier: verifier,
    }),
  });
  const tokens = (await reply.json()) as IssuedTokens;
  if (reply.status !== 200) throw new Error(`The provider answered ${reply.status} ${JSON.stringify(tokens)}`);
  return tokens;
}

/** The user opens the address that the device shows, and approves or denies. */
export async function decideOnDevice(user: string, verificationUriComplete: string, answer: 'yes' | 'no' = 'yes') {
  const browser = openBrowser({ user });
  const question = await browser.submit(await browser.visit(verificationUriComplete));
  return browser.submit(question, answer === 'yes' ? {} : { abort: 'yes' });
}
