import type { Page } from 'playwright-core';
import { checkAccessible } from '../accessibility.ts';
import { signIn } from '../sign-in.ts';
import { type Ground, onPage } from '../walk.ts';
import { untilRead } from '../watched-page.ts';

/** The views of owners with what each shows once it is read. */
const VIEWS = [
  ['overview', 'Overview', '#usage'],
  ['own', 'Your decisions', 'caption'],
  ['plans', 'Plans', ':is(.nothing, table)'],
  ['agents', 'Agents', 'caption'],
  ['keys', 'API keys', '#new-key'],
  ['webhooks', 'Webhooks', '#new-webhook'],
  ['security', 'Security', 'caption'],
  ['settings', 'Settings', '#terms'],
] as const;

const SCREENS = [
  ['light', {}],
  ['dark', { colorScheme: 'dark' }],
  ['phone', { viewport: { width: 390, height: 800 }, isMobile: true, hasTouch: true }],
  ['dark phone', { viewport: { width: 390, height: 800 }, isMobile: true, hasTouch: true, colorScheme: 'dark' }],
] as const;

/** Every view of owners on every screen: accessible, as wide as the screen, reached by its link, with the focus. */
export async function consoleWalk(ground: Ground): Promise<void> {
  for (const [screen, options] of SCREENS) {
    await onPage(ground, `console, ${screen}`, options, async ({ page }) => {
      await signIn(page, ground.stage);
      for (const view of VIEWS) await visit(ground, page, screen, view);
      await webhook(ground, page, screen);
    });
  }
}

async function visit(
  ground: Ground,
  page: Page,
  screen: string,
  [name, title, ready]: (typeof VIEWS)[number],
): Promise<void> {
  const { tally } = ground;
  if (name !== 'overview') await page.locator(`#console-navigation a[href="#/${name}"]`).click();
  await page.getByRole('heading', { level: 1, name: title }).waitFor();
  await page.waitForSelector(`#other ${ready}`);
  await untilRead(page);
  if (name !== 'overview') {
    const focused = await page.evaluate(() => document.activeElement?.textContent);
    tally.holds(`console, ${screen}: the focus goes to the heading of ${name}`, focused === title, focused);
  }
  const current = await page.locator('#console-navigation [aria-current=page]').getAttribute('href');
  tally.holds(`console, ${screen}: the navigation marks ${name}`, current === `#/${name}`, current);
  tally.holds(
    `console, ${screen}: the title names ${name}`,
    (await page.title()).startsWith(title),
    await page.title(),
  );
  await check(ground, page, screen, name);
}

/** The facts that hold for every view. */
async function check({ tally, picture }: Ground, page: Page, screen: string, name: string): Promise<void> {
  await checkAccessible(tally, page, `console, ${screen}: ${name} is accessible`);
  const refused = await page.locator('#other .refused').allInnerTexts();
  tally.holds(`console, ${screen}: ${name} is read`, refused.length === 0, refused);
  const fits = await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth);
  tally.holds(`console, ${screen}: ${name} does not scroll sideways`, fits);
  if (screen.includes('phone')) {
    const small = await page.evaluate(smallTargets);
    tally.holds(`console, ${screen}: buttons and fields of ${name} are large enough`, small.length === 0, small);
  }
  await picture(page, `console-${name}-${screen.replace(' ', '-')}`);
}

function smallTargets(): string[] {
  const targets = [...document.querySelectorAll('button, input, select')].filter((element) =>
    element.checkVisibility(),
  );
  return targets.filter((element) => element.getBoundingClientRect().height < 40).map((element) => element.outerHTML);
}

/** A webhook is created, tested, stopped and removed; its host is never reached. */
async function webhook(ground: Ground, page: Page, screen: string): Promise<void> {
  const { tally } = ground;
  await page.locator('#console-navigation a[href="#/webhooks"]').click();
  await page.getByRole('heading', { level: 1, name: 'Webhooks' }).waitFor();
  await page.getByRole('textbox', { name: 'Address' }).fill('https://receiver.example/hook');
  await page.getByLabel('decision.evaluated').check();
  await page.getByRole('button', { name: 'Create the webhook' }).click();
  await page.waitForSelector('.secret code');
  const secret = await page.locator('.secret code').innerText();
  tally.holds(`console, ${screen}: the secret of a webhook is shown once`, secret.startsWith('whsec_'));
  await page.locator('td a, th a', { hasText: 'receiver.example' }).first().click();
  await page.getByRole('button', { name: 'Send a test' }).click();
  await page.locator('#announcements', { hasText: 'test is on its way' }).waitFor();
  await page.locator('tbody', { hasText: 'webhook.test' }).waitFor();
  await check(ground, page, screen, 'webhook');
  await page.getByRole('button', { name: 'Send all failed ones again' }).click();
  await page.locator('#announcements', { hasText: 'All failed deliveries are sent again' }).waitFor();
  await page.getByRole('button', { name: 'Stop' }).click();
  await page.locator('dd', { hasText: 'stopped by you' }).waitFor();
  await page.getByRole('button', { name: 'Remove' }).click();
  await page.getByRole('button', { name: 'Remove the webhook' }).click();
  await page.getByRole('heading', { level: 1, name: 'Webhooks' }).waitFor();
  await untilRead(page);
  const left = await page.locator('th a', { hasText: 'receiver.example' }).count();
  tally.holds(`console, ${screen}: a removed webhook is not listed`, left === 0, left);
}
