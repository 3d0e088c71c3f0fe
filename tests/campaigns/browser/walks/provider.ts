import { freePort } from '../../../../infrastructure/embedded-postgres/free-port.ts';
import { startService } from '../../../../scripts/demo/service-process.ts';
import { openProvider, USER_HEADER } from '../../../harness/identity/provider.ts';
import { makeThrowawayFolder, removeThrowawayFolder } from '../../../harness/throwaway-folder.ts';
import { closeOnSignal } from '../../stage/interruption.ts';
import { untilAtlas } from '../stage.ts';
import { type Ground, onPage } from '../walk.ts';
import { untilRead, type WatchedPage } from '../watched-page.ts';

const CALLBACK = '/api/v1/public/auth/idp/callback';

/** Somebody signs in through an identity provider, and comes back to the view from which they went. */
export async function providerWalk(ground: Ground): Promise<void> {
  const folder = makeThrowawayFolder('browser-provider');
  const port = await freePort();
  const provider = await openProvider({ redirectUris: [`http://127.0.0.1:${port}${CALLBACK}`] });
  const service = await startService(folder, port, provider.env);
  const close = async () => {
    await Promise.all([service.stop(), provider.close()]);
    removeThrowawayFolder(folder, folder);
  };
  closeOnSignal(close);
  const options = { extraHTTPHeaders: { [USER_HEADER]: 'ada' } };
  try {
    await untilAtlas(service.url, 0);
    const unlike = { url: service.url, refusal: `another host: ${provider.issuer}` };
    await onPage(ground, 'provider', options, (opened) => signedIn(ground, opened), unlike);
  } finally {
    await close();
  }
}

async function signedIn({ tally }: Ground, { page }: WatchedPage): Promise<void> {
  await page.goto('/#/keys');
  await page.getByRole('link', { name: /provider/ }).click();
  await page.waitForSelector('#console-navigation a[aria-current]');
  await untilRead(page);
  tally.holds('provider: the view from which one went is shown', page.url().endsWith('/#/keys'), page.url());
  const header = await page.locator('header').innerText();
  tally.holds('provider: the header shows who is signed in', header.includes('Sign out'), header);
  await page.goto('/#/sessions');
  await page.goto('/#/security');
  await untilRead(page);
  const words = await page.locator('#other').innerText();
  tally.holds('provider: an account of a provider has no password to change', !words.includes('New password'), words);
  await page.getByRole('button', { name: 'Sign out' }).click();
  await page.locator('#home').waitFor();
  await page.goto('/#/keys');
  const link = page.getByRole('link', { name: /provider/ });
  await link.waitFor();
  tally.holds('provider: after signing out, the login is asked for again', await link.isVisible());
}
