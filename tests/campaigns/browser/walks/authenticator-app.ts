import { URI } from 'otpauth';
import type { Page } from 'playwright-core';
import readCode from 'qr/decode.js';
import { register, signIn } from '../sign-in.ts';
import { checkSound } from '../sound-view.ts';
import { type Ground, onPage } from '../walk.ts';
import type { WatchedPage } from '../watched-page.ts';

const OWNER = { email: `app-${process.pid}@example.org`, password: 'four plain words, spaced' };

/** An owner adds an authenticator app by the code on the screen, which another implementation reads. */
export function appWalk(ground: Ground): Promise<void> {
  const walk = async ({ page }: WatchedPage) => {
    await register(ground.stage.url, OWNER);
    await signIn(page, { owner: OWNER }, '/#/security');
    await withoutCode(ground, page);
    await scan(ground, page);
  };
  return onPage(ground, 'app', {}, walk, { refusal: 'net::ERR_FAILED' });
}

async function withoutCode({ tally }: Ground, page: Page): Promise<void> {
  await page.route('**/uqr.mjs', (route) => route.abort());
  await page.getByRole('button', { name: 'Add an authenticator app' }).click();
  await page.getByText('The QR code could not be drawn').waitFor();
  tally.holds(
    'app: without its library the secret is there to be typed',
    await page.locator('.secret code').isVisible(),
  );
  await page.unroute('**/uqr.mjs');
  await page.reload();
}

async function scan({ tally, picture }: Ground, page: Page): Promise<void> {
  const add = page.getByRole('button', { name: 'Add an authenticator app' });
  await add.click();
  await page.locator('svg.qr').waitFor();
  tally.holds('app: while one is being added it cannot be begun again', (await add.count()) === 0);
  const words = await page.locator('#other').innerText();
  tally.holds(
    'app: until its code is confirmed it says that no login asks for it',
    words.includes('Until then no login'),
  );
  await page.getByRole('button', { name: 'Do not add it' }).click();
  await page.getByText('No second factor').waitFor();
  tally.holds('app: one that is not added leaves nothing', (await page.locator('svg.qr, .secret').count()) === 0);
  await add.click();
  await page.locator('svg.qr').waitFor();
  await checkSound(tally, page, 'app');
  const address = (await page.getByRole('link', { name: 'Open in an authenticator app' }).getAttribute('href')) ?? '';
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme });
    const read = await codeOnScreen(page);
    tally.holds(`app: in the ${colorScheme} the code on the screen is the address of the app`, read === address, read);
  }
  await picture(page, 'app');
  const code = URI.parse(address).generate();
  await page.getByLabel('Code that the app shows').fill(code);
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: 'Recovery codes' }).waitFor();
  const isGone = (await page.locator('svg.qr').count()) === 0;
  tally.holds('app: its code confirms it, and the secret is no longer shown', isGone);
}

/** What a camera would read off the screen. */
async function codeOnScreen(page: Page): Promise<string> {
  const picture = await page.locator('svg.qr').screenshot();
  const { width, height, data } = await page.evaluate(pixelsOf, [...picture]);
  return readCode({ width, height, data: Uint8Array.from(data) });
}

/** Runs in the page: the pixels of a PNG. */
async function pixelsOf(png: number[]) {
  const image = await createImageBitmap(new Blob([Uint8Array.from(png)], { type: 'image/png' }));
  const { width, height } = image;
  const canvas = new OffscreenCanvas(width, height).getContext('2d');
  canvas?.drawImage(image, 0, 0);
  return { width, height, data: [...(canvas?.getImageData(0, 0, width, height).data ?? [])] };
}
