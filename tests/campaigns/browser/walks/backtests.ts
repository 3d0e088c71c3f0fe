import { readFileSync } from 'node:fs';
import type { Page } from 'playwright-core';
import { signIn } from '../sign-in.ts';
import { checkSound } from '../sound-view.ts';
import { type Ground, onPage } from '../walk.ts';
import { untilRead } from '../watched-page.ts';

const WIDE = { viewport: { width: 1_440, height: 900 } } as const;

const MSFT = {
  ...{ market: 'stock', symbol: 'MSFT', venue: 'NASDAQ', asset_class: 'spot', quote_currency: 'USD' },
  ...{ horizon_kind: 'trading_days', horizon_value: 5 },
} as const;

const COIN = { ...MSFT, market: 'crypto', venue: 'COINBASE', horizon_kind: 'holding_seconds', horizon_value: 259_200 };

/** Days of trading on which there are prices. */
const DAYS = [6, 7, 8, 9, 10, 13, 14, 15, 16, 17, 21, 22].map((day) => `2003-01-${String(day).padStart(2, '0')}`);

const ROWS = DAYS.map((day, n) => ({
  ...MSFT,
  external_id: `call-${n}`,
  direction: ['bullish', 'bearish', 'neutral'][n % 3],
  data_cutoff: `${day}T14:00:00Z`,
  confidence: 0.55 + (n % 3) / 10,
  ...(n % 2 === 0 && { model: { id: 'a model', knowledge_cutoff: '2004-01-01T00:00:00Z' } }),
}));

/** One that no source knows, one without prices, and one whose source cannot be read on this stage. */
const UNGRADED = [
  { ...COIN, external_id: 'unknown', symbol: 'NOCOIN', direction: 'bullish', data_cutoff: '2016-11-01T00:00:00Z' },
  { ...MSFT, external_id: 'without-prices', direction: 'bullish', data_cutoff: '2019-02-13T14:00:00Z' },
  { ...COIN, external_id: 'waiting', symbol: 'ETH', direction: 'bullish', data_cutoff: '2016-11-01T00:00:00Z' },
];

/** An owner reads a set of back-tests while it is sent, exports and deletes it; records count nothing of it. */
export async function backtestsWalk(ground: Ground): Promise<void> {
  const { tally, stage, picture } = ground;
  await onPage(ground, 'back-tests', WIDE, async ({ page }) => {
    await signIn(page, stage, '/#/backtests');
    await untilRead(page);
    const before = await recordsOf(page);
    await send(ground, ROWS.slice(0, 4));
    await page.reload();
    await page.getByRole('link', { name: 'spring', exact: true }).click();
    await sentence(page, '4 rows of 4 came to an end');
    await page.locator('.behind summary').press('Enter');
    await page.getByRole('link', { name: 'Export the rows' }).focus();
    await send(ground, [...ROWS, ...UNGRADED]);
    await sentence(page, `${ROWS.length + 2} rows of ${ROWS.length + 3} came to an end; 1 wait for their grade`);
    tally.holds('back-tests: a table that is open stays open', await page.locator('.behind[open]').isVisible());
    const focus = await page.evaluate(() => document.activeElement?.textContent);
    tally.holds('back-tests: the focus stays while the set is sent', focus === 'Export the rows', focus);
    await countsAreThoseOf(ground, page);
    await picture(page, 'back-test');
    await checkSound(tally, page, 'back-test');
    await exported(ground, page);
    const after = await recordsOf(page);
    tally.holds('back-tests: no record and no track record counts them', before === after, { before, after });
  });
  for (const [name, options] of [
    ['dark', { ...WIDE, colorScheme: 'dark' }],
    ['phone', { viewport: { width: 390, height: 844 }, isMobile: true, hasTouch: true }],
  ] as const) {
    await onPage(ground, `back-tests, ${name}`, options, async ({ page }) => {
      await signIn(page, stage, '/#/backtests');
      await page.getByRole('link', { name: 'spring', exact: true }).waitFor();
      await picture(page, `back-tests-${name}`);
      await checkSound(tally, page, `back-tests, ${name}`);
      await page.getByRole('link', { name: 'spring', exact: true }).click();
      await page.getByRole('link', { name: 'Export the rows' }).waitFor();
      await picture(page, `back-test-${name}`);
      await checkSound(tally, page, `back-test, ${name}`);
    });
  }
  await onPage(ground, 'back-tests, delete', WIDE, async ({ page }) => {
    await signIn(page, stage, '/#/backtests');
    await page.getByRole('link', { name: 'spring', exact: true }).click();
    await deleted(ground, page);
  });
}

/** What the owner's records say, without what the grading of open ones changes. */
export function recordsOf(page: Page): Promise<string> {
  return page.evaluate(async () => {
    const read = async (path: string) => (await fetch(`/api/v1/owner/${path}`)).json();
    const { items } = await read('agents?limit=100');
    const counts = [];
    for (const { agent_id } of items) {
      const realtime = await read(`agents/${agent_id}/track-record`);
      const both = [realtime, realtime.retroactive];
      counts.push([agent_id, ...both.map((each) => [each.submission_count, each.evaluated_count])]);
    }
    const decisions = (await read('decisions?limit=100')).items as { readonly record_id: string }[];
    return JSON.stringify([counts, decisions.map(({ record_id }) => record_id)]);
  });
}

async function send({ stage }: Ground, rows: readonly object[]): Promise<void> {
  const reply = await fetch(`${stage.url}/api/v1/agent/backtests/spring`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'x-api-key': stage.key },
    body: JSON.stringify({ about: { source: 'a walk', horizon_rule: '5 trading days, for all' }, rows }),
  });
  const { accepted, repeated, refused } = (await reply.json()) as Record<string, unknown>;
  if (reply.status !== 200 || (refused as unknown[]).length > 0)
    throw new Error(JSON.stringify({ accepted, repeated, refused }));
}

function sentence(page: Page, words: string): Promise<void> {
  return page.getByText(words).waitFor();
}

/** Each part has the numbers of the reply. */
async function countsAreThoseOf({ tally, stage }: Ground, page: Page): Promise<void> {
  const headers = { 'x-api-key': stage.key };
  const counts = await (await fetch(`${stage.url}/api/v1/agent/backtests/spring`, { headers })).json();
  const { result_distribution, had_said, by_month, calibration, by_knowledge_cutoff } = counts;
  const ways = [result_distribution, had_said.bullish, had_said.bearish, had_said.neutral];
  const cells = (name: string) =>
    page
      .getByRole('table', { name, exact: true })
      .locator('tbody tr')
      .evaluateAll((rows) =>
        rows.map((row) => [...row.querySelectorAll('td')].map((cell) => cell.textContent?.trim()).join(' ')),
      );
  const same = async (name: string, expected: readonly string[]) => {
    const shown = await cells(name);
    tally.holds(`back-tests: ${name.toLowerCase()}`, shown.join() === expected.join(), { shown, expected });
  };
  const listed = (way: object) => Object.values(way).join(' ');
  await same('Rows by bucket', ways.map(listed));
  await same(
    'Rows by confidence and bucket',
    calibration.map((band: { readonly result_distribution: object }) => listed(band.result_distribution)),
  );
  await same('Rows without an outcome that counts, by reason', ['1', '1']);
  const quads = (row: { submission_count: number; result_distribution: object; had_said: Record<string, object> }) =>
    [
      row.submission_count,
      ...[row.result_distribution, ...['bullish', 'bearish', 'neutral'].map((each) => row.had_said[each] ?? {})].map(
        (way) => Object.values(way).join(' / '),
      ),
    ].join(' ');
  await same('Rows by month', by_month.map(quads));
  await same(
    'Rows by knowledge cutoff',
    ['before', 'after', 'without'].map((key) => quads(by_knowledge_cutoff[key])),
  );
}

async function exported({ tally }: Ground, page: Page): Promise<void> {
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('link', { name: 'Export the rows' }).click(),
  ]);
  const lines = readFileSync(await download.path(), 'utf8')
    .trimEnd()
    .split('\n');
  const kinds = lines.map((line) => Object.keys(JSON.parse(line))[0]);
  const isWhole = lines.length === ROWS.length + UNGRADED.length + 2;
  tally.holds('back-tests: the export has the set, each row and its end', isWhole, kinds);
  tally.holds('back-tests: it is named by the set', download.suggestedFilename() === 'spring.jsonl');
}

async function deleted({ tally, picture }: Ground, page: Page): Promise<void> {
  const remove = page.getByRole('button', { name: 'Delete the back-test' });
  await remove.first().click();
  const dialog = page.getByRole('dialog', { name: 'Delete spring?' });
  await picture(page, 'back-test-delete');
  await dialog.getByRole('button', { name: 'Cancel' }).click();
  await page.reload();
  await sentence(page, 'came to an end');
  await remove.first().click();
  await dialog.getByRole('button', { name: 'Delete the back-test' }).click();
  await page.waitForURL('**/#/backtests');
  await untilRead(page);
  const left = await page.getByRole('link', { name: 'spring', exact: true }).count();
  tally.holds('back-tests: after a confirmation the set is gone', left === 0);
}
