import type { Page } from 'playwright-core';
import { until } from '../../stage/until.ts';
import { checkAccessible } from '../accessibility.ts';
import { dotsOf, inkOf } from '../drawings.ts';
import { HOSTILE } from '../stage.ts';
import { type Ground, onPage } from '../walk.ts';

/** An owner logs in, reads one of their records and an open one, and logs out. */
export function ownerWalk(ground: Ground): Promise<void> {
  const { tally, stage } = ground;
  return onPage(ground, 'owner', {}, async ({ page }) => {
    await page.goto('/#/own');
    await page.waitForSelector('#email');
    await checkAccessible(tally, page, 'login: accessible');
    await ground.picture(page, 'login');
    await page.fill('#email', stage.owner.email);
    await page.fill('#password', stage.owner.password);
    await page.keyboard.press('Enter');
    await page.waitForSelector('#other table a');
    const session = (await page.context().cookies()).find(({ name }) => name === 'sid');
    tally.holds('login: scripts cannot read the session', session?.httpOnly === true && session.sameSite === 'Lax');
    await ground.picture(page, 'own-decisions');
    await page.goto(`/#/records/${stage.plan.record_id}`);
    await page.waitForSelector('.chart[data-drawn]');
    await page.waitForTimeout(500);
    const words = await page.locator('#other').innerText();
    tally.holds(
      'own record: targets and stop in words',
      words.includes('Target 1\n') && words.includes('Stop\n'),
      words,
    );
    const drawn = (await page.locator('.chart').getAttribute('data-drawn')) ?? '';
    tally.holds(
      'own record: bars, targets and stop are drawn',
      ['bars', 'target', 'stop'].every((each) => drawn.includes(each)),
      drawn,
    );
    tally.holds('own record: the chart is not blank', await until(async () => (await inkOf(page, '.chart')) > 1_000));
    const hasLevels = async () => (await dotsOf(page, '.chart', '--favour')) > 20;
    tally.holds('own record: levels have their colour', await until(hasLevels));
    await checkAccessible(tally, page, 'own record: accessible');
    await ground.picture(page, 'own-record');
    await page.goto(`/#/records/${stage.open}`);
    await page.waitForSelector('.notice:visible');
    tally.holds(
      'own open record: says that there is no outcome yet',
      (await page.locator('.notice:visible').innerText()).includes('no outcome yet'),
    );
    tally.holds(
      'own open record: markup of an agent is shown as text',
      (await page.locator('.factors li').innerText()) === HOSTILE,
    );
    const input = await page.locator('.inputs li').innerText();
    tally.holds(
      'own open record: shows its inputs, as text',
      input.includes(`prompt: ${HOSTILE}`) && input.includes('5c'.repeat(32)),
      input,
    );
    await checkAccessible(tally, page, 'own open record: accessible');
    await ground.picture(page, 'own-open-record');
    tally.holds(
      'own open record: markup of an agent creates no elements',
      (await page.locator('#other img, #other script').count()) === 0,
    );
    await page.goto(`/#/records/${stage.unverified}`);
    await page.locator('.crumbs', { hasText: stage.unverified }).waitFor();
    const wait = await page.locator('.notice:visible').innerText();
    tally.holds(
      'own unverified record: shows why it waits and when the next attempt is',
      /The last attempt failed: .*manifest\.json.* The next attempt is at /.test(wait),
      wait,
    );
    await page.goto('/#/own');
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.locator('#account a', { hasText: 'Sign in' }).waitFor();
    tally.holds(
      'logout: the session cookie is removed',
      !(await page.context().cookies()).some(({ name, value }) => name === 'sid' && value !== ''),
    );
    await clearedStorage(ground, page);
  });
}

/** What a logout asks the browser for: its event can come while the page still reads what was stored. */
async function clearedStorage({ tally }: Ground, page: Page): Promise<void> {
  const asked: string[] = [];
  page.on('request', (request) => asked.push(new URL(request.url()).pathname));
  await page.evaluate(() => {
    localStorage.setItem('session-expires-at', new Date(Date.now() + 60_000).toISOString());
    dispatchEvent(new StorageEvent('storage', { key: null }));
  });
  await page.waitForTimeout(200);
  const isOut = await page.locator('#account a', { hasText: 'Sign in' }).isVisible();
  const isAsked = asked.includes('/api/v1/public/auth/status');
  tally.holds('logout: a cleared storage ends the session of the page, which asks nobody', isOut && !isAsked, asked);
}
