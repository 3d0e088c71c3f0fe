import type { Browser, BrowserContextOptions } from 'playwright-core';
import type { Tally } from '../stage/tally.ts';
import type { Stage } from './stage.ts';
import { openPage, type WatchedPage } from './watched-page.ts';

/** What a walk through the page uses. */
export interface Ground {
  readonly browser: Browser;
  readonly stage: Stage;
  readonly tally: Tally;
  /** Writes a picture of the whole page, also of the parts outside the window. */
  picture(page: WatchedPage['page'], name: string): Promise<void>;
}

/** What differs from a walk on the stage without refusals. */
interface Unlike {
  readonly url?: string;
  /** What the browser itself reports of each request that is refused, as the walk intends. */
  readonly refusal?: string | readonly string[];
}

/** Runs a walk on a page, which must cause no complaint and no request to another host. */
export async function onPage(
  { browser, stage, tally }: Ground,
  walk: string,
  options: BrowserContextOptions,
  work: (opened: WatchedPage) => Promise<void>,
  { url = stage.url, refusal }: Unlike = {},
): Promise<void> {
  const opened = await openPage(browser, url, options);
  try {
    await work(opened);
    const intended = [refusal ?? []].flat();
    const others = opened.complaints.filter((complaint) => !intended.some((each) => complaint.includes(each)));
    tally.holds(
      `${walk}: no error, no warning, no violation of the policy, no other host`,
      others.length === 0,
      others,
    );
  } catch (error) {
    tally.holds(`${walk}: runs to its end`, false, [messageOf(error), ...(await openDialogs(opened.page))]);
  } finally {
    await opened.close();
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** What the dialogs say that are open, and where the keyboard is: why a walk waits is mostly written there. */
async function openDialogs(page: WatchedPage['page']): Promise<readonly string[]> {
  try {
    const dialogs = await page.locator('dialog[open]').allInnerTexts();
    const focus = await page.evaluate(() => document.activeElement?.outerHTML.slice(0, 200) ?? 'nothing');
    return [...dialogs.map((words) => `A dialog is open: ${words}`), `The focus is on ${focus}`];
  } catch (error) {
    return [`The page was not read: ${messageOf(error)}`];
  }
}
