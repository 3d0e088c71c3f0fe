import { readFileSync } from 'node:fs';
import type { Page } from 'playwright-core';
import { signIn } from '../sign-in.ts';
import { checkSound } from '../sound-view.ts';
import { type Ground, onPage } from '../walk.ts';

const WIDE = { viewport: { width: 1_440, height: 900 } } as const;

/** Columns with names of their own: two lines that the reader refuses, and one that the service refuses. */
const CSV = [
  'Time,Ticker,Side,Conf,Why',
  ...[6, 7, 8, 9, 10, 13, 14].map((day, n) => {
    const side = ['bullish', 'bearish', 'neutral'][n % 3];
    return `2003-01-${String(day).padStart(2, '0')} 09:00:00,MSFT,${side},0.6,Reason ${n}`;
  }),
  '2003-01-15 09:00:00,MSFT,buy,0.6,It may close a position',
  '2003-01-33 09:00:00,MSFT,bullish,0.6,No such day',
  '2003-01-16 09:00:00,ZZZZQ,bullish,0.6,Listed nowhere',
].join('\n');

const MAP = ['data_cutoff=Time', 'symbol=Ticker', 'direction=Side', 'confidence=Conf', 'factor=Why'].join('\n');

const TRADES = [...Array(9).keys()].map((n) => ({
  pair: n === 8 ? 'ETH/USD:USD-170327' : 'BTC/USD',
  open_date: new Date(Date.parse('2016-10-03T00:00:00Z') + n * 432_000_000).toISOString(),
  is_short: n % 4 === 0,
  enter_tag: `ema_${n % 3}`,
  open_rate: 600,
}));

const FREQTRADE = JSON.stringify({ strategy: { Momentum: { trades: TRADES } }, strategy_comparison: [] });

/** An owner reads files of other programs in the browser, sees what would be sent, and sends it to sets. */
export async function importWalk(ground: Ground): Promise<void> {
  await onPage(ground, 'import, CSV', WIDE, (opened) => importCsv(ground, opened.page));
  for (const [name, options] of [
    ['dark', { ...WIDE, colorScheme: 'dark' }],
    ['phone', { viewport: { width: 390, height: 844 }, isMobile: true, hasTouch: true }],
  ] as const) {
    await onPage(ground, `import, freqtrade, ${name}`, options, async ({ page }) => {
      await signIn(page, ground.stage, '/#/backtests');
      await importTrades(ground, page, name);
    });
  }
}

async function importCsv({ tally, picture, stage }: Ground, page: Page): Promise<void> {
  await page.goto('/import');
  await checkSound(tally, page, 'import, empty');
  await choose(page, 'Spring calls.csv', CSV);
  await statusOf(page, 'it has Time, Ticker, Side, Conf, Why.');
  const field = page.getByLabel('Columns of CSV');
  tally.holds('import: a field that is missing is shown', await field.isVisible());
  tally.holds('import: and marked', (await field.getAttribute('aria-invalid')) === 'true');
  await picture(page, 'import-lacking');
  await field.fill(MAP);
  await page.getByLabel('Horizon').fill('5d');
  await page.getByLabel('Venue', { exact: true }).fill('NASDAQ');
  await page.getByLabel('Time zone').fill('America/New_York');
  await check(page);
  await statusOf(page, '8 rows of 2 instruments can be sent.');
  const words = await page.locator('#import-check').innerText();
  tally.holds(
    'import: it says what would be sent, by what rule, and until when',
    ['5 trading days after each entry', 'Windows from 6 Jan 2003', 'MSFT:NASDAQ'].every((each) => words.includes(each)),
    words,
  );
  const refused = /line 9: The direction .*\n+line 10: The time "2003-01-33 09:00:00" is none/.test(words);
  tally.holds('import: each row that the reader refuses is named by its line', refused, words);
  tally.holds('import: nothing can be sent without a login', !(await sendButton(page).isVisible()));
  await picture(page, 'import-signed-out');
  await checkSound(tally, page, 'import, checked');
  const [tab] = await Promise.all([
    page.context().waitForEvent('page'),
    page.getByRole('link', { name: 'sign in in a new tab' }).click(),
  ]);
  await tab.fill('#email', stage.owner.email);
  await tab.fill('#password', stage.owner.password);
  await tab.keyboard.press('Enter');
  await sendButton(page).waitFor();
  await tab.close();
  tally.holds('import: the set is named by the file', (await setName(page).inputValue()) === 'spring-calls');
  await sendButton(page).click();
  await sentOf(page, 'Sent 8 of 8: 7 accepted, 0 repeated, 1 refused.');
  await page.getByText('7 rows graded, 0 without an outcome.').waitFor();
  const line = await page.locator('#import-graded li').allInnerTexts();
  tally.holds(
    'import: a row that the service refuses is named by its line',
    /^line 11: symbol/.test(line[0] ?? ''),
    line,
  );
  await savedRefusals({ tally, page });
  await picture(page, 'import-sent');
  await checkSound(tally, page, 'import, sent');
  await page.getByRole('link', { name: 'Show the set and its counts' }).click();
  await page.getByText('7 rows of 7 came to an end').waitFor();
  await page.getByRole('link', { name: 'Send a file to it' }).click();
  await choose(page, 'other.csv', CSV);
  tally.holds(
    'import: the page of a set leads here with its name',
    (await setName(page).inputValue()) === 'spring-calls',
  );
}

async function savedRefusals({ tally, page }: Pick<Ground, 'tally'> & { readonly page: Page }): Promise<void> {
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.locator('#import-check').getByRole('button', { name: 'Save all that was refused' }).click(),
  ]);
  const lines = readFileSync(await download.path(), 'utf8')
    .trimEnd()
    .split('\n');
  const places = lines.map((line) => (JSON.parse(line) as { readonly place: string }).place);
  tally.holds('import: refused rows are saved', places.join() === 'line 9,line 10', places);
}

async function importTrades({ tally, picture }: Ground, page: Page, name: string): Promise<void> {
  await page.getByRole('link', { name: 'Import a file' }).click();
  await choose(page, 'backtest-result.json', FREQTRADE);
  await statusOf(page, 'How long a trade lasted is its outcome, and no horizon.');
  await page.getByLabel('Horizon').fill('3d');
  await page.getByLabel('Venue', { exact: true }).fill('COINBASE');
  await check(page);
  await statusOf(page, '8 rows of 1 instrument can be sent.');
  const words = await page.locator('#import-check').innerText();
  const isNamed = words.includes('trades[8] of Momentum: ETH/USD:USD-170327 is neither');
  tally.holds(`import, ${name}: a trade that is refused is named`, isNamed, words);
  await setName(page).fill(`momentum-${name}`);
  for (const counts of ['8 accepted, 0 repeated', '0 accepted, 8 repeated']) {
    await sendButton(page).click();
    await sentOf(page, `Sent 8 of 8: ${counts}, 0 refused.`);
    await page.getByText('8 rows graded').waitFor();
  }
  const bar = await page.getByRole('progressbar', { name: 'Rows sent' }).evaluate((each) => {
    const { value, max } = each as HTMLProgressElement;
    return `${value} of ${max}`;
  });
  tally.holds(`import, ${name}: the bar says how many were sent`, bar === '8 of 8', bar);
  await picture(page, `import-${name}`);
  await checkSound(tally, page, `import, ${name}`);
  await page.getByRole('link', { name: 'Show the set and its counts' }).click();
  await page.locator('#other', { hasText: 'freqtrade back-test, strategy Momentum' }).waitFor();
  tally.holds(`import, ${name}: leads to the set`, true);
}

async function choose(page: Page, name: string, text: string): Promise<void> {
  await page.setInputFiles('#file', { name, mimeType: 'text/plain', buffer: Buffer.from(text) });
  await check(page);
}

function check(page: Page): Promise<void> {
  return page.getByRole('button', { name: 'Check the file' }).click();
}

function statusOf(page: Page, words: string): Promise<void> {
  return page.locator('#import-status').getByText(words).waitFor();
}

function sentOf(page: Page, words: string): Promise<void> {
  return page.locator('#import-sent').getByText(words, { exact: true }).waitFor();
}

function sendButton(page: Page) {
  return page.getByRole('button', { name: 'Send the rows' });
}

function setName(page: Page) {
  return page.getByLabel('Name of the set');
}
