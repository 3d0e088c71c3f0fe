import type { Page } from 'playwright-core';
import { setUp, signIn } from '../sign-in.ts';
import { checkSound } from '../sound-view.ts';
import { type Ground, onPage } from '../walk.ts';
import { untilRead } from '../watched-page.ts';

const OWNER = { email: `leaving-${process.pid}@example.org`, password: 'four plain words, spaced' };

/** An owner reads what an erasure destroys, schedules it, finds it again after a login, and takes it back. */
export function erasureWalk(ground: Ground): Promise<void> {
  return onPage(ground, 'erasure', {}, ({ page }) => leave(ground, page), { refusal: 'status of 401' });
}

async function leave({ tally, stage, picture }: Ground, page: Page): Promise<void> {
  const key = await setUp(stage.url, OWNER);
  await signIn(page, { owner: OWNER }, '/#/settings');
  const part = page.locator('section[aria-labelledby=erasure]');
  await part.getByRole('heading', { name: 'What stays' }).waitFor();
  await untilRead(page);
  await checkSound(tally, page, 'erasure, before');
  await picture(page, 'erasure-before');
  const copy = await page.request.get((await part.getByRole('link', { name: 'zip' }).getAttribute('href')) ?? '');
  tally.holds('erasure: the copy comes first', copy.ok(), copy.status());
  await part.getByRole('button', { name: 'Erase the account' }).click();
  await page.keyboard.press('Escape');
  tally.holds('erasure: Escape schedules nothing', await works(stage.url, key));
  await part.getByRole('button', { name: 'Erase the account' }).click();
  await schedule(page);
  await part.getByText('This account is erased').waitFor();
  tally.holds('erasure: the keys stop', !(await works(stage.url, key)));
  await checkSound(tally, page, 'erasure, scheduled');
  await picture(page, 'erasure-scheduled');
  await page.getByRole('button', { name: 'Sign out' }).click();
  await page.locator('#home').waitFor();
  await signIn(page, { owner: OWNER }, '/#/settings');
  await page.locator('#console-navigation a[href="#/overview"]').click();
  const notice = page.locator('.notices li').first();
  await notice.waitFor();
  const words = await notice.innerText();
  tally.holds('erasure: the overview begins with it', words.startsWith('This account is erased'), words);
  await notice.getByRole('link', { name: 'Settings' }).click();
  await part.getByRole('button', { name: 'Take it back' }).click();
  await page.locator('#announcements', { hasText: 'work again: 1' }).waitFor();
  await part.getByRole('button', { name: 'Erase the account' }).waitFor();
  tally.holds('erasure: taken back, the key works again', await works(stage.url, key));
  const focused = await page.evaluate(() =>
    document.activeElement?.closest('section')?.getAttribute('aria-labelledby'),
  );
  tally.holds('erasure: the focus stays in its part', focused === 'erasure', focused);
}

async function schedule(page: Page): Promise<void> {
  // A service that wants a recent login: the dialog for it opens, and then the request is sent again.
  let refused = 0;
  await page.route('**/owner/erasure', async (route) => {
    if (route.request().method() !== 'POST' || refused > 0) return route.continue();
    refused += 1;
    const error = { code: 'REAUTHENTICATION_REQUIRED', message: 'Log in again.', suggestion: 'Log in.' };
    return route.fulfill({ status: 401, json: { error } });
  });
  await page.getByRole('button', { name: 'Schedule the erasure' }).click();
  await page.locator('dialog[open] input[type=password]').fill(OWNER.password);
  await page.keyboard.press('Enter');
}

async function works(url: string, key: string): Promise<boolean> {
  return (await fetch(`${url}/api/v1/public/auth/status`, { headers: { 'x-api-key': key } })).ok;
}
