import { setTimeout as sleep } from 'node:timers/promises';
import type { Page } from 'playwright-core';
import { signIn } from '../sign-in.ts';
import type { Ground } from '../walk.ts';
import { openPage } from '../watched-page.ts';

/** A session that is ended in another browser, and a service that refuses, is slow, or cannot be reached. */
export async function sessionsWalk(ground: Ground): Promise<void> {
  const { browser, stage, tally } = ground;
  const here = await openPage(browser, stage.url);
  const there = await openPage(browser, stage.url);
  await signIn(here.page, stage);
  await signIn(there.page, stage, '/#/security');
  await there.page.getByRole('button', { name: /^End \d+ other session/ }).click();
  await there.page.locator('#announcements', { hasText: 'have ended' }).waitFor();
  await ended(ground, here.page);
  await limited(ground, here.page);
  await slow(ground, here.page);
  await unreachable(ground, here.page);
  const others = [...here.complaints, ...there.complaints].filter((each) => !each.includes('Failed to load resource'));
  tally.holds('sessions: no other complaints', others.length === 0, others);
  await Promise.all([here.close(), there.close()]);
}

function turnTo(page: Page, label: string): Promise<void> {
  return page.locator('#console-navigation').getByRole('link', { name: label }).click();
}

async function ended({ tally, stage, picture }: Ground, page: Page): Promise<void> {
  await turnTo(page, 'Agents');
  await page.locator('.refused', { hasText: 'Your session has ended' }).waitFor();
  tally.holds(
    'sessions: the header no longer shows anybody',
    (await page.locator('#account').innerText()).startsWith('Sign in'),
  );
  await picture(page, 'session-ended');
  await page.getByRole('link', { name: 'Sign in again' }).click();
  await page.fill('#email', stage.owner.email);
  await page.fill('#password', stage.owner.password);
  await page.keyboard.press('Enter');
  await page.locator('table caption', { hasText: 'Your agents' }).waitFor();
  tally.holds('sessions: after the login the same view is shown', page.url().endsWith('#/agents'), page.url());
}

async function limited({ tally, picture }: Ground, page: Page): Promise<void> {
  await page.route('**/owner/auth/api-keys', (route) => {
    const error = { code: 'RATE_LIMIT_EXCEEDED', message: 'Too many requests.', retry_after_seconds: 12 };
    return route.fulfill({ status: 429, json: { error } });
  });
  await turnTo(page, 'API keys');
  const state = page.locator('.refused[data-status="429"]');
  await state.waitFor();
  const again = state.getByRole('button', { name: 'Try again' });
  tally.holds('sessions: rate limited, the view counts down and the button waits', await again.isDisabled());
  await picture(page, 'rate-limited');
  await page.unroute('**/owner/auth/api-keys');
  await again.click();
  await page.locator('table caption', { hasText: 'Your keys' }).waitFor();
  tally.holds('sessions: after the wait the button shows the view', (await state.count()) === 0);
}

async function slow({ tally }: Ground, page: Page): Promise<void> {
  const left = Promise.withResolvers<void>();
  await page.route('**/owner/webhooks', async (route) => {
    await left.promise;
    await route.continue().catch(() => undefined);
  });
  await turnTo(page, 'Webhooks');
  await page.locator('#other .loading').waitFor();
  tally.holds('sessions: a slow view says what it reads', (await page.locator('#other [aria-busy=true]').count()) > 0);
  await turnTo(page, 'Settings');
  await page.getByRole('heading', { name: 'Settings' }).waitFor();
  left.resolve();
  await sleep(2_000);
  tally.holds(
    'sessions: a late reply of a view that was left is not shown',
    (await page.locator('h1:visible').innerText()) === 'Settings',
  );
  await page.unroute('**/owner/webhooks');
}

async function unreachable({ tally, picture }: Ground, page: Page): Promise<void> {
  await page.context().setOffline(true);
  await turnTo(page, 'Agents');
  await page.locator('.refused[data-status="0"]').first().waitFor();
  const words = await page.locator('.refused').first().innerText();
  tally.holds('sessions: offline, the view says so', words.includes('offline'), words);
  await picture(page, 'offline');
  await page.context().setOffline(false);
  await page.locator('table caption', { hasText: 'Your agents' }).waitFor();
  tally.holds('sessions: online again, the view is read by itself', true);
}
