import type { Page } from 'playwright-core';
import type { Stage } from './stage.ts';

/** Signs the owner of the stage in, at the login that the view at the address begins with. */
export async function signIn(page: Page, { owner }: Pick<Stage, 'owner'>, address = '/#/overview'): Promise<void> {
  await page.goto(address);
  await page.fill('#email', owner.email);
  await page.fill('#password', owner.password);
  await page.keyboard.press('Enter');
  await page.waitForSelector('#console-navigation a[aria-current]');
}
