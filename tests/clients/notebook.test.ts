import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, expect, test } from '@jest/globals';
import { notebookProgram, placeNotebook } from '../harness/notebooks.ts';
import { PYTHON } from '../harness/python.ts';
import { makeThrowawayFolder, removeThrowawayFolder } from '../harness/throwaway-folder.ts';

const NAME = 'reading-cohorts.ipynb';
const folder = makeThrowawayFolder('notebook');
afterAll(() => removeThrowawayFolder(folder));

const env: NodeJS.ProcessEnv = { PATH: process.env.PATH, PYTHONDONTWRITEBYTECODE: '1', HOME: folder };
const run = () => spawnSync(PYTHON, [placeNotebook(NAME, folder)], { cwd: folder, env, encoding: 'utf8' });

test('the notebook prints what it shows, with the standard library', () => {
  const { status, stdout, stderr } = run();
  expect([status, stderr]).toEqual([0, '']);
  expect(stdout).toBe(notebookProgram(NAME).shown);
  expect(stdout).toContain('forecast  70%');
});

test('it draws the diagram as a picture exactly where Python has matplotlib', () => {
  const hasMatplotlib = spawnSync(PYTHON, ['-c', 'import matplotlib'], { env }).status === 0;
  const picture = join(folder, 'reliability.png');
  expect(existsSync(picture) && readFileSync(picture).subarray(1, 4).toString() === 'PNG').toBe(hasMatplotlib);
});

test('it reads another snapshot', () => {
  env.SNAPSHOT = 'none.jsonl';
  expect(run().stderr).toContain('none.jsonl');
});
