import { spawnSync } from 'node:child_process';
import {
  closeSync,
  existsSync,
  fsyncSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { giveToFolder } from '../../adapters/files/folder-owner.ts';
import { StartRefused } from '../start-refused.ts';
import type { Binaries } from './binaries.ts';
import { bootstrapSql, type Passwords, SUPERUSER } from './roles.ts';
import type { ServerHome } from './server-home.ts';
import { QUICK_PASSWORDS } from './settings.ts';

export interface NewCluster {
  readonly home: ServerHome;
  readonly binaries: Binaries;
  readonly passwords: Passwords;
  readonly durable: boolean;
}

/**
 * The data folder of the cluster, made on first use. It is made in a temporary folder and renamed, so `data` is
 * complete even after an interrupted start.
 */
export function openCluster(cluster: NewCluster): string {
  const { home, binaries } = cluster;
  const data = join(home.folder, 'data');
  removeRemains(home.folder);
  if (existsSync(data)) requireVersion(data, binaries.major);
  else makeCluster(data, cluster);
  return data;
}

/** An initdb whose parent was killed may still write into its folder for a moment, hence the retries. */
function removeRemains(folder: string): void {
  for (const name of readdirSync(folder)) {
    if (name.startsWith('data-staging-')) rmSync(join(folder, name), { recursive: true, force: true, maxRetries: 10 });
  }
}

function requireVersion(data: string, major: string): void {
  const found = readFileSync(join(data, 'PG_VERSION'), 'utf8').trim();
  if (found === major) return;
  throw new StartRefused(
    `${data} was made by PostgreSQL ${found}, and this version of the service brings PostgreSQL ${major}. Make a backup with the earlier version of the service (npm run admin -- backup), and restore it with this one into a new DATA_DIR (docs/backup.md).`,
  );
}

function makeCluster(data: string, { home, binaries, passwords, durable }: NewCluster): void {
  const staging = join(home.folder, `data-staging-${process.pid}-${Date.now()}`);
  const passwordFile = `${staging}.password`;
  writeFileSync(passwordFile, passwords.superuser, { mode: 0o600, flag: 'wx' });
  try {
    giveToFolder(passwordFile);
    const quick = durable ? [] : ['-c', QUICK_PASSWORDS];
    const sync = durable ? [] : ['--no-sync', ...quick];
    run(home, binaries.initdb, ['-D', staging, '-U', SUPERUSER, '--pwfile', passwordFile, ...LOCALE, ...AUTH, ...sync]);
    const single = ['--single', '-D', staging, '-c', `fsync=${durable ? 'on' : 'off'}`, ...quick, 'template1'];
    run(home, binaries.postgres, single, bootstrapSql(passwords));
  } finally {
    rmSync(passwordFile, { force: true });
  }
  renameSync(staging, data);
  syncFolder(home.folder);
}

/** Gives a role of a cluster that is stopped another password: single-user mode asks for none. */
export function alterPassword(home: ServerHome, { postgres }: Binaries, role: string, password: string): void {
  const data = join(home.folder, 'data');
  run(home, postgres, ['--single', '-D', data, 'template1'], `alter role ${role} password '${password}'\n`);
}

/** The builtin provider sorts and folds the same on every system, independent of the installed locales. */
const LOCALE = ['--encoding=UTF8', '--locale=C', '--locale-provider=builtin', '--builtin-locale=C.UTF-8'] as const;
const AUTH = ['--auth=scram-sha-256', '--no-instructions'] as const;

function run({ folder, account }: ServerHome, program: string, args: readonly string[], input = ''): void {
  const env = { PATH: process.env.PATH, TZ: 'UTC', LC_ALL: 'C' };
  const { status, error, stderr } = spawnSync(program, args, { ...account, cwd: folder, env, input, encoding: 'utf8' });
  // Single-user mode reports a failed statement and still exits with 0.
  if (error === undefined && status === 0 && !/^.*(ERROR|FATAL|PANIC):/m.test(stderr)) return;
  throw new Error(`PostgreSQL in single-user mode failed in ${folder}: ${error?.message ?? stderr.trim()}`);
}

function syncFolder(folder: string): void {
  const handle = openSync(folder, 'r');
  fsyncSync(handle);
  closeSync(handle);
}
