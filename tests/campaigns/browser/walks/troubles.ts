import { setTimeout as sleep } from 'node:timers/promises';
import type { Page, Route } from 'playwright-core';
import type { Ground } from '../walk.ts';
import { openPage } from '../watched-page.ts';

/** A service that is slow, or refuses requests for a while. */
export async function troubleWalk({ browser, stage, tally, picture }: Ground): Promise<void> {
  const { page, close } = await openPage(browser, stage.url);
  await refused(page, tally);
  await refusedForAMoment({ browser, stage, tally, picture });
  await late(page, stage.plan.record_id, stage.open, tally);
  await leftAndReturned(page, tally);
  await close();
}

async function refused(page: Page, tally: Ground['tally']): Promise<void> {
  await page.route('**/api/v1/**', refuse);
  await page.goto('/');
  await page.waitForSelector('#atlas-list .refused');
  for (const section of ['#atlas', '#entries', '#stablecoins']) {
    const words = await page.locator(section).innerText();
    tally.holds(`troubles: ${section} says when to try again`, /Try again in 37\sseconds/.test(words), words);
  }
  await page.unroute('**/api/v1/**');
  await page.goto('/#/own');
  await page.goto('/#/atlas');
  await page.waitForSelector('#atlas-drawing[data-drawn]');
  tally.holds(
    'troubles: the atlas is shown on the next visit',
    await page.locator('#atlas-list a').first().isVisible(),
  );
}

function refuse(route: Route): Promise<void> {
  return refuseFor(route, 37);
}

function refuseFor(route: Route, retry_after_seconds: number, status = 429): Promise<void> {
  return route.fulfill({
    status,
    json: { error: { message: 'Too many.', suggestion: 'Wait.', retry_after_seconds } },
  });
}

const COHORTS = '**/public/cohorts?*';
const COHORT = '/#/cohorts?market=stock&include_retroactive=true';

/** What is refused for a moment is read again by itself; what a person sent is not. */
async function refusedForAMoment(ground: Ground): Promise<void> {
  const { page, complaints, close } = await openPage(ground.browser, ground.stage.url);
  await readAgain(ground, page);
  await leftToReader(ground, page);
  await leftMeanwhile(ground, page);
  await sentOnce(ground, page);
  await homeAgain(ground, page);
  const others = complaints.filter((complaint) => !complaint.includes('Failed to load resource'));
  ground.tally.holds('troubles: for a moment: no other complaints', others.length === 0, others);
  await close();
}

async function readAgain({ tally, picture }: Ground, page: Page): Promise<void> {
  let refusals = 0;
  await page.route(COHORTS, (route) => {
    refusals += 1;
    return refusals > 2 ? route.continue() : refuseFor(route, 2, refusals === 1 ? 429 : 503);
  });
  await page.goto(COHORT);
  const state = page.locator('#other .refused');
  await state.waitFor();
  const words = await state.innerText();
  tally.holds(
    'troubles: a refusal for a moment counts down',
    /read again by itself in [12]\sseconds?/.test(words),
    words,
  );
  tally.holds('troubles: it is announced', (await state.getAttribute('role')) === 'alert');
  tally.holds('troubles: its seconds are not', (await state.locator('[aria-live=off]').count()) === 1);
  tally.holds('troubles: it needs no button', (await state.getByRole('button').count()) === 0);
  await picture(page, 'refused-for-a-moment');
  const second = page.locator('#other .refused[data-status="503"]');
  await second.waitFor();
  tally.holds('troubles: the next attempt is not announced', (await second.getAttribute('role')) === null);
  await page.waitForSelector('#other table.counts');
  tally.holds('troubles: it is read again by itself', (await state.count()) === 0 && refusals === 3, refusals);
  await page.unroute(COHORTS);
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
  tally.holds('troubles: after three attempts the reader decides', refusals === 4, refusals);
  await page.waitForTimeout(3_000);
  tally.holds('troubles: then nothing is sent by itself', refusals === 4, refusals);
  await page.unroute(COHORTS);
  await button.focus();
  await page.keyboard.press('Enter');
  await page.locator('#other h2', { hasText: 'every crypto' }).waitFor();
  const isInPart = await page.evaluate(() => document.activeElement?.querySelector('h2') !== null);
  tally.holds('troubles: the button reads it, and the focus stays there', isInPart);
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
  await page.waitForTimeout(4_000);
  tally.holds('troubles: a view that was left is not read again', refusals === 1, refusals);
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
  tally.holds('troubles: a form is sent once', sent === 1 && words.includes('Try again in'), [sent, words]);
  await page.unroute('**/auth/login');
}

/** All parts of the home are refused at once, and one of them says so to a screen reader. */
async function homeAgain({ tally, picture }: Ground, page: Page): Promise<void> {
  await page.route('**/api/v1/**', (route) => refuseFor(route, 2));
  await page.goto('/');
  await page.waitForSelector('#atlas-list .refused');
  await page.waitForSelector('#circuits .refused');
  const alerts = await page.locator('#home .refused[role=alert]').count();
  tally.holds('troubles: the home announces a refusal once', alerts === 1, alerts);
  await picture(page, 'home-refused-for-a-moment');
  await page.unroute('**/api/v1/**');
  await page.waitForSelector('#atlas-drawing[data-drawn]');
  await page.waitForSelector('#seeds a');
  await page.waitForSelector('.circuit');
  tally.holds('troubles: the home is read again by itself', (await page.locator('#home .refused').count()) === 0);
}

/** A record whose reply is late when the visitor leaves it must not replace another one: its request ends. */
async function late(page: Page, slow: string, absent: string, tally: Ground['tally']): Promise<void> {
  const isSent = page.waitForRequest((request) => request.url().endsWith(slow));
  const hasEnded = page.waitForEvent('requestfailed', (request) => request.url().endsWith(slow));
  await page.route(`**/decisions/${slow}`, async (route) => {
    await sleep(1_500);
    await route.continue().catch(() => undefined);
  });
  await page.goto(`/#/records/${slow}`);
  await isSent;
  await page.goto(`/#/records/${absent}`);
  await hasEnded;
  // Longer than the reply would have taken.
  await page.waitForTimeout(2_000);
  const words = await page.locator('#other').innerText();
  tally.holds('troubles: a late record replaces nothing', words.includes('Not a public record'), words);
  await page.unroute(`**/decisions/${slow}`);
}

async function leftAndReturned(page: Page, tally: Ground['tally']): Promise<void> {
  await page.goto('/#/atlas');
  await page.waitForTimeout(500);
  await page.evaluate(() => scrollTo(0, document.documentElement.scrollHeight));
  await page.locator('header a[href="/#/atlas"]').last().click();
  await page.waitForTimeout(300);
  const top = await page.evaluate(() => document.querySelector('#atlas-title')?.getBoundingClientRect().top ?? -1);
  tally.holds('troubles: a link to the current place scrolls to it', top >= 0 && top < 300, top);
}
