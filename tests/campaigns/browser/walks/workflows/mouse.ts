import type { Page } from 'playwright-core';
import { type Ground, onPage } from '../../walk.ts';
import { asDesigner, read, shownId } from './designer.ts';
import { type DrawnPort, placeOf } from './drawn-labels.ts';

interface Stored {
  readonly version: number;
  readonly published_hash: string | null;
  readonly edges: readonly { readonly from: string; readonly to: string }[];
}

const WIDE = { permissions: ['clipboard-read', 'clipboard-write'], viewport: { width: 1280, height: 1100 } };

/** A workflow is drawn from nothing with the mouse, published, and its reference is copied. */
export function mouseWalk(ground: Ground): Promise<void> {
  const { tally } = ground;
  return onPage(ground, 'workflow by mouse', WIDE, async ({ page }) => {
    await asDesigner(ground, page, '/#/workflows/new');
    await page.getByLabel('Name').fill('Drawn by mouse');
    await page.getByRole('button', { name: 'Create the draft' }).click();
    await page.waitForSelector('.graph[data-drawn]');
    await add(page, 'Idea to be tested');
    await add(page, 'Submit the decision');
    await waitDrawn(page, '2 steps, 0 connections');
    await join(ground, page);
    await page.getByRole('button', { name: 'Undo' }).click();
    await waitDrawn(page, '2 steps, 1 connections');
    await page.getByRole('button', { name: 'Redo' }).click();
    await waitDrawn(page, '2 steps, 2 connections');
    const [steps, lines] = [await page.locator('.flow .step').count(), await page.locator('.flow .line').count()];
    tally.holds('workflow by mouse: steps and connections are drawn', steps === 2 && lines === 2, [steps, lines]);
    await publish(ground, page);
  });
}

async function add(page: Page, title: string): Promise<void> {
  await page.getByRole('button', { name: 'Add a step' }).click();
  await page.getByRole('button', { name: `Add ${title}` }).click();
}

function waitDrawn(page: Page, words: string): Promise<unknown> {
  return page.waitForSelector(`.graph[data-drawn="${words}"]`);
}

/** One connection by two clicks, one by a line that is pulled. */
async function join({ tally }: Ground, page: Page): Promise<void> {
  await page.locator('.graph').scrollIntoViewIfNeeded();
  await clickPort(page, [0, 'output', 'instrument']);
  const words = await page.locator('p.connecting').innerText();
  tally.holds('workflow by mouse: only ports of the type are offered', words.includes('1 of type instrument'), words);
  await clickPort(page, [1, 'input', 'thesis']);
  await page.waitForSelector('p.connecting:has-text("submit.thesis")');
  const isNone = (await page.locator('.graph').getAttribute('data-drawn')) === '2 steps, 0 connections';
  tally.holds('workflow by mouse: a port of another type is not connected', isNone);
  await page.keyboard.press('Escape');
  await clickPort(page, [0, 'output', 'instrument']);
  await clickPort(page, [1, 'input', 'instrument']);
  await waitDrawn(page, '2 steps, 1 connections');
  const [from, to] = [await placeOf(page, [0, 'output', 'thesis']), await placeOf(page, [1, 'input', 'thesis'])];
  await page.mouse.move(from.x, from.y);
  await page.mouse.down();
  await page.mouse.move((from.x + to.x) / 2, (from.y + to.y) / 2, { steps: 5 });
  await page.mouse.move(to.x, to.y, { steps: 5 });
  await page.mouse.up();
  await waitDrawn(page, '2 steps, 2 connections');
}

async function clickPort(page: Page, port: DrawnPort): Promise<void> {
  const { x, y } = await placeOf(page, port);
  await page.mouse.click(x, y);
}

async function publish({ tally, picture }: Ground, page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Publish' }).click();
  await page.waitForSelector('dialog:has-text("cannot be published yet")');
  const missing = await page.locator('dialog').innerText();
  tally.holds('workflow by mouse: publishing says what is missing', missing.includes('Describe what'), missing);
  await picture(page, 'workflow-missing');
  await page.getByRole('button', { name: 'Close' }).last().click();
  await page.getByText('Name, description, tags, visibility').click();
  await page.getByLabel('Description').fill('Puts an idea on record.');
  await page.getByRole('button', { name: 'Publish' }).click();
  await page.locator('dialog').getByRole('button', { name: 'Publish' }).click();
  await page.getByRole('button', { name: 'Copy the reference' }).click();
  await page.waitForSelector('#announcements:has-text("Copied.")');
  const copied = await page.evaluate(() => navigator.clipboard.readText());
  const stored = await read<Stored>(page, `/api/v1/owner/workflows/${shownId(page)}`);
  tally.holds('workflow by mouse: the reference is copied', copied === `wf:${stored.published_hash}`, copied);
  const edges = stored.edges.map(({ from, to }) => `${from} ${to}`);
  tally.holds(
    'workflow by mouse: the connections are stored',
    edges.join() === 'idea.instrument submit.instrument,idea.thesis submit.thesis',
    edges,
  );
}
