import type { Browser, BrowserContextOptions } from 'playwright-core';
import type { Tally } from '../stage/tally.ts';
import type { Stage } from './stage.ts';
import { openPage, type WatchedPage } from './watched-page.ts';

/** What a walk through the page has at hand. */
export interface Ground {
  readonly browser: Browser;
  readonly stage: Stage;
  readonly tally: Tally;
  /** Writes a picture of the whole page, also of what is below the fold. */
  picture(page: WatchedPage['page'], name: string): Promise<void>;
}

/** Whatever a walk does, a page of this service complains of nothing and asks nobody else. */
export async function onPage(
  { browser, stage, tally }: Ground,
  walk: string,
  options: BrowserContextOptions,
  work: (opened: WatchedPage) => Promise<void>,
): Promise<void> {
  const opened = await openPage(browser, stage.url, options);
  try {
    await work(opened);
    tally.holds(
      `${walk}: no error, no warning, no violation of the policy, no other host`,
      opened.complaints.length === 0,
      opened.complaints,
    );
  } catch (error) {
    tally.holds(`${walk}: goes to its end`, false, error instanceof Error ? error.message : String(error));
  } finally {
    await opened.close();
  }
}
