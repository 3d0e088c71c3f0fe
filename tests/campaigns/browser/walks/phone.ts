import type { Page } from 'playwright-core';
import { type Ground, onPage } from '../walk.ts';

const PHONE = { viewport: { width: 375, height: 740 }, isMobile: true, hasTouch: true };

/** Everything fits a phone, and controls are large enough for a finger. */
export function phoneWalk(ground: Ground): Promise<void> {
  const { tally, stage } = ground;
  return onPage(ground, 'phone', PHONE, async ({ page }) => {
    for (const [name, path, ready] of [
      ['home', '/', '#atlas-drawing[data-drawn]'],
      ['record', `/#/records/${stage.plan.record_id}`, '.chart[data-drawn]'],
      ['login', '/#/own', '#email'],
    ] as const) {
      await page.goto(path);
      await page.waitForSelector(ready);
      await page.waitForTimeout(500);
      tally.holds(`phone: ${name} does not scroll sideways`, await fits(page));
      const small = await page.evaluate(smallTargets);
      tally.holds(`phone: buttons and fields of ${name} are large enough`, small.length === 0, small);
      await ground.picture(page, `phone-${name}`);
    }
  });
}

function fits(page: Page): Promise<boolean> {
  // A phone widens its window to what is too wide.
  const width = page.viewportSize()?.width ?? 0;
  return page.evaluate((most) => document.documentElement.scrollWidth <= most, width);
}

function smallTargets(): string[] {
  const targets = [...document.querySelectorAll('button, input')].filter((element) => element.checkVisibility());
  return targets.filter((element) => element.getBoundingClientRect().height < 40).map((element) => element.outerHTML);
}
