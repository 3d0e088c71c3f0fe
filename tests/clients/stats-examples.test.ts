import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, expect, test } from '@jest/globals';
import { makeThrowawayFolder, removeThrowawayFolder } from '../harness/throwaway-folder.ts';
import { runPython } from './python/run-python.ts';

const ROOT = join(import.meta.dirname, '../..');

const folder = makeThrowawayFolder('stats-examples');
afterAll(() => removeThrowawayFolder(folder));

/** The block of a page that has a text, and the plain one after it. */
function example(page: string, language: string, having: string) {
  const text = readFileSync(join(ROOT, 'docs', page), 'utf8');
  const blocks = [...text.matchAll(/^```(\w*)\n([\s\S]*?)^```$/gm)];
  const at = blocks.findIndex(([, language_, code]) => language_ === language && code?.includes(having));
  return { code: blocks[at]?.[2] ?? '', after: blocks[at + 1]?.[2] ?? '' };
}

const PYTHON = example('cohorts.md', 'python', 'permutation_test(');
const TYPESCRIPT = example('clients.md', 'ts', 'permutationTest(');

test('the example in Python prints what the page shows', async () => {
  expect(await runPython(['-c', PYTHON.code])).toEqual({ status: 0, stdout: PYTHON.after, stderr: '' });
  expect(PYTHON.after).toContain('found: ');
});

test('the example in TypeScript prints the same', () => {
  const program = join(folder, 'example.ts');
  writeFileSync(
    program,
    TYPESCRIPT.code.replace("'stancebook-client/stats'", `'${join(ROOT, 'clients/typescript/stats.ts')}'`),
  );
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    ['--disable-warning=ExperimentalWarning', '--disable-warning=MODULE_TYPELESS_PACKAGE_JSON', program],
    { encoding: 'utf8' },
  );
  expect({ status, stdout, stderr }).toEqual({ status: 0, stdout: PYTHON.after, stderr: '' });
});
