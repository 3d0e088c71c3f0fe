import { execFile } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';
import type { Page } from 'playwright-core';
import { checkAccessible } from '../accessibility.ts';
import { checkSound } from '../sound-view.ts';
import { type Ground, onPage } from '../walk.ts';

const PASSWORD = 'seven plain words, said in a row';

/** Milliseconds: who knows nothing of the service has a graded decision within this time. */
const LONGEST = 90_000;

/** Somebody signs up, and follows the first steps of the overview to a decision that is graded and verified. */
export function newcomerWalk(ground: Ground): Promise<void> {
  const { tally, stage, picture } = ground;
  const permissions = ['clipboard-read', 'clipboard-write'];
  // The log takes a grade in within a minute: until then it has no receipt.
  const unlike = { refusal: 'status of 404' };
  const walk = async ({ page }: { readonly page: Page }) => {
    const began = Date.now();
    const key = await signUp(ground, page);
    const steps = page.locator('.first-steps ol > li');
    const record_id = await firstDecision(ground, page, key);
    await steps.nth(3).locator('.mark').waitFor();
    const took = Date.now() - began;
    tally.holds('newcomer: from the home to a graded decision in time', took < LONGEST, took);
    console.log(`newcomer: from the home to the first graded decision in ${Math.round(took / 1_000)} s`);
    const words = await steps.nth(3).innerText();
    tally.holds('newcomer: the grade is in the steps', /strong correct, \+4.34/.test(words), words);
    await steps.nth(4).getByRole('button', { name: 'Verify it here' }).click();
    await page.locator('.first-steps ol > li:nth-child(5)[data-done]').waitFor({ timeout: PATIENCE * 1_000 });
    const verified = await steps.nth(4).innerText();
    tally.holds('newcomer: its receipt is verified in the steps', verified.includes('Verified.'), verified);
    const done = await page.locator('.first-steps > p').innerText();
    tally.holds('newcomer: a second factor is left to do', done === '5 of 6 done', done);
    await page.locator('.figure').first().waitFor();
    await checkSound(tally, page, 'first steps');
    await picture(page, 'first-steps-verified');
    await page.reload();
    await page.locator('.first-steps [data-done]').first().waitFor();
    const again = await page.content();
    tally.holds('newcomer: a reload does not show the key again', !again.includes(key));
    const kept = await page.locator('.first-steps > p').innerText();
    tally.holds('newcomer: what was verified stays so', kept === '5 of 6 done', kept);
    await steps.nth(2).locator('a').click();
    await page.waitForSelector('.chart[data-drawn]');
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
  };
  return onPage(ground, 'newcomer', { permissions }, walk, unlike);
}

/** The line of the page, run by a shell as it is. */
async function firstDecision({ tally, stage, picture }: Ground, page: Page, key: string): Promise<string> {
  const step = page.locator('.first-steps ol > li').nth(2);
  const line = await step.locator('.copy code').innerText();
  tally.holds('newcomer: the line has key and address', line.includes(key) && line.includes(stage.url), line);
  const waits = await step.locator('.waits').innerText();
  tally.holds('newcomer: the page waits for the decision', waits === 'Waiting for your first decision\u2026', waits);
  await picture(page, 'first-steps');
  for (const [name, options] of Object.entries(SCREENS)) {
    await page.setViewportSize(options);
    await picture(page, `first-steps-${name}`);
  }
  await page.setViewportSize(SCREENS.wide);
  const { stdout } = await promisify(execFile)('sh', ['-c', line]);
  const { record_id = '' } = JSON.parse(stdout) as { readonly record_id?: string };
  tally.holds('newcomer: the line of the page submits a decision', /^dec_/.test(record_id), stdout);
  const link = step.locator(`a[href="#/records/${record_id}"]`);
  await link.waitFor();
  return record_id;
}

const SCREENS = { phone: { width: 390, height: 844 }, wide: { width: 1440, height: 900 } };

async function signUp({ tally, picture }: Ground, page: Page): Promise<string> {
  await page.goto('/');
  const example = await page.locator('#first-steps pre').innerText();
  tally.holds('newcomer: the example has the address of the service', example.includes(new URL(page.url()).origin));
  await page.locator('#account').getByRole('link', { name: 'Get a key' }).click();
  await page.getByLabel('Email address').waitFor();
  await checkAccessible(tally, page, 'sign-up: accessible');
  await page.getByLabel('Email address').fill(`newcomer-${Date.now()}@example.org`);
  await page.getByLabel('Name of your first agent').fill('Value scout');
  await page.getByLabel('Password').fill(PASSWORD);
  await picture(page, 'sign-up');
  await page.getByRole('button', { name: 'Open the account' }).click();
  await page.waitForSelector('.secret code');
  await page.getByRole('heading', { name: 'Overview' }).waitFor();
  await page.locator('.first-steps .waits').first().waitFor();
  await picture(page, 'sign-up-key');
  await checkAccessible(tally, page, 'sign-up: the first steps are accessible');
  await page.getByRole('button', { name: 'Copy the key' }).click();
  await page.locator('#announcements', { hasText: 'Copied.' }).waitFor();
  const copied = await page.evaluate(() => navigator.clipboard.readText());
  const shown = await page.locator('.secret code').innerText();
  tally.holds('sign-up: the key is copied', copied === shown && /^sbk_/.test(copied));
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
