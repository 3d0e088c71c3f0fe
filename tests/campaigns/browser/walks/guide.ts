import type { Page } from 'playwright-core';
import { checkAccessible } from '../accessibility.ts';
import { type Ground, onPage } from '../walk.ts';

const PHONE = { width: 360, height: 740 };
const PAGES = [
  '/guide/',
  '/guide/accounts',
  '/guide/running',
  '/guide/performance',
  '/guide/adr/',
  '/docs',
  '/docs/submitDecision',
];

/** A reader searches the guide, follows a result to its heading, and reads pages and the reference on a phone. */
export async function guideWalk(ground: Ground): Promise<void> {
  await onPage(ground, 'guide', {}, ({ page }) => searched(ground, page));
  await onPage(ground, 'reference', { permissions: ['clipboard-read', 'clipboard-write'] }, ({ page }) =>
    tried(ground, page),
  );
  await onPage(ground, 'guide on a phone', { viewport: PHONE }, async ({ page }) => {
    for (const address of PAGES) {
      await page.goto(address);
      const wider = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
      ground.tally.holds(`${address} on a phone: nothing is wider than the screen`, wider <= 0, wider);
      await checkAccessible(ground.tally, page, `${address}: accessible`);
    }
  });
}

async function searched({ tally, picture }: Ground, page: Page): Promise<void> {
  await page.goto('/guide/');
  await page.fill('input[type=search]', 'recovery codes');
  await page.keyboard.press('Enter');
  await page.waitForSelector('.found a');
  await checkAccessible(tally, page, 'guide: the results are accessible');
  await picture(page, 'guide-search');
  await page.locator('.found a').first().click();
  await page.waitForURL(/\/guide\/.+#./);
  await page.waitForFunction(() => (document.querySelector(':target')?.getBoundingClientRect().top ?? 200) < 200);
  tally.holds('guide: a result leads to its heading', true);
  const isListed = await page.locator('nav a[aria-current]').isVisible();
  tally.holds('guide: the navigation is open where there is room, and marks the page', isListed);
}

/** Finds an operation in the reference, and sends it with a key. */
async function tried({ tally, stage }: Ground, page: Page): Promise<void> {
  await page.goto('/docs');
  await page.fill('#reference-search input', 'listAgentDecisions');
  const listed = page.locator('nav li[data-words]:visible');
  tally.holds('reference: the search leaves what has all words', (await listed.count()) === 1, await listed.count());
  await listed.locator('a').click();
  await page.waitForURL('**/docs/listAgentDecisions');
  const command = await page.locator('details', { hasText: 'curl' }).locator('pre').innerText();
  tally.holds(
    'reference: a command has the address of the service',
    command.includes(new URL(page.url()).origin),
    command,
  );
  const copy = page.locator('.copied button').first();
  await copy.click();
  await copy.getByText('Copied').waitFor();
  const copied = await page.evaluate(() => navigator.clipboard.readText());
  tally.holds('reference: a command is copied', copied === command, copied);
  await page.fill('#key', stage.key);
  const form = page.locator('form.try');
  await form.locator('[name=limit]').fill('1');
  await form.locator('button').click();
  const reply = form.locator('output pre');
  await reply.waitFor();
  const words = await form.locator('output').innerText();
  tally.holds('reference: a request is sent with the key', /^200 in \d+ ms/.test(words), words);
  tally.holds('reference: the reply is shown', JSON.parse(await reply.innerText()).items.length === 1);
}
