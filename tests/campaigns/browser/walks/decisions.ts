import type { Page } from 'playwright-core';
import { checkAccessible } from '../accessibility.ts';
import { collisionsOf, cutTextsOf } from '../drawings.ts';
import { type Ground, onPage } from '../walk.ts';
import { untilRead } from '../watched-page.ts';
import { LOOKS, signIn } from './signed-in.ts';

/** An owner filters the table of decisions, pages through it, and verifies a graded one in place. */
export async function decisionsWalk(ground: Ground): Promise<void> {
  await onPage(ground, 'decisions', {}, async ({ page }) => {
    await signIn(page, ground.stage);
    await filtered(ground, page);
    await paged(ground, page);
    await searched(ground, page);
    await verified(ground, page);
    await noted(ground, page);
    await grouped(ground, page);
  });
  for (const [name, options] of LOOKS) {
    await onPage(ground, `decisions, ${name}`, options, async ({ page }) => {
      await signIn(page, ground.stage);
      await looked(ground, page, name);
    });
  }
  await onTroubles(ground);
}

async function filtered({ tally, picture }: Ground, page: Page): Promise<void> {
  await page.goto('/#/own');
  await page.waitForSelector('#other tbody tr');
  const all = await rowsOf(page);
  await checkAccessible(tally, page, 'decisions: accessible');
  for (const title of ['Result', 'Instrument', 'Direction', 'Horizon', 'Data up to', 'Return', 'z', 'Agent']) {
    tally.holds(
      `decisions: a column ${title}`,
      await page.getByRole('columnheader', { name: title, exact: true }).isVisible(),
    );
  }
  await picture(page, 'decisions');
  await openFilters(page);
  await page.locator('.filters').getByLabel('Direction').selectOption('bearish');
  await page.getByRole('button', { name: 'Show' }).press('Enter');
  await page.waitForFunction(() => location.hash.includes('direction=bearish'));
  await page.getByRole('link', { name: 'Remove the filter: Direction: bearish' }).waitFor();
  await page.waitForSelector('#other tbody tr');
  const bearish = await rowsOf(page);
  tally.holds(
    'decisions: a filter selects',
    bearish.length > 0 && bearish.length < all.length && bearish.every((row) => row.includes('bearish')),
    bearish,
  );
  await page.reload();
  await page.waitForSelector('#other tbody tr');
  const isKept = (await page.locator('.filters').getByLabel('Direction').inputValue()) === 'bearish';
  tally.holds(
    'decisions: the filter is the same after a reload',
    isKept && (await rowsOf(page)).length === bearish.length,
  );
  await page.goBack();
  await page.waitForFunction((count) => document.querySelectorAll('#other tbody tr').length === count, all.length);
  tally.holds('decisions: going back removes the filter', !page.url().includes('direction'), page.url());
}

async function openFilters(page: Page): Promise<void> {
  await page.locator('.filtering > summary').click();
}

const PAGE = 4;

/** Small pages, so that there are several. */
async function paged({ tally }: Ground, page: Page): Promise<void> {
  const list = '**/owner/decisions?*';
  await page.route(list, (route) =>
    route.continue({ url: route.request().url().replace('limit=50', `limit=${PAGE}`) }),
  );
  await page.goto('/#/own?lifecycle_state=evaluated');
  await page.waitForSelector('.pages a');
  const first = await rowsOf(page);
  await page.getByRole('link', { name: 'Older' }).click();
  await page.waitForFunction(() => location.hash.includes('cursor='));
  await page.getByRole('link', { name: 'Newest' }).waitFor();
  const second = await rowsOf(page);
  const both = new Set([...first, ...second]);
  tally.holds('decisions: an older page has other rows', second.length === PAGE && both.size === 2 * PAGE, [
    first,
    second,
  ]);
  tally.holds('decisions: the page keeps the filter', page.url().includes('lifecycle_state=evaluated'), page.url());
  await page.reload();
  await page.getByRole('link', { name: 'Newest' }).waitFor();
  tally.holds('decisions: a page survives a reload', (await rowsOf(page)).join() === second.join());
  await page.goBack();
  await page.getByRole('link', { name: 'Newest' }).waitFor({ state: 'detached' });
  await page.waitForSelector('#other tbody tr');
  tally.holds('decisions: going back returns to the page before', (await rowsOf(page)).join() === first.join());
  await page.unroute(list);
}

async function searched({ tally, stage }: Ground, page: Page): Promise<void> {
  const search = page.getByLabel('Symbol, or id of a decision');
  await page.goto('/#/own');
  await page.waitForSelector('#other tbody tr');
  await openFilters(page);
  await search.fill('NOSUCHSYMBOL');
  await search.press('Enter');
  await page.waitForSelector('#other .nothing');
  tally.holds(
    'decisions: a search without results offers all',
    await page.getByRole('link', { name: 'Show all' }).first().isVisible(),
  );
  await openFilters(page);
  await search.fill(` ${stage.plan.record_id} `);
  await search.press('Enter');
  await page.waitForSelector('.chart[data-drawn]');
  tally.holds('decisions: an id leads to its decision', page.url().endsWith(stage.plan.record_id), page.url());
}

async function verified({ tally, picture, stage }: Ground, page: Page): Promise<void> {
  await page.goto(`/#/records/${stage.plan.record_id}`);
  await page.waitForSelector('.chart[data-drawn]');
  const drawn = (await page.locator('.chart').getAttribute('data-drawn')) ?? '';
  tally.holds('decision: bars from before the window are drawn', drawn.includes('context'), drawn);
  await page.waitForSelector('.chart-labels text');
  await page.waitForTimeout(700);
  await readable(tally, page, 'decision');
  const scale = await page.locator('.z-scale .tick').allTextContents();
  const edges = ['\u22121.15', '\u22120.67', '\u22120.32', '0.00', '0.32', '0.67', '1.15'];
  tally.holds(
    'decision: every edge of z has its number',
    edges.every((edge) => scale.includes(edge)),
    scale,
  );
  await page.getByRole('button', { name: 'Verify here' }).press('Enter');
  await page.waitForSelector('.verified-here .verified');
  const status = await page.locator('.verify-status').innerText();
  tally.holds('decision: its receipts are proved in place', status.startsWith('2 of 2 proved'), status);
  const lines = await page.locator('.verified-here li').allInnerTexts();
  const holds = (subject: string) => lines.some((line) => line.startsWith('holds') && line.includes(subject));
  tally.holds('decision: its grade is computed again from the bars', holds('bars') && holds('bucket'), lines);
  await checkAccessible(tally, page, 'decision: accessible when verified');
  await picture(page, 'decision-verified');
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.locator('.proof .files a').first().click(),
  ]);
  const file = download.suggestedFilename();
  // The browser adds the ending of a text.
  tally.holds('decision: the receipt can be kept', /^receipt(?:\.txt)?$/.test(file), file);
}

/** A note stands apart from the words of the agent, and its owner empties it. */
async function noted({ tally, picture, stage: { url, key, plan } }: Ground, page: Page): Promise<void> {
  const response = await fetch(`${url}/api/v1/agent/decisions/${plan.record_id}/notes`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-api-key': key },
    body: JSON.stringify({ text: 'Ignored <b>the</b> CPI date' }),
  });
  tally.holds('decision: a note is written', response.status === 201, response.status);
  await page.goto('/#/own');
  await page.goto(`/#/records/${plan.record_id}`);
  const title = page.getByRole('heading', { name: 'Written after the outcome' });
  await title.waitFor();
  const note = page.locator('section').filter({ has: title }).getByRole('listitem');
  tally.holds('decision: a note is text', (await note.innerText()).startsWith('Ignored <b>the</b> CPI date'));
  await checkAccessible(tally, page, 'decision: accessible with a note');
  await picture(page, 'decision-noted');
  await page.getByRole('button', { name: 'Empty note 1' }).press('Enter');
  await page.getByRole('button', { name: 'Empty the note' }).press('Enter');
  await note.filter({ hasText: 'Emptied' }).waitFor();
  const focused = await note.evaluate((item) => item === document.activeElement);
  tally.holds('decision: a note that is emptied keeps the focus', focused);
  await page.reload();
  await note.filter({ hasText: 'Emptied' }).waitFor();
  tally.holds('decision: no text comes back', !(await note.innerText()).includes('CPI'), await note.innerText());
}

/** A decision of three horizons is one row, which opens. */
async function grouped({ tally, picture, stage }: Ground, page: Page): Promise<void> {
  const [first, ...others] = await submitGroup(stage);
  await page.goto('/#/own');
  const row = page.getByRole('row').filter({ has: page.locator(`a[href="#/records/${first}"]`) });
  await row.waitFor();
  const further = row.locator('details li a');
  tally.holds('decisions: the further horizons of a group are closed at first', !(await further.first().isVisible()));
  tally.holds('decisions: the row of a group says how many more there are', /and 2 more/.test(await row.innerText()));
  await row.locator('summary').press('Enter');
  await further.first().waitFor();
  const places = await further.evaluateAll((links) => links.map((link) => link.getAttribute('href')));
  tally.holds(
    'decisions: the row of a group opens to its other horizons',
    places.join() === others.map((id) => `#/records/${id}`).join(),
    places,
  );
  const texts = [...(await further.allInnerTexts()), (await row.innerText()).split('and 2 more')[0] ?? ''];
  tally.holds(
    'decisions: three horizons are shown',
    [/\b7\s+days/, /\b14\s+days/, /\b28\s+days/].every((horizon) => texts.some((text) => horizon.test(text))),
    texts,
  );
  await checkAccessible(tally, page, 'decisions: accessible with an open group');
  await picture(page, 'decisions-group');
  await row.getByRole('link', { name: 'All 3' }).click();
  await page.waitForFunction(() => document.querySelectorAll('#other tbody tr').length === 3);
  tally.holds('decisions: a group has a list of its own', page.url().includes('group_id='), page.url());
}

/** The ids of its decisions, in the order of their horizons. */
async function submitGroup({ url, key }: Ground['stage']): Promise<readonly string[]> {
  const horizons = [7, 14, 28].map((days) => ({ horizon_kind: 'holding_seconds', horizon_value: days * 86_400 }));
  const response = await fetch(`${url}/api/v1/agent/decision-groups`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-api-key': key },
    body: JSON.stringify({
      ...{ market: 'crypto', symbol: 'BTC', venue: 'COINBASE', asset_class: 'spot', quote_currency: 'USD' },
      ...{ direction: 'bearish', data_cutoff: new Date().toISOString(), horizons },
    }),
  });
  const text = await response.text();
  if (response.status !== 201) throw new Error(`The group was answered with ${response.status}: ${text}`);
  const { members } = JSON.parse(text) as { readonly members: readonly { readonly record_id: string }[] };
  return members.map(({ record_id }) => record_id);
}

async function looked({ tally, picture, stage }: Ground, page: Page, name: string): Promise<void> {
  await page.goto('/#/own');
  await page.waitForSelector('#other tbody tr');
  await checkAccessible(tally, page, `decisions, ${name}: accessible`);
  tally.holds(`decisions, ${name}: does not scroll sideways`, await fits(page));
  await picture(page, `decisions-${name}`);
  await page.goto(`/#/records/${stage.plan.record_id}`);
  await page.waitForSelector('.chart[data-drawn]');
  await page.waitForTimeout(1_000);
  await readable(tally, page, `decision, ${name}`);
  await checkAccessible(tally, page, `decision, ${name}: accessible`);
  tally.holds(`decision, ${name}: does not scroll sideways`, await fits(page));
  await picture(page, `decision-${name}`);
}

async function readable(tally: Ground['tally'], page: Page, name: string): Promise<void> {
  const covered = await collisionsOf(page, '#other svg');
  tally.holds(`${name}: no label covers another one`, covered.length === 0, covered);
  const cut = await cutTextsOf(page, '#other svg');
  tally.holds(`${name}: no label is cut`, cut.length === 0, cut);
}

/** The list when the service refuses it for a while, and when it cannot be reached. */
async function onTroubles({ browser, stage, tally }: Ground): Promise<void> {
  const context = await browser.newContext({ baseURL: stage.url });
  const page = await context.newPage();
  await signIn(page, stage);
  const list = '**/owner/decisions?*';
  const error = { code: 'RATE_LIMIT_EXCEEDED', message: 'Too many.', suggestion: 'Wait.', retry_after_seconds: 37 };
  await page.route(list, (route) => route.fulfill({ status: 429, json: { error } }));
  await page.reload();
  await page.waitForSelector('#other .refused');
  const words = await page.locator('#other .refused').innerText();
  tally.holds('decisions: a refused list says when to try again', /Try again in 3\d\sseconds/.test(words), words);
  await page.unroute(list);
  await page.route(list, (route) => route.abort('connectionfailed'));
  await page.goto('/#/own?direction=bullish');
  await page.getByText('The service does not answer.').waitFor();
  await page.unroute(list);
  await page.getByRole('button', { name: 'Try again' }).click();
  await page.waitForSelector('#other tbody tr');
  tally.holds('decisions: the list is shown once the service answers', (await rowsOf(page)).length > 0);
  await context.close();
}

/** Once the filters are there, and with them the names of agents in the rows. */
async function rowsOf(page: Page): Promise<string[]> {
  await page.waitForSelector('#other .filtering-part');
  await untilRead(page);
  return page.locator('#other tbody tr').allInnerTexts();
}

function fits(page: Page): Promise<boolean> {
  // A phone widens its window to what is too wide.
  const width = page.viewportSize()?.width ?? 0;
  return page.evaluate((most) => document.documentElement.scrollWidth <= most, width);
}
