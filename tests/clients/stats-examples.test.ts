import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { runPython } from './python/run-python.ts';

const ROOT = join(import.meta.dirname, '../..');

/** The block of a page that has a text, and the plain one after it. */
function example(page: string, language: string, having: string) {
  const text = readFileSync(join(ROOT, 'docs', page), 'utf8');
  const blocks = [...text.matchAll(/^```(\w*)\n([\s\S]*?)^```$/gm)];
  const at = blocks.findIndex(([, language_, code]) => language_ === language && code?.includes(having));
  return { code: blocks[at]?.[2] ?? '', after: blocks[at + 1]?.[2] ?? '' };
}

const PYTHON = example('cohorts.md', 'python', 'permutation_test(');
const TYPESCRIPT = join(ROOT, 'clients/examples/cohort-statistics.ts');

test('the example in Python prints what the page shows', async () => {
  expect(await runPython(['-c', PYTHON.code])).toEqual({ status: 0, stdout: PYTHON.after, stderr: '' });
  expect(PYTHON.after).toContain('found: ');
});

test('the example in TypeScript prints the same', () => {
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    [...['ExperimentalWarning', 'MODULE_TYPELESS_PACKAGE_JSON'].map((kind) => `--disable-warning=${kind}`), TYPESCRIPT],
    { encoding: 'utf8' },
  );
  expect({ status, stdout, stderr }).toEqual({ status: 0, stdout: PYTHON.after, stderr: '' });
});
