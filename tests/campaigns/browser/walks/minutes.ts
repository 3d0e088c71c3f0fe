import type { Page } from 'playwright-core';
import { checkAccessible } from '../accessibility.ts';
import { type OperatingStage, openOperatingStage } from '../operating-stage.ts';
import { signIn } from '../sign-in.ts';
import { checkSound } from '../sound-view.ts';
import { type Ground, onPage } from '../walk.ts';

const SCREENS = [
  ['1440', { viewport: { width: 1440, height: 900 } }],
  ['1440 dark', { viewport: { width: 1440, height: 900 }, colorScheme: 'dark' }],
  ['390', { viewport: { width: 390, height: 844 }, isMobile: true, hasTouch: true }],
  ['390 dark', { viewport: { width: 390, height: 844 }, isMobile: true, hasTouch: true, colorScheme: 'dark' }],
] as const;

/** Longer than until the first minute is over, and the page reads again. */
const PATIENCE = 180_000;

/** An operator reads the figures of the last day: by pointer, by keyboard, and as a table. */
export async function minutesWalk(ground: Ground): Promise<void> {
  const stage = await openOperatingStage();
  try {
    await onPage(ground, 'minutes', {}, (opened) => read(ground, opened.page, stage), { url: stage.url });
    for (const [screen, options] of SCREENS) {
      await onPage(ground, `minutes, ${screen}`, options, (opened) => looked(ground, opened.page, stage, screen), {
        url: stage.url,
      });
    }
  } finally {
    await stage.close();
  }
}

const chartsOf = (page: Page) => page.locator('.minute-chart');

async function open(page: Page, stage: OperatingStage): Promise<void> {
  await signIn(page, { owner: stage.operator }, '/#/operations');
  await chartsOf(page).first().locator('svg').waitFor({ timeout: PATIENCE });
}

async function read({ tally, picture }: Ground, page: Page, stage: OperatingStage): Promise<void> {
  await open(page, stage);
  const requests = chartsOf(page).first();
  await requests.hover();
  const pointed = await page.locator('.minute-value').first().innerText();
  tally.holds('minutes: the pointer reads the exact value', /^\d\d:\d\d UTC: [\d.,]+\u00a0\/s$/.test(pointed), pointed);
  await requests.focus();
  await page.keyboard.press('Home');
  const said = await requests.getAttribute('aria-valuetext');
  tally.holds('minutes: the keyboard reads it, too', /UTC: /.test(said ?? ''), said);
  const cursors = await page.locator('.minute-chart .cursor[visibility=visible]').count();
  tally.holds('minutes: one cursor goes through all charts', cursors === (await chartsOf(page).count()), cursors);
  await page.getByText('Show as a table').click();
  const rows = await page.locator('.minutes-table tbody tr').count();
  tally.holds('minutes: the table has each minute', rows >= 1, rows);
  await checkAccessible(tally, page, 'minutes: the table is accessible');
  const about = await page.locator('.minutes .soft').first().innerText();
  tally.holds('minutes: says of how many processes they are', /process(es)? wrote it/.test(about), about);
  await picture(page, 'minutes-table');
  await checkSound(tally, page, 'minutes');
}

async function looked({ tally, picture }: Ground, page: Page, stage: OperatingStage, screen: string): Promise<void> {
  await open(page, stage);
  await checkAccessible(tally, page, `minutes, ${screen}: accessible`);
  await picture(page, `minutes-${screen.replace(' ', '-')}`);
}
