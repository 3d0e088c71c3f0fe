import { createHash } from 'node:crypto';
import type { BrowserContextOptions, Page } from 'playwright-core';
import { checkAccessible } from '../accessibility.ts';
import { launchFirefox } from '../firefox.ts';
import { type Ground, onPage } from '../walk.ts';
import { untilRead } from '../watched-page.ts';
import { signIn } from './signed-in.ts';

const LOOKS = [
  ['light', 1440],
  ['dark', 390],
] as const;

/** The main views in Firefox: light, and dark on the width of a phone. */
export async function firefoxWalk(ground: Ground): Promise<void> {
  for (const [scheme, width] of LOOKS) {
    const browser = await launchFirefox(scheme);
    try {
      await firefoxViews({ ...ground, browser }, `${width}-${scheme}`, { viewport: { width, height: 900 } });
    } finally {
      await browser.close();
    }
  }
}

/**
 * Before a picture Playwright adds a style to the page, and this Firefox applies the policy of the page to it. Of all styles
 * the report names this one by its hash.
 */
const PICTURE_STYLE = `sha256-${createHash('sha256').update('body {}').digest('base64')}`;

function firefoxViews(ground: Ground, look: string, options: BrowserContextOptions): Promise<void> {
  const { stage } = ground;
  const walk = async ({ page }: { readonly page: Page }) => {
    const seen = (name: string, address: string, selector: string) =>
      view(ground, page, { name, look, address, selector });
    await seen('home', '/', '#atlas-drawing[data-drawn]');
    await seen('verify', '/verify', 'main form, main input');
    await seen('guide', '/guide/', 'main h1');
    await signIn(page, stage);
    await seen('overview', '/#/overview', '.figure .spot');
    await seen('list', '/#/own', '#other tbody tr[data-key]');
    await seen('record', `/#/records/${stage.plan.record_id}`, '.chart[data-drawn]');
    await seen('compare', '/#/compare', '.calibration svg');
    await seen('compare-cohort', '/#/compare?b=cohort', '.counts');
    await seen('cohort', '/#/cohorts?market=stock&include_retroactive=true', '.counts');
    await seen('track', '/#/track', '#other tbody tr');
    if (look === '1440-light') await pointer(ground, page);
  };
  return onPage(ground, `Firefox, ${look}`, options, walk, { refusal: PICTURE_STYLE });
}

interface Seen {
  readonly name: string;
  readonly look: string;
  readonly address: string;
  readonly selector: string;
}

async function view({ tally, picture }: Ground, page: Page, { name, look, address, selector }: Seen): Promise<void> {
  await page.goto(address);
  await page.locator(selector).first().waitFor();
  await untilRead(page);
  await page.waitForTimeout(300);
  await checkAccessible(tally, page, `Firefox, ${name}, ${look}: accessible`);
  const most = page.viewportSize()?.width ?? 0;
  const width = await page.evaluate(() => document.documentElement.scrollWidth);
  tally.holds(`Firefox, ${name}, ${look}: does not scroll sideways`, width <= most, width);
  await picture(page, `firefox-${name}-${look}`);
}

/** The atlas is moved and scaled by pointer. */
async function pointer({ tally }: Ground, page: Page): Promise<void> {
  await page.goto('/#/atlas');
  await page.waitForSelector('.atlas-net > g');
  const sight = () => page.locator('.atlas-net').getAttribute('transform');
  const isMovedFrom = (last: string | null) =>
    page.waitForFunction((each) => document.querySelector('.atlas-net')?.getAttribute('transform') !== each, last);
  await page.locator('#atlas-drawing').scrollIntoViewIfNeeded();
  const box = await page.locator('#atlas-drawing').boundingBox();
  if (!box) throw new Error('The atlas is not drawn.');
  const before = await sight();
  await page.mouse.move(box.x + 30, box.y + 80);
  await page.mouse.down();
  await page.mouse.move(box.x + 90, box.y + 120, { steps: 4 });
  await page.mouse.up();
  await isMovedFrom(before);
  const moved = await sight();
  await page.mouse.wheel(0, -200);
  await isMovedFrom(moved);
  tally.holds('Firefox: the atlas is moved by pointer', true);
}
