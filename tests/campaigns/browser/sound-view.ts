import type { Page } from 'playwright-core';
import type { Tally } from '../stage/tally.ts';
import { checkAccessible } from './accessibility.ts';

const PHONE = { width: 375, height: 740 };

/** What holds for the view that is shown, on this screen, on a phone and in the dark; then the screen is as before. */
export async function checkSound(tally: Tally, page: Page, name: string): Promise<void> {
  const before = page.viewportSize();
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme });
    await checkAccessible(tally, page, `${name}, ${colorScheme}: accessible`);
  }
  await page.emulateMedia({ colorScheme: null });
  await page.setViewportSize(PHONE);
  const fits = await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth);
  tally.holds(`${name}: fits a phone`, fits);
  const small = await page.evaluate(smallTargets);
  tally.holds(`${name}: buttons and fields are large enough for a finger`, small.length === 0, small);
  await checkAccessible(tally, page, `${name}, on a phone: accessible`);
  if (before) await page.setViewportSize(before);
}

function smallTargets(): string[] {
  const targets = [...document.querySelectorAll('#other button, #other input, #other select')];
  return targets
    .filter((each) => each.checkVisibility() && each.getAttribute('type') !== 'checkbox')
    .filter((each) => each.getBoundingClientRect().height < 40)
    .map((each) => each.outerHTML);
}
