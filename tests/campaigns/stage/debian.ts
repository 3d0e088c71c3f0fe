import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';

/**
 * The folder of the newest PostgreSQL of Debian that has this program. Installs the package `postgresql` when there is
 * none. The embedded PostgreSQL has the server alone, without pg_dump or pg_basebackup.
 */
export function requirePostgres(program: string): string {
  if (!findPostgres(program)) installPackages('postgresql');
  const folder = findPostgres(program);
  if (!folder) throw new Error(`The Debian package postgresql is installed and has no ${program}.`);
  return folder;
}

const POSTGRES = '/usr/lib/postgresql';

/** The folder of the newest PostgreSQL of Debian that has this program; undefined when there is none. */
export function findPostgres(program: string): string | undefined {
  if (!existsSync(POSTGRES)) return undefined;
  const versions = readdirSync(POSTGRES).toSorted((a, b) => Number(b) - Number(a));
  return versions.map((version) => join(POSTGRES, version, 'bin')).find((bin) => existsSync(join(bin, program)));
}

/** Installs packages of Debian. @throws Error when this user may not, or when apt-get fails */
export function installPackages(...packages: readonly string[]): void {
  const names = packages.join(' ');
  if (process.geteuid?.() !== 0) throw new Error(`Install the Debian packages ${names}, or run this as root.`);
  console.log(`Installing ${names}...`);
  apt('update');
  apt('install', '--yes', '--no-install-recommends', ...packages);
}

function apt(...args: readonly string[]): void {
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
  const { status, error, stderr } = spawnSync('apt-get', [...args], { env, encoding: 'utf8' });
  if (status !== 0) throw new Error(`apt-get ${args.join(' ')} failed: ${error?.message ?? stderr.trim()}`);
}
