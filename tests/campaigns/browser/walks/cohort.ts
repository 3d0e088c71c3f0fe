import type { Page } from 'playwright-core';
import { checkSound } from '../sound-view.ts';
import { type Ground, onPage } from '../walk.ts';

const MINUTE = 60_000;

interface Reply {
  readonly overview: {
    readonly sample_count: number | null;
    readonly result_distribution: Readonly<Record<string, number>> | null;
    readonly had_said: Readonly<Record<string, Readonly<Record<string, number>>>> | null;
  };
}

/** A reader without an account counts a cohort, narrows it until it is withheld, and refers to the counts. */
export function cohortWalk(ground: Ground): Promise<void> {
  const { tally, picture } = ground;
  return onPage(ground, 'cohort', {}, async ({ page }) => {
    await page.goto('/#/cohorts');
    await page.getByText('Nothing is counted yet: press Count').waitFor();
    tally.holds('cohort: the form has a market', (await page.getByLabel('Market').inputValue()) !== '');
    await checkSound(tally, page, 'cohort, nothing chosen');
    await page.goto('/#/atlas?include_retroactive=true');
    await page.locator('#showcase').getByRole('link', { name: 'Count this cohort now' }).click();
    const shown = await counts(page);
    const sent = new URL(page.url()).hash.split('?')[1] ?? '';
    const reply = (await (await page.request.get(`/api/v1/public/cohorts?${sent}`)).json()) as Reply;
    tally.holds('cohort: the counts are those of the reply', shown.join() === rowsOf(reply).join(), [shown, reply]);
    await checkSound(tally, page, 'cohort');
    await picture(page, 'cohort');
    await pin(ground, page);
    await narrow(ground, page);
  });
}

async function counts(page: Page): Promise<readonly string[]> {
  await page.waitForSelector('#other table.counts');
  return page.locator('#other table.counts td:not(:first-child), #other table.counts tbody td').allInnerTexts();
}

function rowsOf({ overview: { result_distribution, had_said } }: Reply): readonly string[] {
  const rows = [result_distribution, had_said?.bullish, had_said?.bearish, had_said?.neutral];
  return rows.flatMap((row) => Object.values(row ?? {}).map((count) => count.toLocaleString('en-GB')));
}

/** A whole market: of a cohort with fewer owners, the part that a time selects can be withheld. */
async function pin({ tally }: Ground, page: Page): Promise<void> {
  await untilMinutePassed(page);
  await page.goto('/#/cohorts?market=stock&include_retroactive=true');
  await page.locator('#other h2', { hasText: 'every stock' }).waitFor();
  const before = await counts(page);
  await page.getByRole('link', { name: 'This link' }).click();
  await page.getByText('Only decisions that were graded up to').waitFor();
  const as_of = new URLSearchParams(page.url().split('?')[1]).get('as_of') ?? '';
  tally.holds('cohort: the link has the time of the count', Math.abs(Date.parse(as_of) - Date.now()) < 120_000, as_of);
  const after = await counts(page);
  tally.holds('cohort: the pinned counts are the same', after.join() === before.join(), [before, after]);
  await page.reload();
  const again = await counts(page);
  tally.holds('cohort: the link survives a reload', again.join() === before.join(), again);
}

/** The link counts what was graded up to the last full minute, and the stage may be younger. */
async function untilMinutePassed(page: Page): Promise<void> {
  await page.waitForTimeout(MINUTE - (Date.now() % MINUTE) + 1_000);
}

/** By keyboard: a direction and a day, of which there are too few decisions. */
async function narrow({ tally, picture }: Ground, page: Page): Promise<void> {
  await page.getByLabel('Direction').selectOption('bullish');
  await page.getByLabel('Year, month or day').fill('2099-01-01');
  await page.keyboard.press('Enter');
  await page.getByText('These counts are withheld.').waitFor();
  const words = await page.locator('#other .notice', { hasText: 'withheld' }).innerText();
  tally.holds('cohort: the reason is in words', words.length > 'These counts are withheld.'.length + 20, words);
  tally.holds('cohort: a withheld cohort shows no count', (await page.locator('#other table').count()) === 0);
  const chosen = await page.getByLabel('Direction').inputValue();
  tally.holds('cohort: the form keeps what was chosen', chosen === 'bullish', chosen);
  await checkSound(tally, page, 'cohort, withheld');
  await picture(page, 'cohort-withheld');
  await page.goBack();
  const back = await counts(page);
  tally.holds(
    'cohort: going back returns to the counts before',
    back.length > 0 && page.url().includes('as_of'),
    page.url(),
  );
}
