import { URI } from 'otpauth';
import type { Page } from 'playwright-core';
import { runCommand } from '../../../../infrastructure/commands/run-command.ts';
import { startService } from '../../../../scripts/demo/service-process.ts';
import { makeThrowawayFolder, removeThrowawayFolder } from '../../../harness/throwaway-folder.ts';
import { closeOnSignal } from '../../stage/interruption.ts';
import { checkSound } from '../sound-view.ts';
import { untilAtlas } from '../stage.ts';
import { type Ground, onPage } from '../walk.ts';
import { untilRead, type WatchedPage } from '../watched-page.ts';

const OWNER = { email: 'asked@example.org', password: 'four plain words, spaced' };

/**
 * Somebody opens an account where every owner needs a second factor, adds one, and goes on; and stops the removal of the
 * factors that somebody else asked the operator for.
 */
export async function requiredFactorWalk(ground: Ground): Promise<void> {
  const folder = makeThrowawayFolder('browser-required-factor');
  const service = await startService(folder, 0, { OWNER_FACTOR: 'required' });
  const close = async () => {
    await service.stop();
    removeThrowawayFolder(folder, folder);
  };
  closeOnSignal(close);
  try {
    await untilAtlas(service.url, 0);
    const walk = async ({ page }: WatchedPage) => {
      await signUp(ground, page);
      await addApp(ground, page);
      await keepFactors(ground, page, folder);
    };
    await onPage(ground, 'required factor', {}, walk, { url: service.url });
  } finally {
    await close();
  }
}

async function signUp({ tally, picture }: Ground, page: Page): Promise<void> {
  await page.goto('/#/sign-up');
  await page.getByLabel('Email address').fill(OWNER.email);
  await page.getByLabel('Password').fill(OWNER.password);
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: 'Add a second factor' }).waitFor();
  await untilRead(page);
  tally.holds('required factor: a new account begins with the factor', page.url().endsWith('/#/keys'), page.url());
  await checkSound(tally, page, 'required factor');
  await picture(page, 'factor-first');
  await page.getByRole('button', { name: 'Go on' }).click();
  await page.getByText('This session still has no second factor.').waitFor();
  await page.goto('/#/overview');
  await page.getByRole('heading', { name: 'Add a second factor' }).waitFor();
  const words = await page.locator('#other').innerText();
  tally.holds('required factor: every other view asks for it, and shows no refusal', !words.includes('403'), words);
}

async function addApp({ tally }: Ground, page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Add an authenticator app' }).click();
  await page.locator('svg.qr').waitFor();
  const link = page.getByRole('link', { name: 'Open in an authenticator app' });
  const code = URI.parse((await link.getAttribute('href')) ?? '').generate();
  await page.getByLabel('Code that the app shows').fill(code);
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: 'Recovery codes' }).waitFor();
  await page.getByRole('button', { name: 'Go on' }).click();
  await page.getByRole('heading', { name: 'Overview' }).waitFor();
  await untilRead(page);
  tally.holds('required factor: with it the view is shown', (await page.locator('.refused').count()) === 0);
}

async function keepFactors({ tally, picture }: Ground, page: Page, folder: string): Promise<void> {
  const said: string[] = [];
  const print = (line: string) => void said.push(line);
  const args = ['reset-factors', OWNER.email, '--seen', 'known_number'];
  const code = await runCommand(args, { DATA_DIR: folder }, { print, complain: print });
  tally.holds('required factor: an operator requests the removal', code === 0, said);
  await page.reload();
  await page.getByText('All your second factors are removed').waitFor();
  await picture(page, 'factors-reset-notice');
  await page.getByRole('link', { name: 'Security', exact: true }).first().click();
  await page.getByRole('button', { name: 'Keep my second factors' }).waitFor();
  await checkSound(tally, page, 'required factor: a requested removal');
  await picture(page, 'factors-reset');
  await page.getByRole('button', { name: 'Keep my second factors' }).click();
  await page.getByText('Your second factors stay.').waitFor();
  await page.goto('/#/overview');
  await untilRead(page);
  const words = await page.locator('#other').innerText();
  tally.holds('required factor: its owner keeps them', !words.includes('All your second factors'), words);
}
