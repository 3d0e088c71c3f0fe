import type { BrowserContext, Page } from 'playwright-core';
import { clientOf } from '../../../../scripts/demo/client.ts';
import { checkAccessible } from '../accessibility.ts';
import type { Stage } from '../stage.ts';
import { type Ground, onPage } from '../walk.ts';
import { signIn } from './signed-in.ts';

const FEED = '**/api/v1/owner/events?*';
const ROWS = '#other tbody tr';

const SCREENS = [
  ['1440', { viewport: { width: 1440, height: 900 } }],
  ['1440 dark', { viewport: { width: 1440, height: 900 }, colorScheme: 'dark' }],
  ['390', { viewport: { width: 390, height: 844 }, isMobile: true, hasTouch: true }],
  ['390 dark', { viewport: { width: 390, height: 844 }, isMobile: true, hasTouch: true, colorScheme: 'dark' }],
] as const;

/** The page shows what happens while it is open: with a stream, with the one of another tab, and without. */
export async function liveWalk(ground: Ground): Promise<void> {
  await onPage(ground, 'live', {}, async ({ page }) => {
    const streams = streamsOf(page.context());
    await signIn(page, ground.stage);
    await submitted(ground, page);
    await pointed(ground, page);
    await left(ground, page);
    await counted(ground, page);
    await shared(ground, page);
    const { size } = new Set(streams);
    ground.tally.holds('live: the tabs of a browser share one stream', size === 1, [...streams]);
  });
  const refusal = 'the server responded with a status of 503';
  await onPage(ground, 'live, without a stream', {}, (opened) => polled(ground, opened.page), { refusal });
  for (const [screen, options] of SCREENS) {
    await onPage(ground, `live, ${screen}`, options, async ({ page }) => {
      await signIn(page, ground.stage);
      await looked(ground, page, screen);
    });
  }
}

/** The addresses of streams that any tab opens. */
function streamsOf(context: BrowserContext): readonly string[] {
  const streams: string[] = [];
  context.on('request', (request) => {
    if (request.resourceType() === 'eventsource') streams.push(request.url());
  });
  return streams;
}

let submissions = 0;

/** What an agent does with curl. The decision looks back, so that it is graded soon. */
async function submit({ url, key, plan }: Stage): Promise<string> {
  submissions += 1;
  const { price_targets: _, invalidation: __, ...submission } = plan.submission;
  const { record_id } = await clientOf(url).submit(key, `live-${submissions}`, { ...submission, direction: 'neutral' });
  return record_id;
}

/** Without a reload, a submitted decision is in the list, and then its grade. */
async function submitted({ stage, tally, picture }: Ground, page: Page): Promise<void> {
  const before = await page.locator(ROWS).count();
  await page.mouse.move(5, 5);
  const began = Date.now();
  const record_id = await submit(stage);
  const row = page.locator(ROWS, { has: page.locator(`a[href="#/records/${record_id}"]`) });
  await row.waitFor();
  const shownAt = Date.now();
  const result = row.locator('.c-result');
  await result.getByText(/correct|incorrect/).waitFor();
  console.log(`live: on the list after ${shownAt - began} ms, with its grade after ${Date.now() - began} ms`);
  await picture(page, 'live-graded');
  const first = await page.locator(ROWS).first().locator('a').first().getAttribute('href');
  tally.holds('live: a submitted decision is the first row', first === `#/records/${record_id}`, first);
  const after = await page.locator(ROWS).count();
  tally.holds('live: no other row is added or removed', after === before + 1, [before, after]);
  const bucket = await result.innerText();
  tally.holds('live: its grade appears in its place', /correct|incorrect/.test(bucket), bucket);
}

/** A row does not move under the pointer: new ones wait behind a line. */
async function pointed({ stage, tally }: Ground, page: Page): Promise<void> {
  const first = page.locator(ROWS).first();
  const before = await first.locator('a').first().getAttribute('href');
  await first.hover();
  const [one, two] = [await submit(stage), await submit(stage)];
  const line = page.getByRole('button', { name: 'Show 2 new decisions' });
  await line.waitFor();
  const under = await first.locator('a').first().getAttribute('href');
  tally.holds('live: nothing moves under the pointer', under === before, [before, under]);
  await checkAccessible(tally, page, 'live: the line is accessible');
  await line.press('Enter');
  const shown = await page
    .locator(ROWS)
    .locator('a[href^="#/records/"]')
    .evaluateAll((links) => links.slice(0, 2).map((link) => link.getAttribute('href')));
  tally.holds(
    'live: the line shows them, the newest first',
    shown.join() === [two, one].map((id) => `#/records/${id}`).join(),
    shown,
  );
}

/** A row that leaves the filter is marked under the pointer, and goes when nothing moves; the count follows. */
async function left({ stage, tally, picture }: Ground, page: Page): Promise<void> {
  await page.goto('/#/own?direction=neutral&lifecycle_state=evaluated');
  await page.locator('.pages span').waitFor();
  const count = await page.locator(ROWS).count();
  await page.locator(ROWS).nth(1).hover();
  const href = await page.locator(ROWS).first().locator('a').first().getAttribute('href');
  const id = href?.split('/').at(-1);
  const status = await page.evaluate(async (record) => {
    const init = { method: 'POST', headers: { 'content-type': 'application/json' }, body: '{}' };
    return (await fetch(`/api/v1/owner/decisions/${record}/revoke`, init)).status;
  }, id);
  tally.holds('live: a decision is archived elsewhere', status < 300, status);
  await submit(stage);
  await page.locator(`${ROWS}.gone`).waitFor();
  tally.holds('live: a row that left stays under the pointer', (await page.locator(ROWS).count()) === count);
  await checkAccessible(tally, page, 'live: a row that left is accessible');
  await picture(page, 'live-gone');
  await page.mouse.move(5, 5);
  await page.locator(`${ROWS} a[href="${href}"]`).waitFor({ state: 'detached' });
  // Another decision may be graded meanwhile: its row comes with the count.
  await page.waitForFunction((selector) => {
    const words = document.querySelector('.pages span')?.textContent ?? '';
    return / (\d+) /.exec(` ${words}`)?.[1] === String(document.querySelectorAll(selector).length);
  }, ROWS);
  tally.holds('live: the count is that of the rows', true);
}

/** The figures of the overview follow. */
async function counted({ stage, tally }: Ground, page: Page): Promise<void> {
  await page.goto('/#/overview');
  const graded = page.locator('.tiles + .about a');
  await graded.waitFor();
  const before = Number((await graded.innerText()).replace(/\D/g, ''));
  await submit(stage);
  await untilCounted(page, before);
  tally.holds('live: the counts of the overview follow', true);
}

/** Waits until the overview counts more graded decisions: that of an earlier step may be graded together with the last one. */
export async function untilCounted(page: Page, before: number): Promise<void> {
  await page.waitForFunction((count) => {
    const words = document.querySelector('.tiles + .about a')?.textContent ?? '';
    return Number(words.replace(/\D/g, '')) > count;
  }, before);
}

/** A second tab has its events from the first one, and goes on when that is closed. */
async function shared({ stage, tally }: Ground, page: Page): Promise<void> {
  const tab = await page.context().newPage();
  await tab.goto('/#/own');
  await tab.waitForSelector(ROWS);
  const record_id = await submit(stage);
  await tab.locator(`${ROWS} a[href="#/records/${record_id}"]`).waitFor();
  await tab.close();
  tally.holds('live: a second tab follows, too', true);
}

/** Where no stream can be had, the page reads the feed. */
async function polled({ stage, tally }: Ground, page: Page): Promise<void> {
  await page.route(FEED, (route) =>
    route.request().resourceType() === 'eventsource' ? route.fulfill({ status: 503 }) : route.continue(),
  );
  await signIn(page, stage);
  await page.mouse.move(5, 5);
  const record_id = await submit(stage);
  await page.locator(`${ROWS} a[href="#/records/${record_id}"]`).waitFor();
  tally.holds('live: without a stream a decision appears, too', true);
}

async function looked({ stage, tally, picture }: Ground, page: Page, screen: string): Promise<void> {
  const first = page.locator(`${ROWS} a`).first();
  await first.focus();
  const record_id = await submit(stage);
  await page.getByRole('button', { name: 'Show 1 new decision' }).waitFor();
  await checkAccessible(tally, page, `live, ${screen}: the list is accessible`);
  await picture(page, `live-${screen.replace(' ', '-')}`);
  await page.getByRole('button', { name: 'Show 1 new decision' }).click();
  await page.locator(`${ROWS} a[href="#/records/${record_id}"]`).waitFor();
}
