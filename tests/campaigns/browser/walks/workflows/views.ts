import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { BrowserContextOptions, Page } from 'playwright-core';
import { checkAccessible } from '../../accessibility.ts';
import { type Ground, onPage } from '../../walk.ts';
import { asDesigner, imported, read } from './designer.ts';

const FOLDER = join(import.meta.dirname, '../../../../../docs/examples');
const EXAMPLE = readFileSync(join(FOLDER, 'crypto-swing.yaml'), 'utf8');

/** Faulty in every way that a draft can be: at its steps, its ports, its settings, as a whole. */
const FAULTY = `schema_version: v1
kind: stancebook.workflow
name: A draft with faults
nodes:
  - { id: idea, node_id: input.idea, config: { horizon_value: 0 } }
  - { id: prices, node_id: data.bars, config: { interval: 2d } }
  - { id: chart, node_id: analysis.technical }
  - { id: conditions, node_id: logic.gate, config: { conditions: [{ condition: Volatility is low. }] } }
edges:
  - { from: idea.instrument, to: prices.instrument }
  - { from: idea.thesis, to: conditions.thesis }
  - { from: prices.volume, to: chart.bars }
`;

const DEVICES: Readonly<Record<string, BrowserContextOptions>> = {
  desktop: {},
  dark: { colorScheme: 'dark' },
  phone: { viewport: { width: 390, height: 844 }, isMobile: true, hasTouch: true },
};

interface Made {
  readonly ready: string;
  readonly faulty: string;
  readonly hash: string;
}

/** Every view of workflows on every device: accessible, nothing beyond the side of the window, large enough to touch. */
export async function workflowViewsWalk(ground: Ground): Promise<void> {
  let made: Promise<Made> | undefined;
  for (const [device, options] of Object.entries(DEVICES)) {
    await onPage(ground, `workflow views, ${device}`, options, async ({ page }) => {
      await asDesigner(ground, page, '/#/workflows/new');
      made ??= make(page);
      const { ready, faulty, hash } = await made;
      const at = (name: string, path: string, until: string) => look(ground, page, { device, name, path, until });
      await at('list', '/#/workflows', '.console-view table');
      await at('new', '/#/workflows/new', '.console-view form');
      await at('import', '/#/workflows/import', '.console-view form');
      await at('marketplace', '/#/marketplace', '.console-view table');
      await at('snapshot', `/#/snapshots/${hash}`, '.graph[data-drawn]');
      await at('versions', `/#/workflows/${ready}/versions`, '.comparison-result .differences');
      await at('editor', `/#/workflows/${faulty}`, '.graph[data-drawn]');
      await checkFaults(ground, page, device);
      await page.locator('#step-3').click();
      await at('step', '', '.step-panel:not([hidden])');
      await page.getByRole('button', { name: 'Add a step' }).click();
      await at('library', '', 'dialog .library');
      await page.keyboard.press('Escape');
      await page.getByRole('button', { name: 'Delete' }).click();
      await at('delete', '', 'dialog .danger');
    });
  }
}

/** A published workflow whose draft has changed since, and a draft with faults. */
async function make(page: Page): Promise<Made> {
  const [ready, faulty] = [await imported(page, EXAMPLE), await imported(page, FAULTY)];
  const { hash } = await page.evaluate(async (id) => {
    const path = `/api/v1/owner/workflows/${id}`;
    const published = await (await fetch(`${path}/snapshots`, { method: 'POST' })).json();
    const { version, nodes, edges } = await (await fetch(path)).json();
    const [first, second, ...others] = nodes;
    const changed = [{ ...second, config: { ...second.config, bars: 300 } }, ...others];
    const left = edges.filter(({ from }: { from: string }) => !from.startsWith(`${first.id}.`));
    const body = { expected_version: version, name: 'A changed draft', nodes: changed, edges: left };
    await fetch(path, { method: 'PUT', headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) });
    return published;
  }, ready);
  return { ready, faulty, hash };
}

interface Look {
  readonly device: string;
  readonly name: string;
  readonly path: string;
  readonly until: string;
}

async function look({ tally, picture }: Ground, page: Page, { device, name, path, until }: Look): Promise<void> {
  if (path !== '') await page.goto(path);
  await page.waitForSelector(until);
  await page.waitForTimeout(300);
  await checkAccessible(tally, page, `workflow ${name}, ${device}: accessible`);
  // A phone's window grows with what is too wide, so its own width does not tell.
  const width = await page.evaluate(() => document.documentElement.scrollWidth);
  tally.holds(
    `workflow ${name}, ${device}: it does not scroll sideways`,
    width <= (page.viewportSize()?.width ?? 0),
    width,
  );
  const small = await page.evaluate(smallTargets);
  tally.holds(
    `workflow ${name}, ${device}: controls are large enough`,
    device !== 'phone' || small.length === 0,
    small,
  );
  await picture(page, `workflow-${name}-${device}`);
}

/** Runs in the page. */
function smallTargets(): string[] {
  const targets = [...document.querySelectorAll('button, input, select')].filter((each) => each.checkVisibility());
  return targets.filter((each) => each.getBoundingClientRect().height < 39.5).map((each) => each.outerHTML);
}

interface Stored {
  readonly readiness: { readonly failures: readonly { readonly node: string | null; readonly message: string }[] };
}

/** Every fault that the service names is shown, those of a step at the step. */
async function checkFaults({ tally }: Ground, page: Page, device: string): Promise<void> {
  const [, id = ''] = /#\/workflows\/([0-9a-f-]+)/.exec(page.url()) ?? [];
  const { readiness } = await read<Stored>(page, `/api/v1/owner/workflows/${id}`);
  if (!(await page.locator('#missing').evaluate((each) => each.hasAttribute('open'))))
    await page.click('#missing-summary');
  const words = await page.locator('.readiness').innerText();
  const missing = readiness.failures.filter(({ message }) => !words.includes(message));
  tally.holds(`workflow editor, ${device}: every fault is shown`, missing.length === 0, missing);
  await page.locator('#step-1').click();
  const own = readiness.failures.filter(({ node }) => node === 'prices');
  const shown = await page.locator('.step-panel .faults').innerText();
  const unshown = own.filter(({ message }) => !shown.includes(message));
  tally.holds(`workflow editor, ${device}: a step shows its faults`, own.length > 1 && unshown.length === 0, unshown);
}
