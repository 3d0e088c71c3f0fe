import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { expect, test } from '@jest/globals';

const CAMPAIGNS = import.meta.dirname;
const TESTS = join(CAMPAIGNS, '..');
const files = readdirSync(CAMPAIGNS, { recursive: true, encoding: 'utf8' }).filter(
  (file) => file.endsWith('.ts') && !file.includes('node_modules'),
);

/** The campaign of a path in the campaigns' folder: `bench` for `bench.ts` and `bench/stage.ts`. */
function campaignOf(path: string): string {
  return path.split('/')[0]?.replace(/\.ts$/, '') ?? '';
}

/** Paths of imported files, from the folder of the tests: `campaigns/stage/tally.ts`, `../domain/time.ts`. */
function importsOf(file: string): readonly string[] {
  const from = join(CAMPAIGNS, dirname(file));
  const text = readFileSync(join(CAMPAIGNS, file), 'utf8');
  return [...text.matchAll(/from '(\.[^']+)'/g)].map(([, path = '']) => relative(TESTS, resolve(from, path)));
}

function isAllowed(file: string, path: string): boolean {
  if (path.startsWith('../') || path.startsWith('harness/')) return true;
  return ['stage', campaignOf(file)].some((folder) => path.startsWith(`campaigns/${folder}/`));
}

test('a campaign imports its own folder, the stage, the harness and the sources', () => {
  expect(files.length).toBeGreaterThan(100);
  const others = files.flatMap((file) =>
    importsOf(file)
      .filter((path) => !isAllowed(file, path))
      .map((path) => `${file} imports ${path}`),
  );
  expect(others).toEqual([]);
});

test('an import of the folder of another campaign is found', () => {
  expect(isAllowed('races.ts', 'campaigns/bench/stage.ts')).toBe(false);
  expect(isAllowed('races/plan.ts', 'contracts/decisions/adapters.ts')).toBe(false);
});
