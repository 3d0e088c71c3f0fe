import { join } from 'node:path';
import { notebookProgram, placeNotebook } from '../../harness/notebooks.ts';
import type { Tally } from '../stage/tally.ts';
import { run } from './programs.ts';

const NAME = 'reading-cohorts.ipynb';

/** The notebook as a script, in a folder with its snapshot: it prints what it shows. */
export async function checkNotebook(python: string, folder: string, { holds }: Tally): Promise<void> {
  const place = join(folder, 'notebook');
  const script = placeNotebook(NAME, place);
  const done = await run(python, [script], { environment: { HOME: folder }, folder: place });
  const { shown } = notebookProgram(NAME);
  const isShown = done.status === 0 && done.stdout === shown && shown !== '';
  holds(`docs/notebooks/${NAME} prints what it shows`, isShown, [shown, done]);
}
