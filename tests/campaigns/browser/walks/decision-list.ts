import { readFileSync } from 'node:fs';
import type { Locator, Page } from 'playwright-core';
import { membersOfZip } from '../../../../domain/zip.ts';
import { clientOf } from '../../../../scripts/demo/client.ts';
import { checkAccessible } from '../accessibility.ts';
import { type Ground, onPage } from '../walk.ts';
import { LOOKS, signIn } from './signed-in.ts';

/** Pixels. The list of 50 decisions on a phone, with what is above and below it. */
const LONGEST = 3_500;
const LONGEST_ROW = 54;
const LINE = 41;

/** An owner works with the list: order, columns, selection, files, saved filters, and a decision next to it. */
export async function decisionListWalk(ground: Ground): Promise<void> {
  await onPage(ground, 'list of decisions', { viewport: { width: 1440, height: 900 } }, async ({ page }) => {
    await signIn(page, ground.stage);
    await lines(ground, page, 'desktop', LINE);
    await sorted(ground, page);
    await columns(ground, page);
    await saved(ground, page);
    await files(ground, page);
    await panel(ground, page);
    await search(ground, page);
  });
  for (const [name, options] of LOOKS) {
    await onPage(ground, `list of decisions, ${name}`, options, async ({ page }) => {
      await signIn(page, ground.stage);
      await lines(ground, page, name, name === 'phone' ? LONGEST_ROW : LINE);
      await page.goto('/#/own?lifecycle_state=evaluated');
      await page.waitForSelector('[aria-label="Filters that are set"]');
      await page.locator('.lines tbody th a').first().click();
      await page.waitForSelector('.panel-record .chart[data-drawn]');
      await page.waitForTimeout(500);
      await checkAccessible(ground.tally, page, `list, ${name}: accessible with an open decision`);
      await ground.picture(page, `list-open-${name}`);
    });
  }
  const refused = { refusal: ['status of 400', 'net::ERR_FAILED'] };
  const refusedWalk = async ({ page }: { readonly page: Page }) => {
    await signIn(page, ground.stage);
    await archived(ground, page);
    await forgotten(ground, page);
  };
  await onPage(ground, 'list of decisions, refused', {}, refusedWalk, refused);
}

/** A decision without a group is one line, and two lines where the list is narrow. */
async function lines({ tally, picture }: Ground, page: Page, name: string, most: number): Promise<void> {
  await page.waitForSelector('.total');
  await page.waitForSelector('.lines tbody tr');
  await page.waitForTimeout(300);
  const heights = await page
    .locator('.lines tbody tr:not(:has(details))')
    .evaluateAll((rows) => rows.map((row) => row.getBoundingClientRect().height));
  const highest = Math.max(...heights);
  tally.holds(`list, ${name}: each decision is at most ${most} pixels high`, highest <= most, highest);
  const height = await page.evaluate(() => document.documentElement.scrollHeight);
  const rows = heights.length;
  const ofFifty = height + (50 - rows) * highest;
  if (name === 'phone') tally.holds('list, phone: 50 decisions fit', ofFifty <= LONGEST, { height, rows, ofFifty });
  await picture(page, `list-${name}`);
}

async function sorted({ tally }: Ground, page: Page): Promise<void> {
  await page.getByRole('link', { name: 'z', exact: true }).press('Enter');
  await page.waitForSelector('[aria-sort=descending]');
  const zs = async () =>
    (await page.locator('.lines tbody .c-z').evaluateAll((cells) => cells.map(({ textContent }) => textContent ?? '')))
      .map((text) => Number.parseFloat(text.replace('\u2212', '-')))
      .filter((z) => !Number.isNaN(z));
  const first = await zs();
  tally.holds('list: sorted by z, the greatest first', first.join() === first.toSorted((a, b) => b - a).join(), first);
  const focused = await page.evaluate(() => document.activeElement?.textContent ?? '');
  tally.holds('list: the order changes with the focus where it was', focused === 'z', focused);
  await page.reload();
  await page.waitForSelector('[aria-sort=descending]');
  tally.holds('list: the order survives a reload', (await zs()).join() === first.join());
  await page.goto('/#/own');
  await page.waitForSelector('.lines tbody tr');
}

async function columns({ tally, picture }: Ground, page: Page): Promise<void> {
  const title = page.getByRole('columnheader', { name: 'MAE' });
  await page.locator('.menu > summary', { hasText: 'Columns' }).press('Enter');
  await page.getByRole('group', { name: 'Shown columns' }).getByLabel('MAE').check();
  await title.waitFor();
  await picture(page, 'list-columns');
  await page.reload();
  await title.waitFor();
  tally.holds('list: a chosen column stays in this browser', await title.isVisible());
}

async function saved({ tally }: Ground, page: Page): Promise<void> {
  await page.goto('/#/own?direction=bearish');
  await page.getByRole('button', { name: 'Save this filter' }).press('Enter');
  await page.getByLabel('Name').fill('down');
  await page.keyboard.press('Enter');
  const link = page.getByRole('link', { name: 'down', exact: true });
  await link.waitFor();
  await page.goto('/#/own');
  await link.click();
  await page.waitForFunction(() => location.hash === '#/own?direction=bearish');
  tally.holds('list: a saved filter leads to its list', page.url().endsWith('#/own?direction=bearish'), page.url());
  await page.getByRole('button', { name: 'Forget the filter down' }).press('Enter');
  await link.waitFor({ state: 'detached' });
}

async function files({ tally }: Ground, page: Page): Promise<void> {
  await page.goto('/#/own?direction=bullish&lifecycle_state=evaluated');
  await page.locator('.menu > summary', { hasText: 'Download' }).press('Enter');
  const [csv] = await Promise.all([
    page.waitForEvent('download'),
    page.locator('.menu-box').getByRole('button', { name: 'CSV' }).press('Enter'),
  ]);
  const rows = readFileSync(await csv.path(), 'utf8')
    .trim()
    .split('\r\n')
    .slice(1);
  const isFiltered = rows.length > 0 && rows.every((row) => row.includes('"bullish"'));
  tally.holds('list: the CSV has what the filters select', isFiltered, rows.slice(0, 3));
  await page.keyboard.press('Escape');
  await page.locator('.menu > summary', { hasText: 'Download' }).press('Enter');
  const boxes = page.locator('.lines tbody input[type=checkbox]');
  await boxes.nth(0).check();
  await boxes.nth(1).check();
  await page.getByText('2 decisions selected').waitFor();
  const [zip] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: 'Receipts' }).press('Enter'),
  ]);
  const names = membersOfZip(readFileSync(await zip.path())).map(({ name }) => name);
  const receipts = names.filter((name) => name.endsWith('.receipt')).length;
  tally.holds(
    'list: the archive has a receipt of each, and the policy',
    receipts === 2 && names.includes('policy'),
    names,
  );
}

/** Of two decisions that are to be archived one is refused: the list says so, is read again, and follows once. */
async function archived({ tally, stage }: Ground, page: Page): Promise<void> {
  const { price_targets: _, invalidation: __, ...submission } = stage.plan.submission;
  const submit = async (name: string) =>
    (await clientOf(stage.url).submit(stage.key, name, { ...submission, direction: 'neutral' })).record_id;
  const ids = [await submit('archived-1'), await submit('archived-2')];
  await page.goto('/#/own');
  for (const id of ids)
    await page
      .locator('.lines tbody tr', { has: linkTo(page, id) })
      .getByRole('checkbox')
      .check();
  let asked = 0;
  await page.route('**/revoke', (route) => {
    asked += 1;
    return asked === 2 ? route.fulfill(REFUSAL) : route.continue();
  });
  await page.getByRole('button', { name: 'Archive', exact: true }).click();
  await page.getByRole('button', { name: 'Archive 2 decisions' }).click();
  await page.getByRole('heading', { name: '1 of 2 decisions archived' }).waitFor();
  await page.keyboard.press('Control+k');
  tally.holds('keys: no search over a dialog', (await page.locator('dialog').count()) === 1);
  await page.getByRole('button', { name: 'Close', exact: true }).click();
  await linkTo(page, ids[1] ?? '').waitFor({ state: 'detached' });
  tally.holds('list: the one that was not refused is gone', await linkTo(page, ids[0] ?? '').isVisible());
  await page.unroute('**/revoke');
  await page.mouse.move(5, 5);
  await page.waitForTimeout(3_000);
  let readings = 0;
  page.on('request', (request) => {
    if (request.url().includes('/api/v1/owner/decisions?') && request.url().includes('limit=50')) readings += 1;
  });
  const next = await submit('archived-3');
  await page
    .locator('.lines tbody tr', { has: linkTo(page, next) })
    .getByText(/correct/)
    .waitFor();
  await page.waitForTimeout(1_500);
  tally.holds('list: after archiving one list follows events', readings <= 5, readings);
}

const REFUSAL = {
  status: 400,
  contentType: 'application/json',
  body: JSON.stringify({ error: { code: 'VALIDATION_FAILED', message: 'Refused.', suggestion: 'Try again.' } }),
};

function linkTo(page: Page, id: string): Locator {
  return page.locator(`a[href="#/records/${id}"]`);
}

/** What was chosen in this browser goes, also where the service cannot be reached. */
async function forgotten({ tally }: Ground, page: Page): Promise<void> {
  await page.locator('.menu > summary', { hasText: 'Columns' }).press('Enter');
  await page.getByRole('group', { name: 'Shown columns' }).getByLabel('MAE').check();
  await page.getByRole('columnheader', { name: 'MAE' }).waitFor();
  await page.route('**/auth/logout', (route) => route.abort());
  await page.getByRole('button', { name: 'Sign out' }).click();
  await page.getByText('You are signed out here').waitFor();
  const kept = await page.evaluate(() => Object.keys(localStorage));
  tally.holds('list: signing out forgets what was chosen', !kept.includes('decision-columns'), kept);
}

async function panel({ tally, picture }: Ground, page: Page): Promise<void> {
  // Those that wait have no chart.
  await page.goto('/#/own?lifecycle_state=evaluated');
  await page.waitForSelector('[aria-label="Filters that are set"]');
  await page.waitForSelector('.lines tbody tr');
  const links = await page
    .locator('.lines tbody th a')
    .evaluateAll((all) => all.map((link) => link.getAttribute('href')?.split('/').at(-1) ?? ''));
  await page.keyboard.press('j');
  await page.keyboard.press('j');
  await page.keyboard.press('Enter');
  await page.waitForSelector('.panel-record h1');
  const opened = () => new URLSearchParams(page.url().split('?')[1]).get('record');
  tally.holds('list: j and Enter open the second decision, and the address names it', opened() === links[1], opened());
  await page.waitForFunction(() => document.activeElement?.matches('.panel-record h1'));
  await page.waitForSelector('.panel-record .chart[data-drawn]');
  await checkAccessible(tally, page, 'list: accessible with an open decision');
  await picture(page, 'list-open');
  await page.keyboard.press('ArrowDown');
  await page.waitForFunction((id) => location.hash.includes(id), links[2] ?? '');
  const place = await page.locator('.panel-bar [role=status]').innerText();
  tally.holds('list: the arrow leads to the next one', place.startsWith('3 of '), place);
  await page.reload();
  await page.waitForSelector('.panel-record h1');
  tally.holds('list: the address opens the list with the decision', opened() === links[2], opened());
  // The row to which Escape returns.
  await page.waitForSelector('.lines tbody tr');
  await page.keyboard.press('Escape');
  await page.waitForFunction(() => !location.hash.includes('record='));
  const focused = await page.evaluate(() => document.activeElement?.getAttribute('href') ?? '');
  tally.holds('list: Escape returns to the row', focused === `#/records/${links[2]}`, focused);
}

/** Ctrl-K, `g` and `?`. */
async function search({ tally, picture, stage }: Ground, page: Page): Promise<void> {
  await page.keyboard.press('Control+k');
  const field = page.getByRole('combobox', { name: 'Search or jump to' });
  await field.fill('api k');
  await page.getByRole('option', { name: 'API keys' }).waitFor();
  await checkAccessible(tally, page, 'search: accessible');
  await picture(page, 'search');
  await field.fill(stage.plan.record_id);
  await page.keyboard.press('Enter');
  await page.waitForFunction((id) => location.hash === `#/records/${id}`, stage.plan.record_id);
  tally.holds('search: an id leads to its decision', (await field.count()) === 0);
  await page.locator('.stated', { hasText: /in the log as leaf \d+/ }).waitFor();
  const badge = page.locator('.stated', { hasText: /seen by / });
  await badge.waitFor();
  const words = await badge.innerText();
  tally.holds('decision: its first line says when, by whom and who saw it', /^Stated .* by /.test(words), words);
  await page.keyboard.press('?');
  await page.getByRole('heading', { name: 'Keys' }).waitFor();
  await checkAccessible(tally, page, 'keys: accessible');
  await page.getByLabel('Keys of one letter').uncheck();
  await page.keyboard.press('Escape');
  await page.locator('dialog').waitFor({ state: 'detached' });
  await page.keyboard.press('?');
  tally.holds('keys: those of one letter can be turned off', (await page.locator('dialog').count()) === 0);
  await page.evaluate(() => localStorage.removeItem('letter-keys'));
  await page.keyboard.press('g');
  await page.keyboard.press('c');
  await page.waitForFunction(() => location.hash === '#/compare');
  tally.holds('keys: g and c lead to the comparison', page.url().endsWith('#/compare'), page.url());
}
