import { runCommand } from '../../../../infrastructure/commands/run-command.ts';
import { freePort } from '../../../../infrastructure/embedded-postgres/supervisor.ts';
import { startService } from '../../../../scripts/demo/service-process.ts';
import { FACTOR_ACR, openProvider, USER_HEADER } from '../../../harness/identity/provider.ts';
import { makeThrowawayFolder, removeThrowawayFolder } from '../../../harness/throwaway-folder.ts';
import { closeOnSignal } from '../../stage/interruption.ts';
import { untilAtlas } from '../stage.ts';
import { type Ground, onPage } from '../walk.ts';
import { untilRead, type WatchedPage } from '../watched-page.ts';

const CALLBACK = '/api/v1/public/auth/idp/callback';

/**
 * Somebody signs in through an identity provider, and comes back to the view from which they went; and an admin, whom the
 * admin area asks for a second factor, goes there for it.
 */
export async function providerWalk(ground: Ground): Promise<void> {
  const folder = makeThrowawayFolder('browser-provider');
  const port = await freePort();
  const provider = await openProvider({ redirectUris: [`http://127.0.0.1:${port}${CALLBACK}`] });
  const factor = { ADMIN_FACTOR: 'required', IDP_ADMIN_ACR: FACTOR_ACR };
  const service = await startService(folder, port, { ...provider.env, ...factor });
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
    const refused = { ...unlike, refusal: [unlike.refusal, '403 (Forbidden)'] };
    await onPage(ground, 'provider of an admin', options, (opened) => asAdmin(ground, opened, folder), refused);
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

async function asAdmin({ tally, picture }: Ground, { page }: WatchedPage, folder: string): Promise<void> {
  const admin = async (...args: readonly string[]) => {
    const said: string[] = [];
    const print = (line: string) => void said.push(line);
    const code = await runCommand(args, { DATA_DIR: folder }, { print, complain: print });
    return { code, said: said.join('\n') };
  };
  const [owner_id = ''] = (await admin('list-owners')).said.match(/[0-9a-f]{8}-[0-9a-f-]{27}/) ?? [];
  const { code, said } = await admin('grant-admin', owner_id);
  tally.holds('provider of an admin: the role is given', code === 0, said);
  await page.goto('/#/operations');
  await page.getByRole('link', { name: /provider/ }).click();
  const link = page.getByRole('link', { name: /second factor at the identity provider/ });
  await link.first().waitFor();
  await picture(page, 'factor-required');
  await link.first().click();
  await page.waitForSelector('#console-navigation a[aria-current]');
  await untilRead(page);
  tally.holds(
    'provider of an admin: back at the view from which one went',
    page.url().endsWith('/#/operations'),
    page.url(),
  );
  const words = await page.locator('#other').innerText();
  tally.holds('provider of an admin: the admin area is open', !words.includes('second factor'), words);
}
