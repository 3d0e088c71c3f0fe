import type { BrowserContextOptions, Page } from 'playwright-core';
import type { Stage } from '../stage.ts';

/** A phone and the dark colours, in which the views of owners are looked at too. */
export const LOOKS = [
  ['phone', { viewport: { width: 390, height: 844 }, isMobile: true, hasTouch: true }],
  ['dark', { colorScheme: 'dark' }],
] as const satisfies readonly (readonly [string, BrowserContextOptions])[];

/** Signs the owner of the stage in, by the page's own form. */
export async function signIn(page: Page, { owner }: Stage): Promise<void> {
  await page.goto('/#/own');
  await page.fill('#email', owner.email);
  await page.fill('#password', owner.password);
  await page.keyboard.press('Enter');
  await page.waitForSelector('#other tbody tr');
}
