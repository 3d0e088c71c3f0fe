import type { Page } from 'playwright-core';
import { checkAccessible } from '../accessibility.ts';
import { collisionsOf, cutTextsOf } from '../drawings.ts';
import { type Ground, onPage } from '../walk.ts';
import { LOOKS, signIn } from './signed-in.ts';

/** An owner reads the track record of an agent: counts, as the service replies them. */
export async function trackWalk(ground: Ground): Promise<void> {
  for (const [name, options] of [['desktop', {}] as const, ...LOOKS]) {
    await onPage(ground, `track record, ${name}`, options, async ({ page }) => {
      await signIn(page, ground.stage);
      await page.goto('/#/track');
      await page.waitForSelector('#other tbody tr');
      await checkAccessible(ground.tally, page, `track records, ${name}: accessible`);
      await page.locator('#other tbody th a').first().press('Enter');
      // What the demo's agents decided is about the past.
      await page.getByRole('link', { name: 'Stated after', exact: true }).press('Enter');
      await page.waitForSelector('.dots svg');
      await looked(ground, page, name);
      if (name === 'desktop') await counted(ground, page);
    });
  }
}

async function looked({ tally, picture }: Ground, page: Page, name: string): Promise<void> {
  await page.waitForTimeout(300);
  const covered = await collisionsOf(page, '#other svg');
  tally.holds(`track record, ${name}: no label covers another one`, covered.length === 0, covered);
  const cut = await cutTextsOf(page, '#other svg');
  tally.holds(`track record, ${name}: no label is cut`, cut.length === 0, cut);
  // A phone widens its window to what is too wide.
  const width = page.viewportSize()?.width ?? 0;
  const fits = await page.evaluate((most) => document.documentElement.scrollWidth <= most, width);
  tally.holds(`track record, ${name}: does not scroll sideways`, fits);
  await checkAccessible(tally, page, `track record, ${name}: accessible`);
  const words = await page.locator('#other').innerText();
  const judged = /%|\b(rate|rank|score|streak|best|worst|winner)s?\b/i.exec(
    words.replace('The numbers as a table', ''),
  );
  tally.holds(`track record, ${name}: counts alone`, judged === null, judged?.[0]);
  await picture(page, `track-record-${name}`);
}

interface Counts {
  readonly result_distribution: Readonly<Record<string, number>>;
  readonly had_said: Readonly<Record<string, Readonly<Record<string, number>>>>;
}

async function counted({ tally }: Ground, page: Page): Promise<void> {
  const [, agent = ''] = /#\/track\/(\w+)/.exec(page.url()) ?? [];
  const reply = await page.evaluate(
    async (id) => (await fetch(`/api/v1/owner/agents/${id}/track-record`)).json(),
    agent,
  );
  const { result_distribution, had_said } = (reply as { readonly retroactive: Counts }).retroactive;
  const ways = [result_distribution, had_said.bullish, had_said.bearish, had_said.neutral];
  const expected = ways.map((way) => Object.values(way ?? {}).join(' '));
  const rows = page.locator('.counts').first().locator('tbody tr');
  const shown = await rows.evaluateAll((all) =>
    all.map((row) => [...row.querySelectorAll('td')].map((cell) => cell.textContent?.trim()).join(' ')),
  );
  tally.holds('track record: the counts are those of the reply', shown.join() === expected.join(), { shown, expected });
  await page.getByRole('button', { name: 'Count by horizon' }).press('Enter');
  const horizons = page.getByRole('table', { name: 'Decisions by horizon' }).locator('tbody tr');
  await horizons.last().waitFor();
  const submitted = await horizons.locator('td').evaluateAll((cells) => cells.map((cell) => cell.textContent?.trim()));
  tally.holds('track record: five ranges of horizons are counted', (await horizons.count()) === 5, submitted);
  const dots = await page.locator('.dots circle').count();
  const bars = await page.locator('#other rect > title').count();
  tally.holds('track record: each graded decision has a dot and a bar', dots > 0 && dots === bars, { dots, bars });
  await page.locator('.behind summary').last().press('Enter');
  const link = page.locator('.behind[open] a').first();
  tally.holds('track record: the table behind a drawing leads to decisions', await link.isVisible());
}
