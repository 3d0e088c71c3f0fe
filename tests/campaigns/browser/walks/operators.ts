import type { Page } from 'playwright-core';
import { type OperatingStage, openOperatingStage } from '../operating-stage.ts';
import { signIn } from '../sign-in.ts';
import { checkSound } from '../sound-view.ts';
import { type Ground, onPage } from '../walk.ts';
import { untilRead, type WatchedPage } from '../watched-page.ts';

const VIEWS = [
  'operations',
  'circuits',
  'quarantine',
  'instruments',
  'accounts',
  'audit-log',
  'all-security-events',
] as const;

/** What the view of operations says of each trouble of the stage. */
const TROUBLES = [
  ['a source that fails', /binance \(BINANCE\) is paused in another-machine:1 after 7 failures/],
  ['a worker that is stopped', /which runs jobs, has not reported since/],
  ['a run that hangs', /build-atlas has been running since/],
  ['a circuit that is open', /The circuit of USDT is tripped/],
] as const;

/** An operator asks why nothing is graded, resolves a circuit, and handles a decision, an instrument and an account. */
export async function operatorsWalk(ground: Ground): Promise<void> {
  const stage = await openOperatingStage();
  const walk = async ({ page }: WatchedPage) => {
    await signIn(page, { owner: stage.operator }, '/#/operations');
    await circuits(ground, page);
    await troubles(ground, page);
    await commands(ground, page);
    await decision(ground, page, stage);
    await instrument(ground, page);
    await account(ground, page, stage);
    await trails(ground, page);
    for (const name of VIEWS) {
      await open(page, name);
      await checkSound(ground.tally, page, `operators, ${name}`);
      await ground.picture(page, `operators-${name}`);
    }
  };
  try {
    await onPage(ground, 'operators', {}, walk, { url: stage.url, refusal: '/admin/sources/probe' });
  } finally {
    await stage.close();
  }
}

async function open(page: Page, view: string): Promise<void> {
  await page.goto('/#/');
  await page.goto(`/#/${view}`);
  await page.locator('#other h1').waitFor();
  await untilRead(page);
}

/** One view answers why nothing is graded, with what to do about each cause. */
async function troubles({ tally }: Ground, page: Page): Promise<void> {
  await open(page, 'operations');
  const view = page.locator('#other');
  for (const [name, words] of TROUBLES) {
    const isSaid = await untilSaid(page, words);
    tally.holds(`operators: ${name} is named, with what to do`, isSaid, await view.innerText());
  }
  await untilSaid(page, /SSE/);
  const calendar = await view.getByRole('row').filter({ hasText: 'SSE' }).allInnerTexts();
  tally.holds('operators: until when each calendar is known', /\b20\d\d-12-31\b/.test(calendar.join()), calendar);
  const places = await view.locator('.operator-problems li').allInnerTexts();
  tally.holds(
    'operators: each problem says what to do',
    places.length >= TROUBLES.length && places.every(hasAdvice),
    places,
  );
}

function hasAdvice(words: string): boolean {
  return words.split('\n').filter((line) => line.trim() !== '').length >= 2;
}

/** Buttons do what the commands `probe-sources`, `refresh` and `backup` do. */
async function commands({ tally, picture }: Ground, page: Page): Promise<void> {
  await open(page, 'operations');
  const part = (title: string) =>
    page.locator('#other section').filter({ has: page.getByRole('heading', { name: title }) });
  const sources = part('Sources of prices');
  const said = page.locator('#announcements');
  await sources.getByRole('button', { name: 'Verify an instrument again' }).focus();
  await page.keyboard.press('Enter');
  await page.getByRole('dialog').waitFor();
  await page.keyboard.type('crypto:BTC:BINANCE:spot:USDT');
  await page.keyboard.press('Enter');
  await page.getByRole('dialog').waitFor({ state: 'detached' });
  tally.holds('operators: any instrument is verified again', /verified again/.test(await said.innerText()));
  const backups = part('Backups');
  tally.holds(
    'operators: no backup is made yet',
    /none yet/.test(await backups.innerText()),
    await backups.innerText(),
  );
  await backups.getByRole('button', { name: 'Make a backup now' }).click();
  await backups.getByText('A backup is being made since').waitFor();
  await said.getByText('The backup is made.').waitFor();
  tally.holds('operators: a backup is made', !/none yet/.test(await backups.innerText()), await backups.innerText());
  const asking = sources.getByRole('button', { name: 'Ask each source now' });
  await asking.focus();
  await page.keyboard.press('Enter');
  const answers = sources.getByRole('table', { name: 'Answers of the sources' });
  await answers.waitFor();
  const rows = await answers.getByRole('row').allInnerTexts();
  const refusing = rows.filter((row) => /binance\b/.test(row));
  tally.holds(
    'operators: each source says what it answered',
    refusing.some((row) => /failed[\s\S]*503/.test(row)),
    rows,
  );
  // Within 30 seconds: a picture can take some of them.
  await asking.click();
  await sources.getByText(/The sources were asked a moment ago/).waitFor();
  await picture(page, 'operators-commands');
  tally.holds('operators: the sources are not asked twice at once', true);
}

const PATIENCE = 120;

/** Opens the view again until it says so: processes report and monitors look within a minute. */
async function untilSaid(page: Page, words: RegExp): Promise<boolean> {
  for (let looks = 0; looks < PATIENCE; looks += 1) {
    if (words.test(await page.locator('#other').innerText())) return true;
    await page.waitForTimeout(2_000);
    await open(page, 'operations');
  }
  return false;
}

/** From a tripped circuit to its resolution, and a trip by the keyboard alone. */
async function circuits({ tally, picture }: Ground, page: Page): Promise<void> {
  const usdc = page.getByRole('region', { name: 'USDC' });
  const state = () => usdc.locator('.state').innerText();
  await open(page, 'circuits');
  tally.holds('operators: the peg is drawn', (await usdc.locator('svg').count()) > 0);
  tally.holds('operators: the change is listed', (await usdc.innerText()).includes('at least 200 bps'));
  await picture(page, 'operators-tripped');
  for (let looks = 0; (await state()) === 'tripped' && looks < PATIENCE; looks += 1) {
    await page.waitForTimeout(2_000);
    await open(page, 'circuits');
  }
  tally.holds('operators: after a day of calm the circuit is warming', (await state()) === 'warming', await state());
  await usdc.getByRole('button', { name: 'Resolve' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Why the coin is sound again').fill('The issuer redeems at par again.');
  await dialog.getByLabel('Evidence').fill('https://issuer.example/statement');
  await dialog.getByRole('button', { name: 'Resolve the circuit' }).click();
  await usdc.getByText('normal', { exact: true }).waitFor();
  await untilRead(page);
  tally.holds('operators: it is resolved, with the evidence', (await usdc.innerText()).includes('issuer.example'));
  await page.getByRole('region', { name: 'USDT' }).getByRole('button', { name: 'Trip' }).focus();
  await page.keyboard.press('Enter');
  await dialog.waitFor();
  await page.keyboard.type('Redemptions are halted.');
  await page.keyboard.press('Tab');
  await page.keyboard.press('Enter');
  await dialog.waitFor({ state: 'detached' });
  await page.getByRole('region', { name: 'USDT' }).getByText('tripped', { exact: true }).waitFor();
  tally.holds('operators: the keyboard alone trips a circuit', true);
}

async function decision({ tally }: Ground, page: Page, { record_id }: OperatingStage): Promise<void> {
  await open(page, 'quarantine');
  await page.getByLabel('Decision', { exact: true }).fill(record_id);
  await page.getByLabel('Reason').fill('Its prices are disputed.');
  await page.getByRole('button', { name: 'Put it under quarantine' }).click();
  const row = page.getByRole('row').filter({ hasText: record_id });
  await row.waitFor();
  tally.holds('operators: the quarantine says why', (await row.innerText()).includes('Its prices are disputed.'));
  await row.getByRole('button', { name: 'Release' }).click();
  await confirmWithReason(page, 'The dispute is settled.', 'Release the decision');
  await page.getByText('No decision is under quarantine.').waitFor();
  tally.holds('operators: the decision is released', true);
}

async function confirmWithReason(page: Page, reason: string, action: string): Promise<void> {
  const dialog = page.getByRole('dialog');
  await dialog.getByLabel('Reason').fill(reason);
  await dialog.getByRole('button', { name: action }).click();
  await dialog.waitFor({ state: 'detached' });
}

async function instrument({ tally }: Ground, page: Page): Promise<void> {
  await open(page, 'instruments?symbol=BTC');
  const row = page.getByRole('row').filter({ hasText: 'BINANCE' });
  await row.getByRole('button', { name: 'Verify again' }).click();
  await page
    .locator('#other')
    .getByText(/queued/)
    .last()
    .waitFor();
  tally.holds('operators: an instrument is verified again', true);
}

/** A suspended account's key stops at once, and works again when the account is resumed. */
async function account({ tally }: Ground, page: Page, { url, owner, key }: OperatingStage): Promise<void> {
  const status = async () => (await fetch(`${url}/api/v1/agent/decisions`, { headers: { 'x-api-key': key } })).status;
  await open(page, `accounts?find=${owner.email}`);
  const row = page.getByRole('row').filter({ hasText: owner.email });
  tally.holds('operators: the key works before', (await status()) === 200, await status());
  await row.getByRole('button', { name: 'Suspend' }).click();
  await confirmWithReason(page, 'It floods the service.', 'Suspend the account');
  await row.getByText(/suspended/).waitFor();
  const refused = await status();
  tally.holds('operators: the key of a suspended account stops', refused === 401 || refused === 403, refused);
  await row.getByRole('button', { name: 'Resume' }).click();
  await row.getByText('in use').waitFor();
  tally.holds('operators: the key of a resumed account works', (await status()) === 200, await status());
  await row.getByRole('button', { name: 'Make pro' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Set the tier pro' }).click();
  await row.getByText('owner, pro').waitFor();
  tally.holds('operators: the tier is changed', true);
}

/** What was done is in both trails; a filter is part of the address. */
async function trails({ tally }: Ground, page: Page): Promise<void> {
  for (const action of ['trip', 'quarantine', 'suspend', 'probe sources', 'request backup']) {
    await open(page, 'audit-log');
    const entries = await page.locator('#other table').innerText();
    tally.holds(`operators: the audit log has the ${action}`, entries.includes(action), entries);
  }
  await page.getByRole('textbox', { name: 'By', exact: true }).fill('nobody');
  await page.getByRole('button', { name: 'Show' }).click();
  await page.getByText('No entry matches.').waitFor();
  tally.holds('operators: a filter is in the address', page.url().includes('actor=nobody'), page.url());
}
