import type { Page } from 'playwright-core';
import { checkAccessible } from '../../accessibility.ts';
import { type Ground, onPage } from '../../walk.ts';
import { asDesigner, imported, read } from './designer.ts';

const SMALL =
  'schema_version: v1\nkind: stancebook.workflow\nname: Two pages\nnodes:\n  - { id: idea, node_id: input.idea }\n';

interface Stored {
  readonly version: number;
  readonly name: string;
  readonly description: string;
  readonly nodes: readonly { readonly id: string }[];
}

/** Two pages edit one draft: the second one to save is shown what changed, saves its own again, or takes the other. */
export function conflictWalk(ground: Ground): Promise<void> {
  const { tally, picture } = ground;
  return onPage(
    ground,
    'workflow conflict',
    {},
    async ({ page: mine }) => {
      await asDesigner(ground, mine, '/#/workflows');
      const id = await imported(mine, SMALL);
      const theirs = await mine.context().newPage();
      const stored = () => read<Stored>(mine, `/api/v1/owner/workflows/${id}`);
      for (const page of [mine, theirs]) {
        await page.goto(`/#/workflows/${id}`);
        await page.waitForSelector('.graph[data-drawn]');
      }
      await write(theirs, 'Description', 'Written in the other page.');
      await save(theirs, 2);
      await addStep(mine);
      await mine.getByRole('button', { name: 'Save', exact: true }).click();
      const dialog = mine.locator('dialog');
      await dialog.getByText('Version 2 was saved meanwhile').waitFor();
      const words = await dialog.innerText();
      tally.holds(
        'workflow conflict: what changed there is shown',
        words.includes('Written in the other page.'),
        words,
      );
      tally.holds('workflow conflict: and what was changed here', words.includes('submit decision.submit'), words);
      await checkAccessible(tally, mine, 'workflow conflict: accessible');
      await picture(mine, 'workflow-conflict');
      await dialog.getByRole('button', { name: 'Go on editing' }).click();
      tally.holds(
        'workflow conflict: nothing is stored before a choice',
        (await stored()).version === 2,
        await stored(),
      );
      await mine.getByRole('button', { name: 'Save', exact: true }).click();
      await dialog.getByRole('button', { name: 'Save mine again' }).click();
      await mine.waitForSelector('.state-line:has-text("Version 3, saved.")');
      const both = await stored();
      tally.holds(
        'workflow conflict: saving again keeps what only the other page changed',
        both.description === 'Written in the other page.' && both.nodes.length === 2,
        both,
      );
      await takeTheirs(ground, mine, theirs, stored);
    },
    { refusal: 'Failed to load resource' },
  );
}

async function takeTheirs({ tally }: Ground, mine: Page, theirs: Page, stored: () => Promise<Stored>): Promise<void> {
  await write(mine, 'Name', 'Mine');
  await save(mine, 4);
  await write(theirs, 'Name', 'Theirs');
  await theirs.getByRole('button', { name: 'Save', exact: true }).click();
  await theirs.getByRole('button', { name: 'Take theirs, drop mine' }).click();
  await theirs.waitForSelector('.state-line:has-text("Version 4, saved.")');
  const heading = await theirs.locator('.console-view h1').innerText();
  tally.holds('workflow conflict: taking the other one drops the own change', heading === 'Mine', heading);
  tally.holds('workflow conflict: and stores nothing', (await stored()).version === 4, await stored());
}

async function write(page: Page, label: string, text: string): Promise<void> {
  if (!(await page.getByLabel(label, { exact: true }).isVisible())) {
    await page.getByText('Name, description, tags, visibility').click();
  }
  await page.getByLabel(label, { exact: true }).fill(text);
  await page.getByLabel(label, { exact: true }).blur();
}

async function save(page: Page, version: number): Promise<void> {
  await page.getByRole('button', { name: 'Save', exact: true }).click();
  await page.waitForSelector(`.state-line:has-text("Version ${version}, saved.")`);
}

async function addStep(page: Page): Promise<void> {
  await page.getByRole('button', { name: 'Add a step' }).click();
  await page.getByRole('button', { name: 'Add Submit the decision' }).click();
}
