import { copyFileSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const FOLDER = join(import.meta.dirname, '../../docs/notebooks');

interface NotebookCell {
  readonly cell_type: 'markdown' | 'code';
  readonly source: readonly string[];
  readonly outputs?: readonly { readonly text: readonly string[] }[];
}

/** A notebook as a program: its cells with code, one after the other, and what they print as it is stored. */
export interface NotebookProgram {
  readonly program: string;
  readonly shown: string;
}

/** Nbformat 4: cells with lines of source, and outputs of the kind `stream`. */
export function notebookProgram(name: string): NotebookProgram {
  const { cells } = JSON.parse(readFileSync(join(FOLDER, name), 'utf8')) as { readonly cells: readonly NotebookCell[] };
  const code = cells.filter(({ cell_type }) => cell_type === 'code');
  return {
    program: code.map(({ source }) => `${source.join('')}\n`).join('\n'),
    shown: code.flatMap(({ outputs = [] }) => outputs.flatMap((output) => output.text)).join(''),
  };
}

/** Puts the notebook as a script, and the files next to it, into a folder; returns the name of the script. */
export function placeNotebook(name: string, folder: string): string {
  mkdirSync(folder, { recursive: true });
  for (const file of readdirSync(FOLDER))
    if (!file.endsWith('.ipynb')) copyFileSync(join(FOLDER, file), join(folder, file));
  writeFileSync(join(folder, 'notebook.py'), notebookProgram(name).program);
  return 'notebook.py';
}
