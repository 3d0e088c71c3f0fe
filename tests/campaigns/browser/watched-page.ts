import type { Browser, BrowserContextOptions, Page } from 'playwright-core';

/** A page whose every complaint is kept. */
export interface WatchedPage {
  readonly page: Page;
  /** Errors of scripts, refused files, violations of the page's policy (the console tells them), requests to other hosts. */
  readonly complaints: readonly string[];
  /** Bytes that travelled for the page so far, packed as they were. */
  weight(): Promise<number>;
  /** How far what was seen has moved by itself, as browsers count it: 0 is not at all. */
  shift(): Promise<number>;
  close(): Promise<void>;
}

/** Opened in a context of its own: no cookie, no cache, nothing stored. */
export async function openPage(
  browser: Browser,
  url: string,
  options: BrowserContextOptions = {},
): Promise<WatchedPage> {
  const context = await browser.newContext({ baseURL: url, viewport: { width: 1280, height: 860 }, ...options });
  const page = await context.newPage();
  const complaints: string[] = [];
  page.on('pageerror', (error) => complaints.push(`error: ${error.message}`));
  page.on('console', (message) => {
    if (['error', 'warning'].includes(message.type())) complaints.push(`console: ${message.text()}`);
  });
  page.on('request', (request) => {
    if (!request.url().startsWith(`${url}/`)) complaints.push(`another host: ${request.url()}`);
  });
  await page.addInitScript(watchShifts);
  return {
    page,
    complaints,
    weight: () => page.evaluate(weigh),
    shift: () => page.evaluate(() => Reflect.get(window, 'shifted') as number),
    close: () => context.close(),
  };
}

/** Runs in the page, before its own scripts. */
function watchShifts(): void {
  Object.assign(window, { shifted: 0 });
  new PerformanceObserver((list) => {
    for (const entry of list.getEntries()) {
      if (Reflect.get(entry, 'hadRecentInput')) continue;
      Object.assign(window, { shifted: Reflect.get(window, 'shifted') + Reflect.get(entry, 'value') });
    }
  }).observe({ type: 'layout-shift', buffered: true });
}

function weigh(): number {
  const entries = [...performance.getEntriesByType('navigation'), ...performance.getEntriesByType('resource')];
  return entries.reduce((sum, entry) => sum + (entry as PerformanceResourceTiming).transferSize, 0);
}
