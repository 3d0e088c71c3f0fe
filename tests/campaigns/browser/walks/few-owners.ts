import { setTimeout as sleep } from 'node:timers/promises';
import type { Page } from 'playwright-core';
import { checkAccessible } from '../accessibility.ts';
import { type Ground, onPage } from '../walk.ts';

/** A service whose owners are too few for an atlas: the home lists the newest public records. */
export function fewOwnersWalk(ground: Ground): Promise<void> {
  const { tally, picture, stage } = ground;
  return onPage(ground, 'few owners', {}, async ({ page, shift }) => {
    await untilListed(stage.url);
    await withoutAtlas(page);
    await page.goto('/');
    await page.waitForSelector('#seeds a');
    const words = await page.locator('#entries').innerText();
    tally.holds('few owners: the newest public records are listed', words.includes('The newest public records'), words);
    tally.holds('few owners: each says when it was stated', words.includes('stated after the prices were known'));
    tally.holds('few owners: no layout shift', (await shift()) < 0.1, await shift());
    await checkAccessible(tally, page, 'few owners: accessible');
    await picture(page, 'few-owners');
    await page.locator('#seeds a').first().click();
    await page.waitForSelector('.chart[data-drawn]');
    tally.holds('few owners: a record of the list opens', page.url().includes('#/records/dec_'), page.url());
  });
}

const PATIENCE = 120;

/** A record is listed within a minute of its evaluation. */
async function untilListed(url: string): Promise<void> {
  for (let looks = 0; looks < PATIENCE; looks++) {
    const response = await fetch(`${url}/api/v1/public/decisions?limit=1`);
    const { items = [] } = (await response.json()) as { readonly items?: readonly unknown[] };
    if (items.length > 0) return;
    await sleep(1_000);
  }
  throw new Error('No public record was listed.');
}

async function withoutAtlas(page: Page): Promise<void> {
  const generated_at = new Date().toISOString();
  await page.route('**/public/atlas/network?*', (route) =>
    route.fulfill({ json: { generated_at, nodes: [], edges: [] } }),
  );
  await page.route('**/public/atlas/seeds?*', (route) => route.fulfill({ json: { generated_at, items: [] } }));
}
