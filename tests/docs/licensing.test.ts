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

test('everything that is distributed names the licence whose text is in LICENSE', () => {
  expect(read('LICENSE')).toBe(read('node_modules/@opentelemetry/api/LICENSE'));
  expect(read('LICENSE')).toMatch(/^\s+Apache License\n\s+Version 2\.0, January 2004\n/);
  const named = ['package.json', 'clients/typescript/package.json', 'scripts/client-types/package.json'].map(
    (file) => JSON.parse(read(file)).license,
  );
  expect(new Set(named)).toEqual(new Set(['Apache-2.0']));
  expect(read('clients/python/pyproject.toml')).toContain('\nlicense = "Apache-2.0"\n');
  expect(read('clients/python/stancebook.py')).toContain('\nSPDX-License-Identifier: Apache-2.0\n');
  expect(read('Dockerfile')).toContain('org.opencontainers.image.licenses="Apache-2.0"');
  expect(text).toContain('(SPDX `Apache-2.0`)');
});

test('NOTICE names every work that the page contains', () => {
  const bundled = ['lightweight-charts', 'uqr'];
  expect(packages['node_modules/lightweight-charts']?.license).toBe('Apache-2.0');
  const notice = read('NOTICE').toLowerCase().replaceAll(/[ .]/g, '-');
  expect(bundled.filter((name) => !notice.includes(name))).toEqual([]);
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
