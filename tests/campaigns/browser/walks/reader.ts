import type { Page } from 'playwright-core';
import { until } from '../../stage/until.ts';
import { checkAccessible } from '../accessibility.ts';
import { collisionsOf, dotsOf, inkOf } from '../drawings.ts';
import { type Ground, onPage } from '../walk.ts';

/** A visitor starts at `/`, finds an instrument in the atlas, and reads one of its records. */
export function readerWalk(ground: Ground): Promise<void> {
  const { tally } = ground;
  return onPage(ground, 'reader', {}, async ({ page, weight, shift }) => {
    await page.goto('/');
    await page.waitForSelector('#atlas-drawing[data-drawn]');
    await page.waitForSelector('#seeds a');
    await page.waitForSelector('#showcase .sketch[data-drawn]');
    console.log(`       the home page paints its first content after ${await firstPaint(page)} ms`);
    const kibibytes = Math.round((await weight()) / 1_024);
    console.log(`       the home page transfers ${kibibytes} KiB, compressed, with its drawings`);
    tally.holds(`home: lighter than ${MOST_KIBIBYTES} KiB`, kibibytes < MOST_KIBIBYTES, kibibytes);
    await shownFirst(ground, page);
    tally.holds('home: no layout shift', (await shift()) < 0.1, await shift());
    tally.holds('home: the atlas is drawn', (await page.locator('.atlas-net > g').count()) > 1);
    tally.holds('home: both stablecoins are shown', (await page.locator('.circuit').count()) === 2);
    await checkAccessible(tally, page, 'home: accessible');
    await ground.picture(page, 'home');
    await searchAtlas(ground, page);
    const record = await openRecord(ground, page);
    await checkRecord(ground, page, record);
    await page.goBack();
    await page.waitForSelector('#atlas-node h3');
    tally.holds('record: going back leads to the node', /#\/atlas\/instrument/.test(page.url()), page.url());
  });
}

/** Of text or a picture, from the request of the page on. */
function firstPaint(page: Page): Promise<number> {
  return page.evaluate(() => Math.round(performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? 0));
}

/** Compressed, with the library of the charts. */
const MOST_KIBIBYTES = 200;

/** What the service yields is within the first screen. */
async function shownFirst({ tally }: Ground, page: Page): Promise<void> {
  const parts = ['#showcase h2 a', '#showcase .sketch', '#showcase .counts', '#showcase p a[href^="#/records/"]'];
  for (const selector of parts) {
    const box = await page.locator(selector).boundingBox();
    tally.holds(`home: ${selector} is within the first screen`, box !== null && box.y + box.height <= 860, box);
  }
  const words = await page.locator('#showcase p').first().innerText();
  tally.holds('home: the example says when it was stated', /^Stated (before|after) the prices were known/.test(words));
  const covered = await collisionsOf(page, '#showcase svg');
  tally.holds('home: no label of the drawing covers another one', covered.length === 0, covered);
}

async function searchAtlas({ tally, picture }: Ground, page: Page): Promise<void> {
  const listed = page.locator('#atlas-list li li');
  const all = await listed.count();
  const label = await page.locator('#atlas-list li.instrument a').first().innerText();
  await page.fill('#atlas-search', label);
  tally.holds('atlas: a search lists what it finds', (await listed.count()) < all && (await listed.count()) > 0);
  await page.fill('#atlas-search', 'nothing of that name');
  tally.holds(
    'atlas: a search without results says so',
    (await page.locator('#atlas-list').innerText()).includes('Try a symbol'),
  );
  await page.fill('#atlas-search', '');
  await page.locator('#atlas-list li.instrument a').first().click();
  await page.waitForSelector('#atlas-node .records a');
  tally.holds('atlas: a node shows its name', (await page.locator('#atlas-node h3').innerText()) === label);
  await page.waitForSelector('#atlas-node .counts');
  const rows = await page.locator('#atlas-node .counts tbody th').allInnerTexts();
  tally.holds('atlas: a node shows the counts of its cohort, and of each direction', rows.length === 4, rows);
  await page.waitForTimeout(300);
  await picture(page, 'atlas-node');
}

/** A public record of the API. */
interface PublicRecord {
  readonly symbol: string;
  readonly direction: string;
  readonly result_bucket: string;
}

async function openRecord({ tally }: Ground, page: Page): Promise<PublicRecord> {
  const link = page.locator('#atlas-node .records a[href^="#/records/"]').first();
  const id = ((await link.getAttribute('href')) ?? '').replace('#/records/', '');
  await link.click();
  await page.waitForSelector('.chart[data-drawn]');
  await page.waitForTimeout(500);
  tally.holds('record: the address contains its id', page.url().endsWith(`#/records/${id}`), page.url());
  tally.holds('record: the title names the site', (await page.title()).endsWith('Stancebook'));
  return (await (await fetch(new URL(`/api/v1/public/decisions/${id}`, page.url()))).json()) as PublicRecord;
}

async function checkRecord({ tally, picture }: Ground, page: Page, record: PublicRecord): Promise<void> {
  const words = await page.locator('#other').innerText();
  const heading = await page.locator('h1:visible').innerText();
  tally.holds(
    'record: the heading has instrument and direction',
    heading.includes(record.symbol) && heading.includes(record.direction),
    heading,
  );
  for (const name of ['Window', 'Entry', 'Exit', 'MAE', 'Bucket', 'Horizon']) {
    tally.holds(`record: ${name} in words`, words.includes(`${name}\n`), words);
  }
  tally.holds('record: the bucket of the API', words.includes(record.result_bucket.replace('_', ' ')));
  const graded = await page.locator('.graded').innerText();
  const bucket = record.result_bucket.replaceAll('_', ' ');
  tally.holds('record: window and bucket are next to the drawing', graded.endsWith(bucket), graded);
  tally.holds('record: no verdict', !/\b(win|won|loss|lost|success|failure|good|bad) /i.test(words), words);
  tally.holds('record: visitors see no target and no stop', !/\b(Target|Stop)\b/.test(words));
  const drawn = (await page.locator('.chart').getAttribute('data-drawn')) ?? '';
  tally.holds('record: entry and exit are drawn', drawn.includes('entry') && drawn.includes('exit'), drawn);
  tally.holds('record: the chart is not blank', await until(async () => (await inkOf(page, '.chart')) > 1_000));
  const hasDots = async () => (await dotsOf(page, '.chart', '--accent')) > 20;
  tally.holds('record: entry and exit have dots', await until(hasDots));
  tally.holds(
    'record: the drawing has a description',
    ((await page.locator('.chart').getAttribute('aria-label')) ?? '').includes('Entry'),
  );
  await checkAccessible(tally, page, 'record: accessible');
  await picture(page, 'record');
  await page.reload();
  await page.waitForSelector('.chart[data-drawn]');
  tally.holds('record: a reload shows it again', (await page.locator('h1:visible').innerText()) === heading);
}
