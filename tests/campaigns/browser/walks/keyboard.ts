import type { Page } from 'playwright-core';
import { until } from '../../stage/until.ts';
import { type Ground, onPage } from '../walk.ts';
import { untilRead } from '../watched-page.ts';

const STEPS = 60;

/** Goes from `/` to a record without a pointer. */
export function keyboardWalk(ground: Ground): Promise<void> {
  const { tally } = ground;
  return onPage(ground, 'keyboard', { reducedMotion: 'reduce' }, async ({ page }) => {
    await page.goto('/');
    await page.waitForSelector('#atlas-drawing[data-drawn]');
    await page.keyboard.press('Tab');
    tally.holds('keyboard: the first stop skips to the atlas', (await focused(page)) === 'Skip to the atlas');
    await page.keyboard.press('Enter');
    await page.waitForFunction(() => document.activeElement?.id === 'atlas-title');
    const list = await walkTo(page, '#atlas-list a');
    tally.holds('keyboard: the list of the atlas is reached', list.reached, list);
    tally.holds(
      'keyboard: each stop shows that it has the focus',
      list.withoutFocusStyle.length === 0,
      list.withoutFocusStyle,
    );
    await page.keyboard.press('Enter');
    await page.waitForSelector('#atlas-node .records a');
    await page.waitForFunction(() => document.activeElement?.closest('#atlas-node') !== null);
    const record = await walkTo(page, '#atlas-node a[href^="#/records/"]');
    tally.holds('keyboard: a record is reached from its node', record.reached, record);
    await page.keyboard.press('Enter');
    await page.waitForSelector('.chart[data-drawn]');
    await untilRead(page);
    tally.holds(
      'keyboard: the focus goes to the record',
      (await page.evaluate(() => document.activeElement?.tagName)) === 'H1',
    );
    await page.goto('/#/atlas');
    await page.waitForSelector('#atlas-drawing[data-drawn]');
    await page.focus('#atlas-drawing');
    const drawing = () => page.locator('#atlas-drawing').screenshot();
    for (const key of ['ArrowRight', '+']) {
      const before = await drawing();
      await page.keyboard.press(key);
      tally.holds(`keyboard: ${key} moves the drawing`, await until(async () => !before.equals(await drawing())));
    }
  });
}

async function walkTo(page: Page, selector: string) {
  const withoutFocusStyle: string[] = [];
  for (let step = 0; step < STEPS; step++) {
    await page.keyboard.press('Tab');
    if (!(await page.evaluate(showsFocus))) withoutFocusStyle.push(await focused(page));
    if (await page.evaluate((wanted) => document.activeElement?.matches(wanted) ?? false, selector))
      return { reached: true, withoutFocusStyle };
  }
  return { reached: false, withoutFocusStyle };
}

function focused(page: Page): Promise<string> {
  return page.evaluate(() => document.activeElement?.textContent?.trim() || (document.activeElement?.id ?? ''));
}

function showsFocus(): boolean {
  const element = document.activeElement;
  if (!element || element === document.body) return true;
  const { outlineStyle, outlineWidth } = getComputedStyle(element);
  return outlineStyle !== 'none' && Number.parseFloat(outlineWidth) >= 2;
}
