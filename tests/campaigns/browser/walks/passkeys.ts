import type { Page } from 'playwright-core';
import { virtualAuthenticator } from '../virtual-authenticator.ts';
import type { Ground } from '../walk.ts';

/** Chromium's own authenticator registers a passkey, logs in with it, and is refused without the verification of its user. */
export async function passkeyWalk({ browser, stage, tally }: Ground): Promise<void> {
  const context = await browser.newContext();
  try {
    const page = await context.newPage();
    // Browsers take no IP address for a passkey.
    await page.goto(stage.url.replace('127.0.0.1', 'localhost'));
    const authenticator = await virtualAuthenticator(await context.newCDPSession(page));
    const account = { email: 'passkeys@example.com', password: 'four plain words, spaced' };
    const made = await page.evaluate(register, account);
    tally.holds('passkeys: the browser makes one, and the service takes it', made.join() === '201,201,10', made);
    const entered = await logIn(page, 'required');
    tally.holds('passkeys: it logs in, without a password', entered.join() === '200,passkey,1', entered);
    await authenticator.verifyUser(false);
    const refused = await logIn(page, 'required');
    tally.holds(
      'passkeys: the browser answers no challenge without its user',
      refused[0] === 'NotAllowedError',
      refused,
    );
    const forced = await logIn(page, 'discouraged');
    tally.holds('passkeys: the service takes no answer without a verified user', forced[0] === 401, forced);
    await authenticator.verifyUser(true);
    const again = await logIn(page, 'required');
    tally.holds('passkeys: it logs in again', again[0] === 200, again);
    const elsewhere = await page.request.post(`${stage.url}/api/v1/public/auth/passkey/options`);
    const { error } = (await elsewhere.json()) as { readonly error: { readonly suggestion: string } };
    const isNamed = elsewhere.status() === 421 && error.suggestion.includes(new URL(page.url()).origin);
    tally.holds('passkeys: at an IP address the reply names the address to open', isNamed, error);
  } catch (error) {
    tally.holds('passkeys: runs to its end', false, error instanceof Error ? error.message : String(error));
  } finally {
    await context.close();
  }
}

function logIn(page: Page, userVerification: UserVerificationRequirement) {
  return page.evaluate(usePasskey, userVerification);
}

/** Runs in the page: the statuses of the account and of its passkey, and how many recovery codes came with it. */
async function register(account: { readonly email: string; readonly password: string }) {
  const send = (path: string, body?: object) =>
    fetch(`/api/v1${path}`, {
      method: 'POST',
      ...(body && { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } }),
    });
  const registered = await send('/public/auth/register', account);
  await send('/public/auth/login', account);
  const factors = '/owner/auth/factors/passkeys';
  const options = await (await send(`${factors}/options`)).json();
  const publicKey = PublicKeyCredential.parseCreationOptionsFromJSON(options);
  const passkey = (await navigator.credentials.create({ publicKey })) as PublicKeyCredential;
  const added = await send(factors, { name: 'Chromium', passkey: passkey.toJSON() });
  const { recovery_codes } = await added.json();
  return [registered.status, added.status, recovery_codes?.length];
}

/** Runs in the page: the status of a login by passkey, what its session was opened with, and how many passkeys there are. */
async function usePasskey(userVerification: UserVerificationRequirement): Promise<(string | number)[]> {
  const path = '/api/v1/public/auth/passkey';
  const options = await (await fetch(`${path}/options`, { method: 'POST' })).json();
  const publicKey = PublicKeyCredential.parseRequestOptionsFromJSON({ ...options, userVerification });
  try {
    const passkey = (await navigator.credentials.get({ publicKey })) as PublicKeyCredential;
    const headers = { 'content-type': 'application/json' };
    const body = JSON.stringify({ passkey: passkey.toJSON() });
    const login = await fetch(path, { method: 'POST', headers, body });
    const { session_factor, passkeys } = await (await fetch('/api/v1/owner/auth/factors')).json();
    return [login.status, session_factor, passkeys?.length];
  } catch (error) {
    return [error instanceof Error ? error.name : String(error)];
  }
}
