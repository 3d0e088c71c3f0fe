import { strToU8, zipSync } from 'fflate';
import { MINUTE } from '../../../../domain/time.ts';
import { signIn } from '../sign-in.ts';
import { checkSound } from '../sound-view.ts';
import { type Ground, onPage } from '../walk.ts';
import { recordsOf } from './backtests.ts';

const WIDE = { viewport: { width: 1_440, height: 900 } } as const;

/** As many as an owner may send a day by default. */
const TRADES = 20_000;
/** As the page shows it. */
const ALL = '20,000';
const EVERY = 12 * MINUTE;
/** The prices lack one of the days, and with it the trades of that day their outcome. */
const ENDED = '19,880 rows graded, 120 without an outcome.';
const NAME = 'backtest-result-2026-01-02_03-04-05';
/** Milliseconds for grading on a machine that has other work. */
const GRADED_WITHIN = 600_000;

/** The zip of a back-test of freqtrade, with all of its trades. */
function resultOfTrades(): Buffer {
  const trades = Array.from({ length: TRADES }, (_, n) => ({
    pair: 'BTC/USD',
    open_date: new Date(Date.parse('2016-10-03T00:00:00Z') + n * EVERY).toISOString(),
    is_short: n % 4 === 0,
    enter_tag: `ema_${n % 3}`,
    open_rate: 600,
  }));
  const file = (value: object) => strToU8(JSON.stringify(value));
  const zip = zipSync({
    [`${NAME}.json`]: file({ strategy: { Momentum: { trades } }, strategy_comparison: [] }),
    [`${NAME}_config.json`]: file({ exchange: { name: 'coinbase' } }),
  });
  return Buffer.from(zip);
}

/** An owner sends a back-test of 20,000 trades, sees how far it is, and that all of them are graded apart from records. */
export async function largeImportWalk(ground: Ground): Promise<void> {
  const { tally, stage, picture } = ground;
  await onPage(ground, 'import, large', WIDE, async ({ page }) => {
    await signIn(page, stage, '/#/backtests');
    const before = await recordsOf(page);
    await page.goto('/import');
    await page.setInputFiles('#file', { name: `${NAME}.zip`, mimeType: 'application/zip', buffer: resultOfTrades() });
    await page.getByRole('button', { name: 'Check the file' }).click();
    await page.getByLabel('Horizon').fill('1d');
    await page.getByRole('button', { name: 'Check the file' }).click();
    await page.locator('#import-status').getByText(`${ALL} rows of 1 instrument can be sent.`).waitFor();
    await page.getByLabel('Name of the set').fill('large');
    const bar = page.getByRole('progressbar', { name: 'Rows sent' });
    await page.evaluate(() => {
      const seen: number[] = [];
      const watched = document.querySelector('progress') as HTMLProgressElement;
      new MutationObserver(() => seen.push(watched.value)).observe(watched, { attributeFilter: ['value'] });
      Object.assign(window, { seen });
    });
    await page.getByRole('button', { name: 'Send the rows' }).click();
    await bar.and(page.locator(':not([value="0"])')).waitFor();
    await picture(page, 'import-large-sending');
    const all = `Sent ${ALL} of ${ALL}: ${ALL} accepted, 0 repeated, 0 refused.`;
    await page.locator('#import-sent').getByText(all, { exact: true }).waitFor({ timeout: GRADED_WITHIN });
    const seen = await page.evaluate(() => (window as unknown as { readonly seen: readonly number[] }).seen);
    const isSteady = seen.length >= 10 && seen.every((value, n) => value >= (seen[n - 1] ?? 0));
    tally.holds('import, large: the bar moves with the rows', isSteady && seen.at(-1) === TRADES, seen);
    const graded = page.locator('#import-graded [role=status]');
    await graded.and(page.getByText(/outcome\.$/)).waitFor({ timeout: GRADED_WITHIN });
    const words = await graded.innerText();
    tally.holds('import, large: all rows are graded', words === ENDED, words);
    await picture(page, 'import-large-graded');
    await checkSound(tally, page, 'import, large');
    await page.getByRole('link', { name: 'Show the set and its counts' }).click();
    await page.getByText(`${ALL} rows of ${ALL} came to an end`).waitFor();
    await picture(page, 'import-large-set');
    await checkSound(tally, page, 'back-test, large');
    const after = await recordsOf(page);
    tally.holds('import, large: no record and no track record counts them', before === after, { before, after });
  });
}
