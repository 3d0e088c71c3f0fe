import { checkAccessible } from '../accessibility.ts';
import type { Ground } from '../walk.ts';
import { openPage } from '../watched-page.ts';

/** The page explains what it cannot show, without errors. The browser reports each refused request. */
export async function refusalWalk({ browser, stage, tally, picture }: Ground): Promise<void> {
  const { page, complaints, close } = await openPage(browser, stage.url);
  const wordsAt = async (path: string) => {
    await page.goto(path);
    await page.waitForSelector('.notice:visible');
    return page.locator('#other').innerText();
  };
  const open = await wordsAt(`/#/records/${stage.open}`);
  tally.holds('refusals: a record that is not public says so', open.includes('Not a public record'), open);
  await picture(page, 'not-public');
  const nonsense = await wordsAt('/#/records/%3Cimg%20src=x%20onerror=alert(1)%3E');
  tally.holds(
    'refusals: a malformed id gets an example of an id',
    nonsense.includes('dec_20260130_5c0ffee5'),
    nonsense,
  );
  await page.goto('/#/nonsense');
  await page.getByRole('heading', { name: 'There is no view at this address' }).waitFor();
  const ways = await page.locator('#other .links a').count();
  tally.holds('refusals: an address without a view says so, with ways on', ways > 2, ways);
  tally.holds('refusals: it does not show the home', !(await page.locator('#home').isVisible()));
  await page.goto('/#/own');
  await page.fill('#email', 'nobody@example.org');
  await page.fill('#password', 'a wrong pass phrase');
  await page.keyboard.press('Enter');
  await page.waitForSelector('[role=alert]:visible');
  tally.holds(
    'refusals: a wrong password gets a message',
    (await page.locator('[role=alert]').innerText()).length > 10,
  );
  const others = complaints.filter((complaint) => !complaint.includes('Failed to load resource'));
  tally.holds('refusals: no other complaints', others.length === 0, others);
  await close();
}

/** A path that is not served, in both schemes and on a phone. The browser reports the status. */
export async function missingWalk({ browser, stage, tally, picture }: Ground): Promise<void> {
  const phone = { viewport: { width: 375, height: 740 }, isMobile: true };
  for (const [name, options] of [
    ['light', {}],
    ['dark', { colorScheme: 'dark' }],
    ['phone', phone],
  ] as const) {
    const { page, complaints, close } = await openPage(browser, stage.url, options);
    const response = await page.goto('/records/dec_20260130_5c0ffee5');
    tally.holds(`missing page, ${name}: 404`, response?.status() === 404, response?.status());
    const words = await page.locator('main').innerText();
    tally.holds(`missing page, ${name}: it says so`, words.includes('There is no page at this address'), words);
    await checkAccessible(tally, page, `missing page, ${name}: accessible`);
    const fits = await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth);
    tally.holds(`missing page, ${name}: it does not scroll sideways`, fits);
    await picture(page, `missing-${name}`);
    await page.locator('main a[href="/"]').click();
    await page.waitForSelector('#seeds li');
    const others = complaints.filter((complaint) => !complaint.includes('Failed to load resource'));
    tally.holds(`missing page, ${name}: no other complaints`, others.length === 0, others);
    await close();
  }
}

/** The atlas of a service without records: empty, or not built yet. */
export async function emptyWalk({ browser, tally, picture }: Omit<Ground, 'stage'>, url: string): Promise<void> {
  const { page, close } = await openPage(browser, url);
  await page.goto('/');
  await page.waitForSelector('#atlas-list :is(.notice, .refused)');
  const words = await page.locator('#atlas-list').innerText();
  tally.holds(
    'empty: the atlas says why, and when it will change',
    /enough independent owners have decided on, once it is graded|has not been built yet\.\s.*in \d+\sseconds?/s.test(
      words,
    ),
    words,
  );
  await page.waitForSelector('.circuit');
  const circuits = await page.locator('#circuits').innerText();
  const isNormal = circuits.split('\n').includes('normal');
  const isObserved = circuits.includes('Last seen at');
  tally.holds('empty: a stablecoin without a price is not called normal', isNormal === isObserved, circuits);
  await picture(page, 'empty');
  await close();
}
