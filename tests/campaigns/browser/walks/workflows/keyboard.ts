import type { Page } from 'playwright-core';
import { type Ground, onPage } from '../../walk.ts';
import { asDesigner, read, shownId } from './designer.ts';

const MOST_STOPS = 160;

interface Stored {
  readonly published_hash: string | null;
  readonly nodes: readonly { readonly id: string; readonly config: object }[];
  readonly edges: readonly { readonly from: string; readonly to: string }[];
}

/** The same without a pointer: each control is reached with Tab and used with keys. */
export function keyboardWorkflowWalk(ground: Ground): Promise<void> {
  const { tally } = ground;
  const options = { reducedMotion: 'reduce', permissions: ['clipboard-read', 'clipboard-write'] } as const;
  return onPage(
    ground,
    'workflow by keyboard',
    { ...options, permissions: [...options.permissions] },
    async ({ page }) => {
      await asDesigner(ground, page, '/#/workflows');
      await press(page, 'a:text-is("New workflow")', 'Enter');
      await type(page, 'input[name="name"]', 'Drawn by keyboard');
      await page.keyboard.press('Enter');
      await page.waitForSelector('.graph[data-drawn]');
      await build(page);
      await page.keyboard.press('Control+s');
      await page.waitForSelector('.state-line:has-text("Version 2, saved.")');
      await press(page, '.editor-bar button:text-is("Publish\u2026")', 'Enter');
      await press(page, 'dialog button:text-is("Publish")', 'Enter');
      await press(page, 'dialog button:text-is("Copy the reference")', 'Enter');
      await page.waitForSelector('#announcements:has-text("Copied.")');
      const copied = await page.evaluate(() => navigator.clipboard.readText());
      const stored = await read<Stored>(page, `/api/v1/owner/workflows/${shownId(page)}`);
      tally.holds(
        'workflow by keyboard: published, its reference copied',
        copied === `wf:${stored.published_hash}`,
        copied,
      );
      tally.holds(
        'workflow by keyboard: the settings are stored',
        JSON.stringify(stored.nodes) ===
          JSON.stringify([
            { id: 'notion', node_id: 'input.idea', config: { origin: 'The morning meeting', direction: 'bullish' } },
            { id: 'submit', node_id: 'decision.submit', config: {} },
          ]),
        stored.nodes,
      );
      await page.keyboard.press('Escape');
      await undoAll(ground, page);
    },
  );
}

async function build(page: Page): Promise<void> {
  await press(page, 'button:text-is("Add a step\u2026")', 'Enter');
  await type(page, 'dialog input[type="search"]', 'idea to be');
  await press(page, 'dialog button:text-is("Add")', 'Enter');
  await page.waitForSelector('.step-panel:not([hidden])');
  await type(page, '#step-name', 'notion');
  await type(page, 'input[name="config-origin"]', 'The morning meeting');
  await tabTo(page, 'select[name="config-direction"]');
  await page.keyboard.type('bul');
  await tabTo(page, '#connect-output-thesis');
  await page.keyboard.type('Submit');
  await press(page, 'button[aria-label="Connect thesis"]', 'Enter');
  await page.waitForSelector('.graph[data-drawn="2 steps, 1 connections"]');
  await tabTo(page, '#connect-output-instrument');
  await press(page, 'button[aria-label="Connect instrument"]', 'Enter');
  await page.waitForSelector('.graph[data-drawn="2 steps, 2 connections"]');
  await press(page, 'summary:text-is("Name, description, tags, visibility")', 'Enter');
  await type(page, 'textarea[name="description"]', 'Puts an idea on record.');
}

/** Removing a step of a stored draft, and taking that back. */
async function undoAll({ tally }: Ground, page: Page): Promise<void> {
  await press(page, '#step-remove', 'Enter');
  await page.waitForSelector('.graph[data-drawn="1 steps, 0 connections"]');
  const focused = await page.evaluate(() => document.activeElement?.closest('.workflow-side') !== null);
  tally.holds('workflow by keyboard: the focus goes to the list when a step is removed', focused);
  await page.keyboard.press('Control+z');
  await page.waitForSelector('.graph[data-drawn="2 steps, 2 connections"]');
  await page.waitForSelector('.state-line:has-text(", saved.")');
}

async function press(page: Page, selector: string, key: string): Promise<void> {
  await tabTo(page, selector);
  await page.keyboard.press(key);
}

/** Replaces the text of a field. */
async function type(page: Page, selector: string, text: string): Promise<void> {
  await tabTo(page, selector);
  await page.keyboard.press('Control+a');
  await page.keyboard.type(text);
}

/** @throws Error when Tab does not lead there */
async function tabTo(page: Page, selector: string): Promise<void> {
  const target = page.locator(selector).first();
  await target.waitFor();
  for (let stops = 0; stops < MOST_STOPS; stops += 1) {
    if (await target.evaluate((element) => element === document.activeElement)) return;
    await page.keyboard.press('Tab');
  }
  throw new Error(`Tab does not lead to ${selector}.`);
}
