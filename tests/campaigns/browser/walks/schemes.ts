import { until } from '../../stage/until.ts';
import { checkAccessible } from '../accessibility.ts';
import { dotsOf } from '../drawings.ts';
import { type Ground, onPage } from '../walk.ts';

/** The dark colours, in drawings too, and a change of the scheme on an open page. */
export function schemeWalk(ground: Ground): Promise<void> {
  const { tally, stage } = ground;
  return onPage(ground, 'dark', { colorScheme: 'dark' }, async ({ page }) => {
    const back = () => page.evaluate(() => getComputedStyle(document.body).backgroundColor);
    await page.goto('/');
    await page.waitForSelector('#atlas-drawing[data-drawn]');
    await page.waitForTimeout(500);
    const dark = await back();
    await checkAccessible(tally, page, 'dark: accessible, contrast included');
    await ground.picture(page, 'dark-home');
    await page.goto(`/#/records/${stage.plan.record_id}`);
    await page.waitForSelector('.chart[data-drawn]');
    const isColoured = () => until(async () => (await dotsOf(page, '.chart', '--accent')) > 20);
    tally.holds('dark: the chart has the dark colours', await isColoured());
    await ground.picture(page, 'dark-record');
    await page.emulateMedia({ colorScheme: 'light' });
    tally.holds('dark: the page follows a change of the scheme', await until(async () => (await back()) !== dark));
    tally.holds('dark: so does the chart', await isColoured());
  });
}
