import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { checkAccessible } from '../../accessibility.ts';
import { collisionsOf } from '../../drawings.ts';
import { type Ground, onPage } from '../../walk.ts';
import { asDesigner, read, shownId } from './designer.ts';

const EXAMPLE = readFileSync(join(import.meta.dirname, '../../../../../docs/examples/momentum-plan.yaml'), 'utf8');

/** A broken file is refused at its lines, the mended one is imported and drawn, and both exports are downloads. */
export function filesWalk(ground: Ground): Promise<void> {
  const { tally, picture } = ground;
  return onPage(
    ground,
    'workflow files',
    { viewport: { width: 1280, height: 1000 } },
    async ({ page }) => {
      await asDesigner(ground, page, '/#/workflows/import');
      const broken = EXAMPLE.replace('node_id: data.bars', 'node_id: data.bras');
      const line = broken.split('\n').findIndex((each) => each.includes('data.bras')) + 1;
      await page.setInputFiles('#yaml-file', { name: 'plan.yaml', mimeType: 'text/yaml', buffer: Buffer.from(broken) });
      await page.waitForFunction(() => document.querySelector('textarea')?.value.includes('data.bras'));
      await page.getByRole('button', { name: 'Import', exact: true }).click();
      await page.waitForSelector('.faults li');
      const words = await page.locator('.faults li').innerText();
      tally.holds('workflow files: a fault names its line', words.includes(`Line ${line}, column`), words);
      tally.holds('workflow files: and what was meant', words.includes('did you mean data.bars'), words);
      const marked = await page.locator('.faults .at').innerText();
      tally.holds('workflow files: the line is shown', marked.includes('data.bras'), marked);
      await checkAccessible(tally, page, 'workflow files: accessible with faults');
      await picture(page, 'workflow-import-fault');
      await page.getByRole('button', { name: `Line ${line}` }).click();
      await page.keyboard.type('    node_id: data.bars');
      await page.getByRole('button', { name: 'Import', exact: true }).click();
      await page.waitForSelector('.graph[data-drawn="12 steps, 22 connections"]');
      const touching = await collisionsOf(page, '.graph svg');
      tally.holds('workflow files: no two labels of the drawing touch', touching.length === 0, touching);
      await picture(page, 'workflow-editor');
      const { name } = await read<{ readonly name: string }>(page, `/api/v1/owner/workflows/${shownId(page)}`);
      tally.holds('workflow files: the mended file is stored', name === 'Momentum trade plan', name);
      const [download] = await Promise.all([
        page.waitForEvent('download'),
        page.getByRole('link', { name: 'Export as YAML' }).click(),
      ]);
      const exported = readFileSync((await download.path()) ?? '', 'utf8');
      tally.holds('workflow files: the export is the workflow', exported.includes('node_id: data.bars'), exported);
    },
    { refusal: 'Failed to load resource' },
  );
}
