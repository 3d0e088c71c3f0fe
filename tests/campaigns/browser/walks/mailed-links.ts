import type { Page } from 'playwright-core';
import { type MailingStage, openMailingStage } from '../mailing-stage.ts';
import { signIn } from '../sign-in.ts';
import { checkSound } from '../sound-view.ts';
import { type Ground, onPage } from '../walk.ts';
import { untilRead, type WatchedPage } from '../watched-page.ts';

const NEXT = 'five other words, spaced alike';

/** Somebody confirms their address and resets a lost password, by the links of two mails. */
export async function mailedLinksWalk(ground: Ground): Promise<void> {
  const stage = await openMailingStage();
  const walk = async ({ page }: WatchedPage) => {
    // A mailed reset confirms the address too, so that comes after.
    await confirm(ground, stage, page);
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.locator('#home').waitFor();
    const link = await reset(ground, stage, page);
    await used(ground, page, link);
    await page.goto('/');
    await signIn(page, { owner: { ...stage.owner, password: NEXT } });
    ground.tally.holds('mailed links: the new password signs in', true);
  };
  try {
    await onPage(ground, 'mailed links', {}, walk, { url: stage.url, refusal: 'status of 400' });
  } finally {
    await stage.close();
  }
}

async function reset({ tally, picture }: Ground, stage: MailingStage, page: Page): Promise<string> {
  await page.goto('/#/sign-in');
  await page.getByRole('link', { name: 'Forgotten your password?' }).click();
  await page.getByRole('heading', { level: 1, name: 'Reset your password' }).waitFor();
  await checkSound(tally, page, 'forgotten password');
  await page.fill('#email', stage.owner.email);
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: 'Look into your mail' }).waitFor();
  await focusOnHeading(tally, page, 'a mail was asked for');
  const link = await stage.nextLink('reset');
  await page.goto(link);
  await page.getByLabel('New password').waitFor();
  await noToken(tally, page, link, 'reset');
  await checkSound(tally, page, 'new password');
  await picture(page, 'reset');
  await page.getByLabel('New password').fill('password1234');
  await page.keyboard.press('Enter');
  await page.waitForSelector('.fault:not(:empty), form .notice:not([hidden])');
  await page.getByLabel('New password').fill(NEXT);
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: 'Your password is changed' }).waitFor();
  await focusOnHeading(tally, page, 'the password is changed');
  return link;
}

/** Neither the address nor any entry of the history has the token. */
async function noToken(tally: Ground['tally'], page: Page, link: string, name: string): Promise<void> {
  const token = link.split('/').at(-1) ?? '';
  const isShown = (await page.evaluate(() => location.href)).includes(token);
  tally.holds(`mailed links: the token of ${name} leaves the address at once`, !isShown && token.length > 40);
  const storage = await page.evaluate(() => JSON.stringify([{ ...localStorage }, { ...sessionStorage }]));
  tally.holds(`mailed links: the token of ${name} is in no storage`, !storage.includes(token));
  const session = await page.context().newCDPSession(page);
  const { entries } = await session.send('Page.getNavigationHistory');
  await session.detach();
  const left = entries.filter(({ url }) => url.includes(token));
  tally.holds(`mailed links: no entry of the history has the token of ${name}`, left.length === 0, left.length);
}

async function used({ tally, picture }: Ground, page: Page, link: string): Promise<void> {
  await page.goto('/');
  await page.goto(link);
  await page.getByLabel('New password').fill(NEXT);
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: 'This link does not work' }).waitFor();
  await checkSound(tally, page, 'used link');
  await picture(page, 'used-link');
  await page.getByRole('link', { name: 'Ask for another mail' }).click();
  await page.getByRole('heading', { name: 'Reset your password' }).waitFor();
  tally.holds('mailed links: a used link leads to another mail', await page.locator('#email').isVisible());
}

async function confirm({ tally, picture }: Ground, stage: MailingStage, page: Page): Promise<void> {
  await signIn(page, stage, '/#/settings');
  await page.getByRole('button', { name: 'Send a mail that confirms it' }).click();
  const link = await stage.nextLink('confirm');
  await page.goto(link);
  await page.getByRole('button', { name: 'Confirm the address' }).waitFor();
  await noToken(tally, page, link, 'confirm');
  await checkSound(tally, page, 'confirm');
  await page.getByRole('button', { name: 'Confirm the address' }).click();
  await page.getByRole('heading', { name: 'Your address is confirmed' }).waitFor();
  await focusOnHeading(tally, page, 'the address is confirmed');
  await picture(page, 'confirmed');
  await page.goto('/');
  await page.goto(link);
  await page.getByRole('button', { name: 'Confirm the address' }).click();
  await page.getByRole('heading', { name: 'This link does not work' }).waitFor();
  await page.getByRole('link', { name: 'settings' }).click();
  await page.locator('section', { hasText: ', confirmed' }).first().waitFor();
  tally.holds('mailed links: the settings show that the address is confirmed', true);
  await untilRead(page);
}

async function focusOnHeading(tally: Ground['tally'], page: Page, name: string): Promise<void> {
  const focused = await page.evaluate(() => document.activeElement?.tagName);
  tally.holds(`mailed links: the focus is on the heading once ${name}`, focused === 'H1', focused);
}
