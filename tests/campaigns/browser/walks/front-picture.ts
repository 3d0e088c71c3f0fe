import type { Page } from 'playwright-core';
import { signIn } from '../sign-in.ts';
import { type Ground, onPage } from '../walk.ts';

/** The picture at the top of README.md: a graded decision as its owner sees it, with its receipts verified. */
export function frontPictureWalk(ground: Ground): Promise<void> {
  const { tally, stage } = ground;
  return onPage(ground, 'front picture', { viewport: { width: 900, height: 700 } }, async ({ page }) => {
    await signIn(page, stage);
    await showVerified(page, stage.plan.record_id);
    const status = await page.locator('.verify-status').innerText();
    tally.holds('front picture: both receipts are proved', status.startsWith('2 of 2 proved'), status);
    await ground.picture(page, 'verified-decision');
  });
}

/** Verifies a decision, and leaves only its drawing and the results on the page. */
async function showVerified(page: Page, record_id: string): Promise<void> {
  await page.goto(`/#/records/${record_id}`);
  await page.waitForSelector('.chart[data-drawn]');
  await page.getByRole('button', { name: 'Verify here' }).click();
  await page.waitForSelector('.verify-status');
  await page.evaluate((selectors) => {
    for (const each of document.querySelectorAll<HTMLElement>(selectors)) each.hidden = true;
  }, OTHERS.join(', '));
  await page.waitForTimeout(500);
}

/** The grade's receipt stays of both. */
const OTHERS = [
  ...['header', 'footer', '#console-navigation', '.crumbs', '.columns', '.related', '.origins', '.facts:not(.proof)'],
  ...['.badge', '#other .soft:not(:has(svg))', '.proof .files', '.proof .verify-buttons', '.verified:has(+ .verified)'],
];
