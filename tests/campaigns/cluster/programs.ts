import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** What Debian calls the packages, by a program of each. */
const PACKAGES: Readonly<Record<string, readonly string[]>> = {
  '/usr/bin/patroni': ['patroni', 'python3-etcd', 'postgresql'],
  '/usr/bin/etcd': ['etcd-server'],
  '/usr/sbin/haproxy': ['haproxy'],
  '/usr/sbin/pgbouncer': ['pgbouncer'],
  '/usr/bin/psql': ['postgresql'],
  '/usr/sbin/ip': ['iproute2'],
};

const POLICY = '/usr/sbin/policy-rc.d';

/** Installs those of the programs that are missing. No service of theirs is started on this machine. */
export async function installPrograms(): Promise<void> {
  const missing = Object.entries(PACKAGES).flatMap(([program, names]) => (existsSync(program) ? [] : names));
  if (missing.length === 0) return;
  console.log(`Installing ${missing.join(', ')} ...`);
  const guarded = existsSync(POLICY);
  if (!guarded) writeFileSync(POLICY, '#!/bin/sh\nexit 101\n', { mode: 0o755 });
  try {
    apt('update');
    apt('install', '--yes', '--no-install-recommends', ...new Set(missing));
  } finally {
    if (!guarded) rmSync(POLICY);
  }
}

function apt(...args: readonly string[]): void {
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
  const { status, error, stderr } = spawnSync('apt-get', [...args], { env, encoding: 'utf8' });
  if (status === 0) return;
  throw new Error(`apt-get ${args[0]} failed; install the packages by hand: ${error?.message ?? stderr.trim()}`);
}

/** The folder of PostgreSQL's programs: the newest version that is installed. */
export function postgresPrograms(): string {
  const root = '/usr/lib/postgresql';
  const versions = readdirSync(root).map(Number).filter(Number.isInteger);
  const newest = versions
    .toSorted((a, b) => b - a)
    .find((version) => existsSync(join(root, `${version}`, 'bin', 'postgres')));
  if (newest === undefined) throw new Error('No PostgreSQL server is installed: install the package postgresql.');
  return join(root, String(newest), 'bin');
}
