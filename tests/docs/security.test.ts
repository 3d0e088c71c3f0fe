import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';

const ROOT = join(import.meta.dirname, '../..');
const [security, asvs] = ['security', 'asvs'].map((page) => readFileSync(join(ROOT, `docs/${page}.md`), 'utf8'));
const text = `${security}${asvs}`;
const rows = `${asvs}`.split('\n').filter((line) => /^\| [A-Z]/.test(line) && !line.startsWith('| Theme'));

test('every test and source that docs/security.md and docs/asvs.md name exists', () => {
  const named = [...text.matchAll(/`((?:tests|adapters|application|domain|infrastructure)\/[^`* ]+)`/g)];
  expect(named.length).toBeGreaterThan(60);
  expect(named.map(([, path = '']) => path).filter((path) => !existsSync(join(ROOT, path)))).toEqual([]);
});

test('no file is named without its folder, where nobody finds it and no test misses it', () => {
  expect([...text.matchAll(/`([\w.-]+\.(?:ts|sql|mjs))`/g)].map(([, name]) => name)).toEqual([]);
});

test('every row of the ASVS names requirements, a state, and a test or why there is none', () => {
  expect(rows.length).toBeGreaterThan(50);
  const form =
    /^\| [^|]+ \| \d+\.\d+\.\d+[\d., to]* \| (holds|in part|not|by configuration)[^|]* \| ([^|]*`[^|]*|by review|none|\[run by hand\][^|]*) \|$/;
  expect(rows.filter((row) => !form.test(row))).toEqual([]);
  const without = rows.filter((row) => /\| none \|$/.test(row) && /\| holds/.test(row));
  expect(without).toEqual([]);
});
