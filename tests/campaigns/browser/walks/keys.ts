import type { Page } from 'playwright-core';
import { checkAccessible } from '../accessibility.ts';
import { signIn } from '../sign-in.ts';
import { type Ground, onPage } from '../walk.ts';

/** An owner makes a key, after a login that is too old, rotates it by keyboard alone, and revokes it. */
export async function keysWalk(ground: Ground): Promise<void> {
  const { tally, stage } = ground;
  await onPage(ground, 'keys', {}, async ({ page }) => {
    await signIn(page, stage, '/#/keys');
    await page.getByLabel('Agent', { exact: true }).selectOption('');
    await page.getByLabel('Name of the new agent').fill('Key walker');
    await page.getByLabel('Label (optional)').fill('walked');
    await page.getByRole('button', { name: 'Create the key' }).click();
    const first = await secretOf(page);
    tally.holds('keys: the new key works', (await statusOf(stage.url, first)) === 200);
    const row = page.locator('tr', { hasText: first.slice(0, 12) });
    tally.holds('keys: it is in the list, without its secret', !(await row.innerText()).includes(first));
    const second = await rotateByKeyboard(ground, page, first.slice(0, 12));
    const statuses = [await statusOf(stage.url, first), await statusOf(stage.url, second)];
    tally.holds('keys: after the rotation only the new key works', statuses.join() === '401,200', statuses);
    await revoke(ground, page, second.slice(0, 12));
    tally.holds('keys: after the revocation no key works', (await statusOf(stage.url, second)) === 401);
  });
  await oldLogin(ground);
}

async function secretOf(page: Page): Promise<string> {
  const code = page.locator('.secret code');
  await code.waitFor();
  return code.innerText();
}

async function statusOf(url: string, key: string): Promise<number> {
  return (await fetch(`${url}/api/v1/public/auth/status`, { headers: { 'x-api-key': key } })).status;
}

async function rotateByKeyboard({ tally, picture }: Ground, page: Page, prefix: string): Promise<string> {
  await page.getByRole('button', { name: `Rotate ${prefix}` }).focus();
  await page.keyboard.press('Enter');
  await page.waitForSelector('dialog[open]');
  await checkAccessible(tally, page, 'keys: the question is accessible');
  await picture(page, 'key-question');
  await page.keyboard.press('Escape');
  await page.waitForSelector('dialog', { state: 'detached' });
  const isBack = await page.evaluate(() => document.activeElement?.textContent === 'Rotate');
  tally.holds('keys: Escape changes nothing, and the focus returns to the button', isBack);
  await page.keyboard.press('Enter');
  await page.waitForSelector('dialog[open]');
  await page.keyboard.press('Tab');
  await page.getByRole('button', { name: 'Rotate the key' }).focus();
  await page.keyboard.press('Enter');
  await page.locator('.secret', { hasText: `replaces ${prefix}` }).waitFor();
  const isThere = await page.evaluate(() => document.activeElement?.closest('.secret') !== null);
  tally.holds('keys: the focus goes to the new key', isThere);
  await picture(page, 'key-rotated');
  return secretOf(page);
}

async function revoke({ tally }: Ground, page: Page, prefix: string): Promise<void> {
  await page.getByRole('button', { name: `Revoke ${prefix}` }).click();
  await page.getByRole('button', { name: 'Revoke the key' }).click();
  await page.locator('#announcements', { hasText: 'is revoked' }).waitFor();
  const row = page.locator('tr', { hasText: prefix });
  const isGone = row.waitFor({ state: 'detached' }).then(() => true);
  tally.holds('keys: a revoked key is not listed', await isGone.catch(() => false));
}

/** The browser reports the refused request, which is the point of this walk. */
async function oldLogin({ browser, stage, tally, picture }: Ground): Promise<void> {
  const context = await browser.newContext({ baseURL: stage.url });
  const page = await context.newPage();
  await signIn(page, stage, '/#/keys');
  await page.getByLabel('Agent', { exact: true }).waitFor();
  let refusals = 0;
  await page.route('**/owner/auth/api-keys', (route) => {
    if (route.request().method() !== 'POST' || refusals > 0) return route.continue();
    refusals += 1;
    const error = { code: 'REAUTHENTICATION_REQUIRED', message: 'This needs a login in the last 10 minutes.' };
    return route.fulfill({ status: 401, json: { error } });
  });
  await page.getByLabel('Label (optional)').fill('after a new login');
  await page.getByRole('button', { name: 'Create the key' }).click();
  await page.waitForSelector('dialog[open]');
  await checkAccessible(tally, page, 'keys: the request for the password is accessible');
  await picture(page, 'password-again');
  const password = page.locator('dialog input[type=password]');
  await password.fill('a wrong pass phrase');
  await page.keyboard.press('Enter');
  await page.locator('dialog [role=alert]', { hasText: /\S/ }).waitFor();
  await password.fill(stage.owner.password);
  await page.keyboard.press('Enter');
  const key = await secretOf(page);
  tally.holds(
    'keys: with the password the request is sent again, and succeeds',
    (await statusOf(stage.url, key)) === 200,
  );
  await context.close();
}
