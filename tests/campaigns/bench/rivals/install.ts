import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { cpSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/**
 * Installs a rival at the exact version of its package.json into a folder under the folder for temporary files, once; adds
 * nothing to this repository. Packages below it are the newest that it accepts on the day of the installation. Runs no
 * install script of any package, since many of them download; the packages in `stand-ins` replace those that need theirs.
 *
 * @returns the folder
 * @throws Error with npm's output
 */
export function install(name: string): string {
  const source = join(import.meta.dirname, name);
  const hash = createHash('sha256')
    .update(readFileSync(join(source, 'package.json')))
    .digest('hex');
  const folder = join(tmpdir(), 'stancebook-bench-rivals', `${name}-${hash.slice(0, 12)}`);
  mkdirSync(folder, { recursive: true });
  cpSync(source, folder, { recursive: true });
  const done = join(folder, 'node_modules', '.installed');
  if (existsSync(done)) return folder;
  console.log(`Installing ${name}...`);
  const args = ['install', '--ignore-scripts', '--no-audit', '--no-fund', '--no-package-lock'];
  const { status, stderr } = spawnSync('npm', args, { cwd: folder, encoding: 'utf8' });
  if (status !== 0) throw new Error(`${name} could not be installed:\n${stderr.slice(-2_000)}`);
  const standIns = join(folder, 'stand-ins');
  if (existsSync(standIns)) cpSync(standIns, join(folder, 'node_modules'), { recursive: true });
  writeFileSync(done, '');
  return folder;
}

export function versionIn(folder: string, name: string): string {
  return JSON.parse(readFileSync(join(folder, 'node_modules', name, 'package.json'), 'utf8')).version;
}
