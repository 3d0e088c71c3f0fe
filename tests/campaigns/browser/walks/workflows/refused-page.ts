import type { BrowserContextOptions } from 'playwright-core';
import type { Ground } from '../../walk.ts';
import { openPage, type WatchedPage } from '../../watched-page.ts';

/** A walk on which the service refuses requests, as intended. The browser reports each of them; nothing else may happen. */
export async function onRefusedPage(
  { browser, stage, tally }: Ground,
  walk: string,
  options: BrowserContextOptions,
  work: (opened: WatchedPage) => Promise<void>,
): Promise<void> {
  const opened = await openPage(browser, stage.url, options);
  try {
    await work(opened);
    const others = opened.complaints.filter((complaint) => !complaint.includes('Failed to load resource'));
    tally.holds(`${walk}: no complaints but refused requests`, others.length === 0, others);
  } catch (error) {
    tally.holds(`${walk}: runs to its end`, false, error instanceof Error ? error.message : String(error));
  } finally {
    await opened.close();
  }
}
