import { spawnSync } from 'node:child_process';
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  realpathSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';

const PLATFORM = `node-${process.platform}-${process.arch}`;
let project: string;

/** A project without packages, whose pinned Node.js is installed and linked. */
beforeAll(() => {
  project = realpathSync(mkdtempSync(join(tmpdir(), 'stancebook-prepare-')));
  mkdirSync(join(project, 'node_modules/.bin'), { recursive: true });
  mkdirSync(join(project, 'scripts/runtime/node_modules', PLATFORM, 'bin'), { recursive: true });
  copyFileSync(join(import.meta.dirname, '../../scripts/prepare.mjs'), join(project, 'scripts/prepare.mjs'));
  for (const folder of [project, join(project, 'scripts/runtime')]) writeLock(folder, '1.0.0');
  writeFileSync(join(project, 'scripts/runtime/node_modules/.package-lock.json'), '{}');
  copyFileSync(process.execPath, join(project, pinned()));
  symlinkSync(join('../..', pinned()), link());
});
afterAll(() => rmSync(project, { recursive: true }));

test('the link to the pinned Node.js is there after an installation that the pinned Node.js runs', () => {
  writeFileSync(join(project, 'node_modules/.package-lock.json'), '{}');
  expect(prepare()).toBe('');
  writeLock(project, '1.0.1');
  expect(prepare()).toMatch(/^Installing the packages of Stancebook/);
  expect(existsSync(link())).toBe(true);
});

/** @returns what it printed */
function prepare(): string {
  const { status, stderr } = spawnSync(link(), ['scripts/prepare.mjs'], { cwd: project, encoding: 'utf8' });
  expect({ status, stderr }).toMatchObject({ status: 0 });
  return stderr;
}

function writeLock(folder: string, version: string): void {
  const root = { name: 'example', version };
  const lock = { ...root, lockfileVersion: 3, requires: true, packages: { '': root } };
  writeFileSync(join(folder, 'package.json'), JSON.stringify(root));
  writeFileSync(join(folder, 'package-lock.json'), JSON.stringify(lock));
}

function link(): string {
  return join(project, 'node_modules/.bin/node');
}

function pinned(): string {
  return join('scripts/runtime/node_modules', PLATFORM, 'bin/node');
}
