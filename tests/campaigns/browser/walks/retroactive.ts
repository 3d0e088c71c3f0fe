import type { Page } from 'playwright-core';
import { checkAccessible } from '../accessibility.ts';
import { type Ground, onPage } from '../walk.ts';

/** All decisions of the stage are retroactive: the page includes them by default, says so, and offers the choice. */
export function retroactiveWalk(ground: Ground): Promise<void> {
  const { tally } = ground;
  return onPage(ground, 'retroactive', {}, async ({ page }) => {
    await page.goto('/#/atlas');
    await page.waitForSelector('#atlas-drawing[data-drawn]');
    const box = page.getByRole('checkbox', { name: 'Include retroactive decisions' });
    tally.holds('retroactive: included when there is nothing else', await box.isChecked());
    const words = await page.locator('#atlas-scope').innerText();
    tally.holds('retroactive: described in words', words.includes('after the prices were known'), words);
    tally.holds('retroactive: the address does not change', page.url().endsWith('#/atlas'), page.url());
    await leaveOut(ground, page);
    await page.locator('#atlas-back').press('Space');
    await page.waitForSelector('#atlas-drawing[data-drawn]');
    tally.holds('retroactive: the keyboard includes them again', await box.isChecked());
    await page.locator('#atlas-list li.instrument a').first().click();
    await page.waitForSelector('#atlas-node .records a[href^="#/records/"]');
    const node = page.url();
    tally.holds(
      'retroactive: the address of a node contains the choice',
      node.endsWith('?include_retroactive=true'),
      node,
    );
    await page.locator('#atlas-node .records a[href^="#/records/"]').first().click();
    await page.waitForSelector('.chart[data-drawn]');
    const claim = await page.locator('#other').innerText();
    tally.holds('retroactive: the record says so', claim.includes('retroactively'), claim);
    await page.goBack();
    await page.waitForSelector('#atlas-node h3');
    tally.holds('retroactive: going back keeps the choice', (await box.isChecked()) && page.url() === node, page.url());
  });
}

async function leaveOut({ tally, picture }: Ground, page: Page): Promise<void> {
  await page.locator('#atlas-back').focus();
  await page.keyboard.press('Space');
  await page.waitForSelector('#atlas[data-empty] .notice');
  await page.waitForFunction(() => document.querySelector('#seeds')?.textContent?.includes('can include') ?? false);
  const words = await page.locator('#atlas-list').innerText();
  tally.holds('retroactive: without them the atlas is empty and says why', words.includes('too few'), words);
  tally.holds(
    'retroactive: the address contains the choice',
    page.url().endsWith('?include_retroactive=false'),
    page.url(),
  );
  const focused = await page.evaluate(() => document.activeElement?.id);
  tally.holds('retroactive: the focus stays', focused === 'atlas-back', focused);
  await checkAccessible(tally, page, 'retroactive: accessible without them');
  await picture(page, 'retroactive-left-out');
  await page.reload();
  await page.waitForSelector('#atlas[data-empty] .notice');
  const isOff = !(await page.locator('#atlas-back').isChecked());
  tally.holds('retroactive: the choice is the same after a reload', isOff);
}
