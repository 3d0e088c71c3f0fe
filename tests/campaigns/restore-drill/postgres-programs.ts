import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';

const ROOT = '/usr/lib/postgresql';

/**
 * The folder of the programs of the newest PostgreSQL that Debian has installed: its server, pg_dump and pg_basebackup,
 * which the embedded server comes without. Installs them where they are missing, which takes root.
 */
export function postgresPrograms(): string {
  if (!found()) install();
  const programs = found();
  if (programs === undefined) throw new Error('PostgreSQL is not there: install the Debian package postgresql.');
  return programs;
}

function found(): string | undefined {
  if (!existsSync(ROOT)) return undefined;
  const newest = readdirSync(ROOT).toSorted((a, b) => Number(b) - Number(a));
  return newest.map((version) => join(ROOT, version, 'bin')).find((bin) => existsSync(join(bin, 'pg_basebackup')));
}

function install(): void {
  if (process.geteuid?.() !== 0) throw new Error('Install the Debian package postgresql first, or run this as root.');
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
  for (const args of [['update'], ['install', '--yes', '--no-install-recommends', 'postgresql']]) {
    const { status, stderr } = spawnSync('apt-get', args, { env, encoding: 'utf8' });
    if (status !== 0) throw new Error(`apt-get ${args[0]} failed: ${stderr}`);
  }
}
