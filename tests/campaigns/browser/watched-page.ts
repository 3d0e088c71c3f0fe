import { setTimeout } from 'node:timers/promises';
import type { Browser, BrowserContext, BrowserContextOptions, Page } from 'playwright-core';

/** A page whose complaints are collected. */
export interface WatchedPage {
  readonly page: Page;
  /** Script errors, refused files, violations of the page's policy (from the console), and requests to other hosts. */
  readonly complaints: readonly string[];
  /** Transferred bytes of the page so far, compressed. */
  weight(): Promise<number>;
  /** The cumulative layout shift as Chromium computes it: 0 is none. */
  shift(): Promise<number>;
  close(): Promise<void>;
}

/** Opens the page in a context of its own, without cookies, cache or storage. */
export async function openPage(
  browser: Browser,
  url: string,
  options: BrowserContextOptions = {},
): Promise<WatchedPage> {
  const context = await browser.newContext({ baseURL: url, viewport: { width: 1280, height: 860 }, ...options });
  context.setDefaultTimeout(PATIENCE);
  if (slowness) await holdRequests(context, slowness);
  const page = await context.newPage();
  const complaints: string[] = [];
  page.on('pageerror', (error) => complaints.push(`error: ${error.message}`));
  page.on('console', (message) => {
    if (['error', 'warning'].includes(message.type()))
      complaints.push(`console: ${message.text()} ${message.location().url}`);
  });
  page.on('request', (request) => {
    if (!request.url().startsWith(`${url}/`)) complaints.push(`another host: ${request.url()}`);
  });
  await page.addInitScript(watchShifts);
  return {
    page,
    complaints,
    weight: () => page.evaluate(transferredBytes),
    shift: () => page.evaluate(() => Reflect.get(window, 'shifted') as number),
    close: () => context.close(),
  };
}

let slowness: (() => number) | null = null;

/** From now on each request of a page, streams excepted, is held for as many milliseconds as this returns, so that parts come in other orders. */
export function slowDown(milliseconds: () => number): void {
  slowness = milliseconds;
}

async function holdRequests(context: BrowserContext, milliseconds: () => number): Promise<void> {
  await context.route('**/*', async (route) => {
    if (route.request().resourceType() !== 'eventsource') await setTimeout(milliseconds());
    await route.fallback().catch(() => {});
  });
}

/** For what is waited for, on a machine that does much else. */
const PATIENCE = 90_000;

/** Waits until no part of the view is being read. */
export async function untilRead(page: Page): Promise<void> {
  await page.waitForFunction(() => document.querySelectorAll('#other [aria-busy=true]').length === 0);
}

/** Runs in the page, before its own scripts. */
function watchShifts(): void {
  Object.assign(window, { shifted: 0 });
  if (!PerformanceObserver.supportedEntryTypes.includes('layout-shift')) return;
  new PerformanceObserver((list) => {
    for (const entry of list.getEntries()) {
      if (Reflect.get(entry, 'hadRecentInput')) continue;
      Object.assign(window, { shifted: Reflect.get(window, 'shifted') + Reflect.get(entry, 'value') });
    }
  }).observe({ type: 'layout-shift', buffered: true });
}

function transferredBytes(): number {
  const entries = [...performance.getEntriesByType('navigation'), ...performance.getEntriesByType('resource')];
  return entries.reduce((sum, entry) => sum + (entry as PerformanceResourceTiming).transferSize, 0);
}
