import { setTimeout as sleep } from 'node:timers/promises';
import type { Page } from 'playwright-core';
import { faultsOf } from '../accessibility.ts';
import { type Ground, onPage } from '../walk.ts';

const PASSWORD = 'seven plain words, said in a row';

/** Of Texas Instruments on the day of its lowest close in five years; the packaged bars grade it at once. */
const DECISION = {
  market: 'stock',
  symbol: 'TXN',
  venue: 'NASDAQ',
  asset_class: 'spot',
  quote_currency: 'USD',
  direction: 'bullish',
  horizon_kind: 'trading_days',
  horizon_value: 1,
  data_cutoff: '2008-10-10T13:00:00Z',
};

/** Somebody signs up, gives the first key to an agent, and reads and verifies its first graded decision. */
export function newcomerWalk(ground: Ground): Promise<void> {
  const { tally, stage, picture } = ground;
  return onPage(ground, 'newcomer', { permissions: ['clipboard-read', 'clipboard-write'] }, async ({ page }) => {
    const key = await signUp(ground, page);
    const submitted = await fetch(`${stage.url}/api/v1/agent/decisions`, {
      method: 'POST',
      headers: { 'x-api-key': key, 'content-type': 'application/json' },
      body: JSON.stringify(DECISION),
    });
    tally.holds('newcomer: the key of the page submits a decision', submitted.status === 201, submitted.status);
    const { record_id } = (await submitted.json()) as { readonly record_id: string };
    await read(stage.url, `/api/v1/public/decisions/${record_id}`, key);
    await page.goto('/#/own');
    await page.locator(`#other a[href*="${record_id}"]`).first().click();
    await page.waitForSelector('.chart[data-drawn]');
    const words = await page.locator('#other').innerText();
    tally.holds('newcomer: the graded decision is shown with its bucket', /strong_|weak_/.test(words), words);
    await picture(page, 'newcomer-record');
    const receipt = await read(
      stage.url,
      `/api/v1/agent/decisions/${record_id}/receipt?opening=full&leaf=outcome`,
      key,
    );
    await verify(page, receipt, await read(stage.url, '/log/policy', key));
    tally.holds(
      'newcomer: its receipt is verified by the page',
      (await page.locator('#verify-status').innerText()).startsWith('1 of 1 proved'),
      await page.locator('#verify-status').innerText(),
    );
  });
}

async function signUp({ tally, picture }: Ground, page: Page): Promise<string> {
  await page.goto('/');
  const example = await page.locator('#first-steps pre').innerText();
  tally.holds('newcomer: the example has the address of the service', example.includes(new URL(page.url()).origin));
  await page.locator('#account').getByRole('link', { name: 'Get a key' }).click();
  await page.getByLabel('Email address').waitFor();
  tally.holds('sign-up: accessible', (await faultsOf(page)).length === 0, await faultsOf(page));
  await page.getByLabel('Email address').fill(`newcomer-${Date.now()}@example.org`);
  await page.getByLabel('Name of your first agent').fill('Value scout');
  await page.getByLabel('Password').fill(PASSWORD);
  await picture(page, 'sign-up');
  await page.getByRole('button', { name: 'Open the account' }).click();
  await page.waitForSelector('.secret code');
  tally.holds(
    'sign-up: the key and the next steps are accessible',
    (await faultsOf(page)).length === 0,
    await faultsOf(page),
  );
  await picture(page, 'sign-up-key');
  await page.getByRole('button', { name: 'Copy' }).first().click();
  const copied = await page.evaluate(() => navigator.clipboard.readText());
  const shown = await page.locator('.secret code').innerText();
  tally.holds('sign-up: the key is copied', copied === shown && /^sbk_/.test(copied));
  await page.getByRole('link', { name: 'Go to the overview' }).click();
  await page.getByRole('heading', { name: 'Overview' }).waitFor();
  await page.goBack();
  await page.waitForTimeout(300);
  tally.holds('sign-up: going back does not show the key again', !(await page.content()).includes(copied));
  await page.goForward();
  const who = await page.locator('#account').innerText();
  tally.holds('sign-up: the header shows who is signed in', who.includes('@example.org'), who);
  return copied;
}

const PATIENCE = 180;

/** A reply that comes within a while: a grade takes seconds, a receipt a minute. */
async function read(url: string, path: string, key: string): Promise<string> {
  for (let tries = 0; tries < PATIENCE; tries += 1) {
    const reply = await fetch(`${url}${path}`, { headers: { 'x-api-key': key } });
    if (reply.status === 200) return reply.text();
    await sleep(1_000);
  }
  throw new Error(`${path} did not come.`);
}

async function verify(page: Page, receipt: string, policy: string): Promise<void> {
  await page.goto('/verify');
  for (const text of [policy, receipt]) {
    await page.fill('#verify-text', text);
    await page.getByRole('button', { name: 'Add the pasted text' }).click();
  }
  await page.locator('#verify-status', { hasText: 'proved' }).waitFor();
}
