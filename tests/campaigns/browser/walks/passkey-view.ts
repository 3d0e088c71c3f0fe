import type { Page } from 'playwright-core';
import { register, signIn } from '../sign-in.ts';
import { checkSound } from '../sound-view.ts';
import { virtualAuthenticator } from '../virtual-authenticator.ts';
import { type Ground, onPage } from '../walk.ts';
import { untilRead, type WatchedPage } from '../watched-page.ts';

const OWNER = { email: `passkey-view-${process.pid}@example.org`, password: 'four plain words, spaced' };

/** An owner adds a passkey by the page, signs in with it, confirms with it, renames and removes it. */
export function passkeyViewWalk(ground: Ground): Promise<void> {
  // Browsers take no IP address for a passkey.
  const url = ground.stage.url.replace('127.0.0.1', 'localhost');
  const walk = async ({ page }: WatchedPage) => {
    const authenticator = await virtualAuthenticator(await page.context().newCDPSession(page));
    await register(ground.stage.url, OWNER);
    await signIn(page, { owner: OWNER }, '/#/security');
    await page.getByText('You have none.').waitFor();
    await add(ground, page);
    await signInByPasskey(ground, page);
    await authenticator.verifyUser(false);
    await cancelled(ground, page);
    await authenticator.verifyUser(true);
    await rename(ground, page);
    await remove(ground, page);
  };
  return onPage(ground, 'passkeys of the page', {}, walk, { url, refusal: 'status of 401' });
}

/** By keyboard alone. */
async function add({ tally, picture }: Ground, page: Page): Promise<void> {
  await checkSound(tally, page, 'passkeys, none');
  await page.getByLabel('Name of the new passkey').focus();
  await page.keyboard.type('Laptop');
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: 'Recovery codes' }).waitFor();
  const codes = (await page.locator('.secret code').innerText()).split(' ');
  tally.holds('passkeys of the page: the first factor comes with recovery codes', codes.length === 10, codes.length);
  await page.locator('th', { hasText: 'Laptop' }).waitFor();
  const focused = await page.evaluate(() => document.activeElement?.textContent);
  tally.holds('passkeys of the page: the focus is on the codes', focused === 'Recovery codes', focused);
  await checkSound(tally, page, 'passkeys, one');
  await picture(page, 'passkeys');
}

async function signOut(page: Page): Promise<void> {
  await untilRead(page);
  await page.getByRole('button', { name: 'Sign out' }).click();
  await page.locator('#home').waitFor();
}

async function signInByPasskey({ tally, picture }: Ground, page: Page): Promise<void> {
  await signOut(page);
  await page.goto('/#/security');
  await page.getByRole('button', { name: 'Sign in with a passkey' }).waitFor();
  await checkSound(tally, page, 'login with passkeys');
  await picture(page, 'passkey-login');
  await page.getByRole('button', { name: 'Sign in with a passkey' }).click();
  await page.locator('th', { hasText: 'Laptop' }).waitFor();
  const isOpen = page.url().endsWith('#/security');
  tally.holds('passkeys of the page: it signs in, and the view of the address is shown', isOpen, page.url());
  const used = await page.locator('tr', { hasText: 'Laptop' }).innerText();
  tally.holds('passkeys of the page: its last use is shown', !used.includes('never'), used);
}

/** An authenticator that does not verify its user, which is like a window that the reader closes. */
async function cancelled({ tally, picture }: Ground, page: Page): Promise<void> {
  await signOut(page);
  await page.goto('/#/security');
  await page.getByRole('button', { name: 'Sign in with a passkey' }).click();
  const dialog = page.locator('dialog[open]');
  await dialog.waitFor();
  const words = await dialog.innerText();
  tally.holds('passkeys of the page: without the passkey it says why', words.includes('no passkey'), words);
  await picture(page, 'passkey-refused');
  await page.keyboard.press('Escape');
  await dialog.waitFor({ state: 'detached' });
  const focused = await page.evaluate(() => document.activeElement?.textContent);
  tally.holds('passkeys of the page: the focus returns to the button', focused === 'Sign in with a passkey', focused);
}

async function rename({ tally }: Ground, page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Sign in with a passkey' }).click();
  await page.getByRole('button', { name: 'Rename Laptop' }).click();
  await page.getByLabel('Name', { exact: true }).fill('Old laptop');
  await page.keyboard.press('Enter');
  await page.locator('th', { hasText: 'Old laptop' }).waitFor();
  tally.holds('passkeys of the page: it is renamed', (await page.locator('dialog').count()) === 0);
}

/** The service wants a recent login, which the passkey is. */
async function remove({ tally, picture }: Ground, page: Page): Promise<void> {
  let refused = 0;
  await page.route('**/factors/passkeys/*', (route) => {
    if (route.request().method() !== 'DELETE' || refused > 0) return route.continue();
    refused += 1;
    const error = { code: 'REAUTHENTICATION_REQUIRED', message: 'Log in again.', suggestion: 'Log in.' };
    return route.fulfill({ status: 401, json: { error } });
  });
  await page.getByRole('button', { name: 'Remove Old laptop' }).click();
  await page.getByRole('button', { name: 'Remove the passkey' }).click();
  await page.getByRole('button', { name: 'Confirm with a passkey' }).waitFor();
  await picture(page, 'passkey-proof');
  await page.getByRole('button', { name: 'Confirm with a passkey' }).click();
  await page.getByText('You have none.').waitFor();
  tally.holds('passkeys of the page: it is removed after it confirmed its owner', refused === 1);
}
