import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { exampleOf, HOSTS } from '../campaigns/hosts/rows.ts';

const read = (path: string) => readFileSync(join(import.meta.dirname, '../../docs', path), 'utf8');
const hosts = read('hosts.md');

test.each(HOSTS.map((host) => [host.name, host] as const))(
  '%s has its row, its words and its example',
  (name, host) => {
    const row = hosts.split('\n').find((line) => line.startsWith(`| ${name} |`));
    expect(row).toContain(`| \`${host.packages[0]}\` |`);
    expect(row).toContain(`| \`${host.refused}\` |`);
    if (host.configuration === undefined) expect(() => exampleOf(hosts, name)).toThrow('no example');
    else expect(exampleOf(hosts, name)).toContain('STANCEBOOK_API_KEY');
  },
);

test('no other host has a row of a version', () => {
  const rows = hosts.match(/^\| [^|]+ \| `[^`|]+@\d[^`|]*` \|/gm) ?? [];
  expect(rows).toHaveLength(HOSTS.length);
});
