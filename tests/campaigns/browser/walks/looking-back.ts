import type { Page } from 'playwright-core';
import { faultsOf } from '../accessibility.ts';
import { type Ground, onPage } from '../walk.ts';

/** All calls of the stage look back: the page includes them by itself, says so, and leaves the choice. */
export function lookingBackWalk(ground: Ground): Promise<void> {
  const { tally } = ground;
  return onPage(ground, 'looking back', {}, async ({ page }) => {
    await page.goto('/#/atlas');
    await page.waitForSelector('#atlas-drawing[data-drawn]');
    const box = page.getByRole('checkbox', { name: 'Include calls that look back' });
    tally.holds('looking back: included where there is nothing else', await box.isChecked());
    const words = await page.locator('#atlas-scope').innerText();
    tally.holds('looking back: told in words', words.includes('after the prices were known'), words);
    tally.holds('looking back: the address is as it was', page.url().endsWith('#/atlas'), page.url());
    await leaveOut(ground, page);
    await page.locator('#atlas-back').press('Space');
    await page.waitForSelector('#atlas-drawing[data-drawn]');
    tally.holds('looking back: chosen with the keyboard, they are there again', await box.isChecked());
    await page.locator('#atlas-list li.instrument a').first().click();
    await page.waitForSelector('#atlas-node .records a[href^="#/records/"]');
    const node = page.url();
    tally.holds('looking back: the address of a node says so', node.endsWith('?include_retroactive=true'), node);
    await page.locator('#atlas-node .records a[href^="#/records/"]').first().click();
    await page.waitForSelector('.chart[data-drawn]');
    const claim = await page.locator('#other').innerText();
    tally.holds('looking back: the record says so', claim.includes('looking back'), claim);
    await page.goBack();
    await page.waitForSelector('#atlas-node h3');
    tally.holds(
      'looking back: back leads to the same choice',
      (await box.isChecked()) && page.url() === node,
      page.url(),
    );
  });
}

async function leaveOut({ tally, picture }: Ground, page: Page): Promise<void> {
  await page.locator('#atlas-back').focus();
  await page.keyboard.press('Space');
  await page.waitForSelector('#atlas[data-empty] .notice');
  await page.waitForFunction(() => document.querySelector('#seeds')?.textContent?.includes('can include') ?? false);
  const words = await page.locator('#atlas-list').innerText();
  tally.holds('looking back: without them there is nothing, and why', words.includes('too few'), words);
  tally.holds('looking back: the address says so', page.url().endsWith('?include_retroactive=false'), page.url());
  const focused = await page.evaluate(() => document.activeElement?.id);
  tally.holds('looking back: the focus stays', focused === 'atlas-back', focused);
  tally.holds('looking back: accessible without them', (await faultsOf(page)).length === 0, await faultsOf(page));
  await picture(page, 'looking-back-left-out');
  await page.reload();
  await page.waitForSelector('#atlas[data-empty] .notice');
  const kept = !(await page.locator('#atlas-back').isChecked());
  tally.holds('looking back: the choice is there after a reload', kept);
}
