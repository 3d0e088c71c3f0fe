import type { Page } from 'playwright-core';
import { clientOf } from '../../../../scripts/demo/client.ts';
import { collisionsOf, cutTextsOf } from '../drawings.ts';
import { signIn } from '../sign-in.ts';
import { checkSound } from '../sound-view.ts';
import { type Ground, onPage } from '../walk.ts';
import { untilRead } from '../watched-page.ts';
import { untilCounted } from './live.ts';

const SCREENS = [
  ['1440', { viewport: { width: 1440, height: 900 } }],
  ['1440 dark', { viewport: { width: 1440, height: 900 }, colorScheme: 'dark' }],
  ['390', { viewport: { width: 390, height: 844 }, isMobile: true, hasTouch: true }],
  ['390 dark', { viewport: { width: 390, height: 844 }, isMobile: true, hasTouch: true, colorScheme: 'dark' }],
] as const;

/** The overview of an owner: each number leads to what it counts, charts by keyboard, ranges, and it follows events. */
export async function overviewWalk(ground: Ground): Promise<void> {
  await onPage(ground, 'overview', { viewport: { width: 1440, height: 900 } }, async ({ page }) => {
    await signIn(page, ground.stage);
    await page.waitForSelector('.figure .spot');
    await untilRead(page);
    await numbers(ground, page);
    await keyboard(ground, page);
    await ranges(ground, page);
    await followed(ground, page);
    await checkSound(ground.tally, page, 'overview');
  });
  for (const [screen, options] of SCREENS) {
    await onPage(ground, `overview, ${screen}`, options, async ({ page }) => {
      await signIn(page, ground.stage);
      await page.waitForSelector('.figure .spot');
      await untilRead(page);
      await page.waitForTimeout(300);
      const fits = await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth);
      ground.tally.holds(`overview, ${screen}: does not scroll sideways`, fits);
      await ground.picture(page, `overview-${screen.replace(' ', '-')}`);
      await drawn(ground, page, screen);
      await realtime(ground, page, screen);
    });
  }
}

async function drawn({ tally }: Ground, page: Page, screen: string): Promise<void> {
  const covered = await collisionsOf(page, '#other .drawing svg');
  tally.holds(`overview, ${screen}: no label covers another one`, covered.length === 0, covered);
  const cut = await cutTextsOf(page, '#other .drawing svg');
  tally.holds(`overview, ${screen}: no label is cut`, cut.length === 0, cut);
}

/** How many decisions the list at an address has, page by page; a row of a group has several. */
async function listed(page: Page, address: string): Promise<number> {
  await page.goto(`/${address}`);
  let count = 0;
  for (;;) {
    await page.waitForSelector('#other :is(tbody tr, .nothing)');
    await untilRead(page);
    const rows = page.locator('#other tbody tr[data-ids]');
    const ids = await rows.evaluateAll((each) => each.flatMap((row) => row.getAttribute('data-ids')?.split(' ') ?? []));
    count += ids.length;
    const next = page.locator('#page-older');
    if ((await next.count()) === 0) return count;
    await page.goto(`/${(await next.getAttribute('href')) ?? ''}`);
  }
}

/** The links of the overview that count: id, number and address of each. */
async function countsOf(page: Page): Promise<readonly (readonly [string, string, string])[]> {
  await page.goto('/#/overview');
  await page.waitForSelector('.figure .spot');
  await untilRead(page);
  return page
    .locator('.tile, .now a')
    .evaluateAll((all) =>
      all.map((a) => [a.id, a.querySelector('b')?.textContent ?? '', a.getAttribute('href') ?? ''] as const),
    );
}

/** How often a number and its list are read, while decisions of earlier walks are graded between the two. */
const READINGS = 5;

async function numbers({ tally }: Ground, page: Page): Promise<void> {
  const links = await countsOf(page);
  tally.holds('overview: there are four buckets and what is open', links.length >= 6, links);
  for (const [id, first, href] of links) {
    const read: (readonly [string, string])[] = [];
    for (let number = first; ; ) {
      const count = String(await listed(page, href));
      read.push([number, count]);
      if (number === count || read.length === READINGS) break;
      number = (await countsOf(page)).find(([each]) => each === id)?.[1] ?? '0';
    }
    const isSame = read.at(-1)?.[0] === read.at(-1)?.[1];
    tally.holds(`overview: ${id} is the number of decisions in its list`, isSame, [read, href]);
  }
  await countsOf(page);
}

/** One tab stop for each chart; the arrows read its columns, and Enter leads to the decisions of one. */
async function keyboard({ tally }: Ground, page: Page): Promise<void> {
  const chart = page.locator('.chart-part').first();
  const stops = await chart.locator('.spot[tabindex="0"]').count();
  tally.holds('overview: a chart has one tab stop', stops === 1, stops);
  await chart.locator('.spot[tabindex="0"]').focus();
  const readings: string[] = [];
  for (const key of ['ArrowLeft', 'ArrowLeft', 'Home']) {
    await page.keyboard.press(key);
    readings.push(await chart.locator('.reading').innerText());
  }
  const focused = await page.evaluate(() => document.activeElement?.getAttribute('aria-label'));
  tally.holds('overview: what has the focus is read below the chart', readings.at(-1) === focused, [readings, focused]);
  tally.holds('overview: the arrows walk through the chart', new Set(readings).size === 3, readings);
  const numbers = [...(focused ?? '').replace(/^.*?:/, '').matchAll(/\d+/g)].map(Number);
  const expected = numbers.reduce((sum, n) => sum + n, 0);
  const href = await page.evaluate(() => document.activeElement?.getAttribute('href') ?? '');
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: 'Your decisions' }).waitFor();
  const count = await listed(page, href);
  tally.holds('overview: a column leads to the decisions that it counts', count === expected, [count, expected, href]);
  await page.goto('/#/overview');
  await page.waitForSelector('.figure .spot');
}

/** Another range is shown without the view being made anew. */
async function ranges({ tally }: Ground, page: Page): Promise<void> {
  await untilRead(page);
  const current = await page.locator('.ranges [aria-current]').innerText();
  tally.holds('overview: all is shown where the usual range has no grade', current === 'All', current);
  await page.evaluate(() => document.querySelector('#other h1')?.setAttribute('data-first', ''));
  await page.locator('#range-30').click();
  await page.locator('.figure .nothing').first().waitFor();
  const isSame = (await page.locator('#other h1[data-first]').count()) === 1;
  tally.holds('overview: another range keeps the view', isSame);
  await page.locator('#range-all').click();
  await page.waitForSelector('.figure .spot');
  await page.locator('#origin-realtime').click();
  await page.locator('.figure .nothing').first().waitFor();
  const words = await page.locator('.tiles + .about').innerText();
  tally.holds('overview: kinds are never added', words.startsWith('0') && words.includes('stated before'), words);
  await page.locator('#origin-retroactive').click();
  await page.waitForSelector('.figure .spot');
}

/** A grade is counted without a jump: the place in the page and the focus stay. */
async function followed({ stage, tally }: Ground, page: Page): Promise<void> {
  await untilRead(page);
  const graded = page.locator('.tiles + .about a');
  const before = Number((await graded.innerText()).replace(/\D/g, ''));
  await page.locator('.chart-part').first().locator('.spot[tabindex="0"]').focus();
  await page.evaluate(() => scrollTo(0, 400));
  const place = () => page.evaluate(() => document.querySelector('#usage')?.getBoundingClientRect().top);
  const [top, focused] = [await place(), await page.evaluate(() => document.activeElement?.tagName)];
  const { price_targets: _, invalidation: __, ...submission } = stage.plan.submission;
  await clientOf(stage.url).submit(stage.key, 'overview-1', { ...submission, direction: 'neutral' });
  await untilCounted(page, before);
  await page.waitForTimeout(1_000);
  const [later, still] = [await place(), await page.evaluate(() => document.activeElement?.tagName)];
  tally.holds('overview: a grade moves nothing', Math.abs((later ?? 0) - (top ?? 0)) < 60, [top, later]);
  tally.holds('overview: the focus stays in the chart', focused === 'a' && still === 'a', [focused, still]);
}

/** As it looks after months of realtime decisions, which a stage cannot have. */
async function realtime(ground: Ground, page: Page, screen: string): Promise<void> {
  const { picture, tally } = ground;
  await page.route('**/api/v1/owner/outcomes?*', (route) => route.fulfill({ json: { by: 'week', items: madeUp() } }));
  await page.goto('/#/overview?range=90');
  await page.locator('.figure h2', { hasText: 'Outcomes by week' }).first().waitFor();
  await page.waitForSelector('.figure .spot .part');
  await untilRead(page);
  await page.waitForTimeout(300);
  tally.holds(`overview, ${screen}: weeks are counted in a range`, true);
  await drawn(ground, page, `${screen}, weeks`);
  await picture(page, `overview-weeks-${screen.replace(' ', '-')}`);
}

const DAY = 86_400_000;

function madeUp(): readonly object[] {
  const monday = Math.floor(Date.now() / DAY / 7) * 7 * DAY - 3 * DAY;
  const counts = (a: number, b: number, c: number, d: number) => ({
    ...{ strong_correct: a, weak_correct: b, weak_incorrect: c, strong_incorrect: d },
  });
  return Array.from({ length: 11 }, (_, n) => {
    const [a, b, c, d] = [3 + (n % 4), 2 + ((n * 3) % 5), 1 + ((n * 5) % 4), (n * 7) % 5];
    const decided = counts(a, b, c, d);
    return {
      period: new Date(monday - (10 - n) * 7 * DAY).toISOString().slice(0, 10),
      ...{ submission_origin: 'realtime', result_distribution: decided, uncounted_count: 0 },
      by_direction: { bullish: decided, bearish: counts(0, 0, 0, 0), neutral: counts(0, 0, 0, 0) },
      had_said: { bullish: counts(b, a, d, c), bearish: counts(c, d, a, b), neutral: counts(d, c, b, a) },
    };
  });
}
