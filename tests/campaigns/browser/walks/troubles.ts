import type { Page, Route } from 'playwright-core';
import { until } from '../../stage/until.ts';
import type { Ground } from '../walk.ts';
import { openPage } from '../watched-page.ts';

/** A service that is slow, or refuses requests for a while. */
export async function troubleWalk({ browser, stage, tally }: Ground): Promise<void> {
  const { page, close } = await openPage(browser, stage.url);
  await refused(page, tally);
  await late(page, stage.plan.record_id, stage.open, tally);
  await leftAndReturned(page, tally);
  await close();
}

async function refused(page: Page, tally: Ground['tally']): Promise<void> {
  await page.route('**/api/v1/**', refuse);
  const since = performance.now();
  await page.goto('/');
  await page.waitForSelector('#atlas-list .refused');
  for (const section of ['#atlas', '#entries', '#stablecoins']) {
    const words = await page.locator(section).innerText();
    const left = Number(/Try again in (\d+)\sseconds/.exec(words)?.[1]);
    // It counts down from the first refusal.
    const least = WAIT - Math.ceil((performance.now() - since) / 1_000);
    tally.holds(`troubles: ${section} says when to try again`, left <= WAIT && left >= least, words);
  }
  await page.unroute('**/api/v1/**');
  await page.goto('/#/own');
  await page.goto('/#/atlas');
  await page.waitForSelector('#atlas-drawing[data-drawn]');
  tally.holds(
    'troubles: the atlas is shown on the next visit',
    await page.locator('#atlas-list a').first().isVisible(),
  );
}

/** Seconds. */
const WAIT = 37;

function refuse(route: Route): Promise<void> {
  const error = { message: 'Too many.', suggestion: 'Wait.', retry_after_seconds: WAIT };
  return route.fulfill({ status: 429, json: { error } });
}

/** A record whose reply is late when the visitor leaves it must not replace another one: its request ends. */
async function late(page: Page, slow: string, absent: string, tally: Ground['tally']): Promise<void> {
  const isSent = page.waitForRequest((request) => request.url().endsWith(slow));
  const hasEnded = page.waitForEvent('requestfailed', (request) => request.url().endsWith(slow));
  const left = Promise.withResolvers<void>();
  await page.route(`**/decisions/${slow}`, async (route) => {
    await left.promise;
    await route.continue().catch(() => undefined);
  });
  await page.goto(`/#/records/${slow}`);
  await isSent;
  await page.goto(`/#/records/${absent}`);
  await hasEnded;
  left.resolve();
  // Longer than the reply would have taken.
  await page.waitForTimeout(2_000);
  const words = await page.locator('#other').innerText();
  tally.holds('troubles: a late record replaces nothing', words.includes('Not a public record'), words);
  await page.unroute(`**/decisions/${slow}`);
}

async function leftAndReturned(page: Page, tally: Ground['tally']): Promise<void> {
  await page.goto('/#/atlas');
  await page.waitForSelector('#atlas-drawing[data-drawn]');
  await page.evaluate(() => scrollTo(0, document.documentElement.scrollHeight));
  await page.locator('header a[href="/#/atlas"]').last().click();
  const top = () => page.evaluate(() => document.querySelector('#atlas-title')?.getBoundingClientRect().top ?? -1);
  const isThere = await until(async () => (await top()) >= 0 && (await top()) < 300);
  tally.holds('troubles: a link to the current place scrolls to it', isThere, await top());
}
