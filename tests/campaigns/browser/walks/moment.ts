import type { Page, Route } from 'playwright-core';
import { type Ground, onPage } from '../walk.ts';
import { untilRead } from '../watched-page.ts';
import { signIn } from './signed-in.ts';

const COHORTS = '**/public/cohorts?*';
const COHORT = '/#/cohorts?market=stock&include_retroactive=true';

/** What is refused for a moment is read again by itself; what a person sent is not. */
export function momentWalk(ground: Ground): Promise<void> {
  const work = async ({ page }: { readonly page: Page }) => {
    await readAgain(ground, page);
    await leftToReader(ground, page);
    await leftMeanwhile(ground, page);
    await sentOnce(ground, page);
    await homeAgain(ground, page);
    await signIn(page, ground.stage);
    await whatFollows(ground, page);
    await namesLate(ground, page);
  };
  return onPage(ground, 'moment', {}, work, { refusal: 'Failed to load resource' });
}

function refuseFor(route: Route, retry_after_seconds: number, status = 429): Promise<void> {
  return route.fulfill({
    status,
    json: { error: { message: 'Too many.', suggestion: 'Wait.', retry_after_seconds } },
  });
}

async function readAgain({ tally, picture }: Ground, page: Page): Promise<void> {
  let refusals = 0;
  await page.route(COHORTS, (route) => {
    refusals += 1;
    return refusals > 2 ? route.continue() : refuseFor(route, 4, refusals === 1 ? 429 : 503);
  });
  await page.goto(COHORT);
  const { words, role, quiet, buttons } = await refusedWith(page, 429);
  tally.holds(
    'moment: a refusal for a moment counts down',
    /read again by itself in [1-4]\sseconds?/.test(words),
    words,
  );
  tally.holds('moment: it is announced', role === 'alert', role);
  tally.holds('moment: its seconds are not', quiet === 1, quiet);
  tally.holds('moment: it needs no button', buttons === 0, buttons);
  await picture(page, 'refused-for-a-moment');
  const second = await refusedWith(page, 503);
  tally.holds('moment: the next attempt is not announced', second.role === null, second.role);
  const state = page.locator('#other .refused');
  await page.waitForSelector('#other table.counts');
  tally.holds('moment: it is read again by itself', (await state.count()) === 0 && refusals === 3, refusals);
  await page.unroute(COHORTS);
}

/** What a refusal of this status shows as it appears: some seconds later it is read again. */
async function refusedWith(page: Page, status: number) {
  const shown = await page.waitForFunction((code) => {
    const state = document.querySelector<HTMLElement>(`#other .refused[data-status="${code}"]`);
    return (
      state && {
        words: state.innerText,
        role: state.getAttribute('role'),
        quiet: state.querySelectorAll('[aria-live=off]').length,
        buttons: state.querySelectorAll('button').length,
      }
    );
  }, status);
  const found = await shown.jsonValue();
  if (found === null) throw new Error(`Nothing is refused with ${status}.`);
  return found;
}

async function leftToReader({ tally }: Ground, page: Page): Promise<void> {
  let refusals = 0;
  await page.route(COHORTS, (route) => {
    refusals += 1;
    return refuseFor(route, 1);
  });
  await page.goto('/#/cohorts?market=crypto');
  const button = page.locator('#other .refused').getByRole('button', { name: 'Try again' });
  await button.waitFor();
  tally.holds('moment: after three attempts the reader decides', refusals === 4, refusals);
  await page.waitForTimeout(3_000);
  tally.holds('moment: then nothing is sent by itself', refusals === 4, refusals);
  await page.unroute(COHORTS);
  await button.focus();
  await page.keyboard.press('Enter');
  await page.locator('#other h2', { hasText: 'every crypto' }).waitFor();
  const isInPart = await page.evaluate(() => document.activeElement?.querySelector('h2') !== null);
  tally.holds('moment: the button reads it, and the focus stays there', isInPart);
}

async function leftMeanwhile({ tally }: Ground, page: Page): Promise<void> {
  let refusals = 0;
  await page.route(COHORTS, (route) => {
    refusals += 1;
    return refuseFor(route, 2);
  });
  await page.goto(COHORT);
  await page.waitForSelector('#other .refused');
  await page.goto('/#/sign-in');
  await page.locator('#email').waitFor();
  const before = refusals;
  await page.waitForTimeout(4_000);
  tally.holds('moment: a view that was left is not read again', refusals === before, [before, refusals]);
  await page.unroute(COHORTS);
}

async function sentOnce({ tally }: Ground, page: Page): Promise<void> {
  let sent = 0;
  await page.route('**/auth/login', (route) => {
    sent += 1;
    return refuseFor(route, 1);
  });
  await page.fill('#email', 'nobody@example.org');
  await page.fill('#password', 'a wrong pass phrase');
  await page.keyboard.press('Enter');
  await page.waitForSelector('#other [role=alert]:visible');
  await page.waitForTimeout(3_000);
  const words = await page.locator('#other [role=alert]:visible').innerText();
  tally.holds('moment: a form is sent once', sent === 1 && words.includes('Try again in'), [sent, words]);
  await page.unroute('**/auth/login');
}

/** All parts of the home are refused at once, and one of them says so to a screen reader. */
async function homeAgain({ tally, picture }: Ground, page: Page): Promise<void> {
  await page.route('**/api/v1/**', (route) => refuseFor(route, 8));
  await page.goto('/');
  await page.waitForSelector('#atlas-list .refused');
  await page.waitForSelector('#circuits .refused');
  const alerts = await page.locator('#home .refused[role=alert]').count();
  tally.holds('moment: the home announces a refusal once', alerts === 1, alerts);
  await picture(page, 'home-refused-for-a-moment');
  await page.unroute('**/api/v1/**');
  await page.waitForSelector('#atlas-drawing[data-drawn]');
  await page.waitForSelector('#seeds a');
  await page.waitForSelector('.circuit');
  tally.holds('moment: the home is read again by itself', (await page.locator('#home .refused').count()) === 0);
}

/** What a view makes of its content comes after a later attempt too. */
async function whatFollows({ stage, tally }: Ground, page: Page): Promise<void> {
  await refuseOnce(page, '**/owner/auth/api-keys');
  await page.locator('#console-navigation').getByRole('link', { name: 'API keys' }).click();
  await page.locator('#other .refused').waitFor();
  await page.locator('#other form').getByRole('button').first().waitFor();
  tally.holds('moment: the form for a new key comes with the list', (await page.locator('#other table').count()) === 1);
  await refuseOnce(page, `**/owner/decisions/${stage.plan.record_id}?*`);
  await page.goto(`/#/records/${stage.plan.record_id}`);
  const refusedTitle = await page.waitForFunction(() => document.querySelector('#other .refused') && document.title);
  const before = await refusedTitle.jsonValue();
  await page.locator('#other h1').focus();
  await page.waitForSelector('.chart[data-drawn]');
  tally.holds('moment: the title is that of the record', (await page.title()) !== before, before);
  const focused = await page.evaluate(() => document.activeElement?.tagName);
  tally.holds('moment: the heading keeps the focus', focused === 'H1', focused);
  const shown = await page.locator('#other').innerText();
  tally.holds('moment: all of the record is shown', shown.includes('Shown only to you'), shown);
}

/** The names of agents, which come last, hold back neither the list nor its title and focus. */
async function namesLate({ tally }: Ground, page: Page): Promise<void> {
  const held: Route[] = [];
  await page.goto('/#/keys');
  await page.reload();
  await page.locator('#other caption').waitFor();
  await page.route('**/owner/agents?*', (route) => void held.push(route));
  await page.locator('#console-navigation a[href="#/own"]').click();
  await page.getByRole('heading', { level: 1, name: 'Your decisions' }).waitFor();
  await page.locator('#other caption').waitFor();
  await untilRead(page);
  const [title, focused] = [await page.title(), await page.evaluate(() => document.activeElement?.textContent)];
  tally.holds('moment: the list has its title before the names of agents', title.startsWith('Your decisions'), title);
  tally.holds('moment: its heading has the focus before them', focused === 'Your decisions', focused);
  tally.holds('moment: the names were asked for', held.length > 0);
  for (const route of held.splice(0)) await route.continue();
  await page.locator('#other .filtering-part').waitFor();
}

async function refuseOnce(page: Page, path: string): Promise<void> {
  await page.route(path, (route) => refuseFor(route, 1), { times: 1 });
}
