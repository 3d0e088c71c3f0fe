import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';

const read = (file: string) => readFileSync(join(import.meta.dirname, '../..', file), 'utf8');

interface LockedPackage {
  readonly license?: string;
  readonly dev?: boolean;
  readonly link?: boolean;
}

const packages: Readonly<Record<string, LockedPackage>> = JSON.parse(read('package-lock.json')).packages;
const text = read('LICENSING.md');

test('every package that runs in the service has a licence that LICENSING.md names, or is named itself', () => {
  const [, named = ''] = /are under permissive licences: ([\s\S]*?)\. PostgreSQL/.exec(text) ?? [];
  const licences = named.split(/,\s+|\s+and\s+/);
  expect(licences).toContain('Apache-2.0');
  const served = Object.entries(packages).filter(
    ([path, { dev, link }]) => path.startsWith('node_modules/') && !dev && !link,
  );
  expect(served.length).toBeGreaterThan(100);
  const others = served.filter(([path, { license = '' }]) => {
    const name = path.split('node_modules/').at(-1) ?? '';
    return !license.split(/[()]|\s+OR\s+/).some((each) => licences.includes(each)) && !text.includes(`\`${name}\``);
  });
  expect(others).toEqual([]);
});

test('as long as no licence is chosen, package.json and LICENSING.md say so', () => {
  expect(JSON.parse(read('package.json')).license).toBe('UNLICENSED');
  expect(text).toContain('has not chosen a licence yet');
});

test('the table of LICENSING.md counts the packages of all lock files by their licence', () => {
  const lists = [
    Object.entries(packages).filter(([, { dev }]) => !dev),
    Object.entries(packages).filter(([, { dev }]) => dev),
    ...['prices', 'runtime'].map((folder) => {
      const lock: { readonly packages: typeof packages } = JSON.parse(read(`scripts/${folder}/package-lock.json`));
      return Object.entries(lock.packages);
    }),
  ].map(licencesOf);
  const names = [...new Set(lists.flat())].sort();
  const rows = names.map((name) => [name, ...lists.map((list) => list.filter((each) => each === name).length)]);
  const [, table = ''] = /^\|---\|---\|---\|---\|---\|\n((?:\|.*\n)+)/m.exec(text) ?? [];
  expect(table.trim().split('\n')).toEqual(rows.map((cells) => `| ${cells.join(' | ')} |`));
});

/** One for each package that is installed, without its brackets. */
function licencesOf(entries: readonly (readonly [string, LockedPackage])[]): readonly string[] {
  return entries
    .filter(([path, { link }]) => path.startsWith('node_modules/') && !link)
    .map(([, { license = 'none' }]) => license.replaceAll(/^\(|\)$/g, ''));
}
