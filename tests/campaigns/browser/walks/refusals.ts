import type { Ground } from '../walk.ts';
import { openPage } from '../watched-page.ts';

/** What cannot be shown is told in words, and nothing breaks. The browser itself notes each refusal. */
export async function refusalWalk({ browser, stage, tally, picture }: Ground): Promise<void> {
  const { page, complaints, close } = await openPage(browser, stage.url);
  const told = async (path: string) => {
    await page.goto(path);
    await page.waitForSelector('.notice:visible');
    return page.locator('#other').innerText();
  };
  const open = await told(`/#/records/${stage.open}`);
  tally.holds('refusals: a record that is not public says so', open.includes('Not a public record'), open);
  await picture(page, 'not-public');
  const nonsense = await told('/#/records/%3Cimg%20src=x%20onerror=alert(1)%3E');
  tally.holds('refusals: nonsense is told what ids look like', nonsense.includes('dec_20260130_5c0ffee5'), nonsense);
  await page.goto('/#/own');
  await page.fill('#email', 'nobody@example.org');
  await page.fill('#password', 'a wrong pass phrase');
  await page.keyboard.press('Enter');
  await page.waitForSelector('[role=alert]:visible');
  tally.holds('refusals: a wrong password is told', (await page.locator('[role=alert]').innerText()).length > 10);
  const others = complaints.filter((complaint) => !complaint.includes('Failed to load resource'));
  tally.holds('refusals: nothing else is complained of', others.length === 0, others);
  await close();
}

/** Before there is anything: an atlas that is empty, or not built yet. */
export async function emptyWalk({ browser, tally, picture }: Omit<Ground, 'stage'>, url: string): Promise<void> {
  const { page, close } = await openPage(browser, url);
  await page.goto('/');
  await page.waitForSelector('#atlas-list .notice');
  const words = await page.locator('#atlas-list').innerText();
  tally.holds(
    'empty: the atlas says why, and when it will be there',
    /grows by itself|built for the first time/.test(words),
    words,
  );
  await picture(page, 'empty');
  await close();
}
