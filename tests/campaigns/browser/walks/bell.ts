import type { Page } from 'playwright-core';
import { clientOf } from '../../../../scripts/demo/client.ts';
import { checkAccessible } from '../accessibility.ts';
import type { Stage } from '../stage.ts';
import { type Ground, onPage } from '../walk.ts';
import { signIn } from './signed-in.ts';

const SCREENS = [
  ['1440', { viewport: { width: 1440, height: 900 } }],
  ['1440 dark', { viewport: { width: 1440, height: 900 }, colorScheme: 'dark' }],
  ['390', { viewport: { width: 390, height: 844 }, isMobile: true, hasTouch: true }],
  ['390 dark', { viewport: { width: 390, height: 844 }, isMobile: true, hasTouch: true, colorScheme: 'dark' }],
] as const;

/** The bell of the header: what happened since the owner looked last, read once for all their browsers. */
export async function bellWalk(ground: Ground): Promise<void> {
  await onPage(ground, 'bell', {}, async ({ page }) => {
    await signIn(page, ground.stage);
    await opened(ground, page);
    await heard(ground, page);
    await shared(ground, page);
    await followed(ground, page);
  });
  for (const [screen, options] of SCREENS) {
    await onPage(ground, `bell, ${screen}`, options, async ({ page }) => {
      await signIn(page, ground.stage);
      await looked(ground, page, screen);
    });
  }
}

const bellOf = (page: Page) => page.locator('button.bell');
const countOf = (page: Page) => page.locator('.bell-count');
const panelOf = (page: Page) => page.locator('#bell-panel');

let submissions = 0;

/** A decision that looks back is graded at once. */
async function submit({ url, key, plan }: Stage): Promise<void> {
  submissions += 1;
  const { price_targets: _, invalidation: __, ...submission } = plan.submission;
  await clientOf(url).submit(key, `bell-${submissions}`, { ...submission, direction: 'neutral' });
}

/** By keyboard alone; what was opened is read, also after a reload. */
async function opened({ tally, picture }: Ground, page: Page): Promise<void> {
  await countOf(page).waitFor();
  const bell = bellOf(page);
  const name = await bell.innerText();
  tally.holds('bell: says how much is new', /What happened: \d+ new/.test(name), name);
  await bell.focus();
  await page.keyboard.press('Enter');
  await panelOf(page).locator('li').first().waitFor();
  const focus = await page.evaluate(() => document.activeElement?.id);
  tally.holds('bell: the panel has the focus', focus === 'bell-title', focus);
  tally.holds('bell: is open for a screen reader', (await bell.getAttribute('aria-expanded')) === 'true');
  const lines = await panelOf(page).locator('li').allInnerTexts();
  tally.holds(
    'bell: equal ones are one line',
    lines.some((line) => /\d+\u00a0decisions graded/.test(line)),
    lines,
  );
  await checkAccessible(tally, page, 'bell: the panel is accessible');
  await countOf(page).waitFor({ state: 'hidden' });
  await picture(page, 'bell-open');
  await page.keyboard.press('Tab');
  const inPanel = await page.evaluate(() => document.activeElement?.matches('#bell-panel a'));
  tally.holds('bell: Tab goes to the first line', inPanel === true, inPanel);
  await page.keyboard.press('Escape');
  await panelOf(page).waitFor({ state: 'hidden' });
  const back = await page.evaluate(() => document.activeElement?.className);
  tally.holds('bell: Escape closes it, and the focus is back', back?.split(' ').includes('bell') === true, back);
  const digest = page.waitForResponse((response) => response.url().endsWith('/events/digest'));
  await page.reload();
  const { unread } = (await (await digest).json()) as { readonly unread: number };
  tally.holds('bell: what was read is so after a reload', unread === 0, unread);
}

/** A grade rings without a reload, and a screen reader says what. */
async function heard({ stage, tally }: Ground, page: Page): Promise<void> {
  await submit(stage);
  await countOf(page).waitFor();
  const said = await page.locator('#bell [role=status]').textContent();
  tally.holds('bell: what has come is said', /decisions? graded/.test(said ?? ''), said);
}

/** Read in one tab is read in the other. */
async function shared({ tally }: Ground, page: Page): Promise<void> {
  const tab = await page.context().newPage();
  await tab.goto('/#/own');
  await countOf(tab).waitFor();
  await bellOf(tab).click();
  await countOf(tab).waitFor({ state: 'hidden' });
  await countOf(page).waitFor({ state: 'hidden' });
  await tab.close();
  tally.holds('bell: read in one tab is read in all', true);
}

/** A line leads to what it names. */
async function followed({ tally }: Ground, page: Page): Promise<void> {
  await bellOf(page).click();
  await panelOf(page)
    .locator('a', { hasText: /decisions graded/ })
    .first()
    .click();
  await page.locator('#other tbody tr').first().waitFor();
  const chips = await page.locator('.chips').first().innerText();
  tally.holds(
    'bell: a line leads to its decisions',
    /State: evaluated/.test(chips) && /Graded from/.test(chips),
    chips,
  );
  tally.holds('bell: the panel is closed then', !(await panelOf(page).isVisible()));
}

async function looked({ stage, tally, picture }: Ground, page: Page, screen: string): Promise<void> {
  await submit(stage);
  await countOf(page).waitFor();
  await picture(page, `bell-count-${screen.replace(' ', '-')}`);
  await bellOf(page).click();
  await panelOf(page).locator('li').first().waitFor();
  await checkAccessible(tally, page, `bell, ${screen}: accessible`);
  const fits = await panelOf(page).evaluate((panel) => {
    const { left, right, bottom } = panel.getBoundingClientRect();
    return left >= 0 && right <= innerWidth && bottom <= innerHeight;
  });
  tally.holds(`bell, ${screen}: the panel is within the window`, fits);
  await picture(page, `bell-panel-${screen.replace(' ', '-')}`);
}
