import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { cpSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/**
 * Installs a rival at the versions of its lock file into a folder of its own under the folder for temporary files, once; the
 * folder. Nothing is added to this repository. No install script of any package runs, since many of them download; packages
 * that are no use without theirs are replaced by what lies in `stand-ins`.
 *
 * @throws Error with what npm said
 */
export function install(name: string): string {
  const source = join(import.meta.dirname, name);
  const lock = createHash('sha256')
    .update(readFileSync(join(source, 'package-lock.json')))
    .digest('hex');
  const folder = join(tmpdir(), 'stancebook-bench-rivals', `${name}-${lock.slice(0, 12)}`);
  mkdirSync(folder, { recursive: true });
  cpSync(source, folder, { recursive: true });
  const done = join(folder, 'node_modules', '.installed');
  if (existsSync(done)) return folder;
  console.log(`Installing ${name}...`);
  const args = ['ci', '--ignore-scripts', '--no-audit', '--no-fund'];
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
