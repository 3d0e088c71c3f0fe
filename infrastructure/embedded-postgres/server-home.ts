import { spawnSync } from 'node:child_process';
import { chmodSync, chownSync, existsSync, mkdtempSync, realpathSync, rmdirSync, statSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { makeFolder } from '../../adapters/files/make-folder.ts';
import { StartRefused } from '../start-refused.ts';

/** The ordinary user that runs PostgreSQL for root, since PostgreSQL refuses to run as root. */
export interface Account {
  readonly uid: number;
  readonly gid: number;
}

export interface ServerHome {
  /** The folder of the cluster; `DATA_DIR/postgres`, which may be a link. */
  readonly folder: string;
  /** undefined: PostgreSQL runs as the user of this process. */
  readonly account: Account | undefined;
}

/** The folder of the cluster, made on first use, and the user that PostgreSQL runs as in it. */
export function openServerHome(dataDir: string): ServerHome {
  makeFolder(dataDir);
  const place = join(dataDir, 'postgres');
  if (process.geteuid?.() !== 0) {
    makeFolder(place);
    requireOwn(place);
    return { folder: realpathSync(place), account: undefined };
  }
  // Others may traverse the data folder (its secrets are 0600) but not list it; folders above it are not changed.
  chmodSync(dataDir, statSync(dataDir).mode | 0o001);
  if (!existsSync(join(place, 'data'))) makeHome(place, nobody());
  return { folder: realpathSync(place), account: ownerOf(place) };
}

/** Runs a shell test as the account, so that the kernel decides what that user may access. */
export function accountCan(account: Account | undefined, test: string, ...paths: readonly string[]): boolean {
  return spawnSync('/bin/sh', ['-c', test, 'sh', ...paths], { ...account, cwd: '/', stdio: 'ignore' }).status === 0;
}

function requireOwn(place: string): void {
  const { uid } = statSync(place);
  if (uid === process.geteuid?.()) return;
  throw new StartRefused(`${place} belongs to user ${uid}: start as that user or as root, or set another DATA_DIR.`);
}

/** Below a closed folder (/root, a home of mode 0700) the account has no access: the cluster is then in /var/lib. */
function makeHome(place: string, account: Account): void {
  makeFolder(place);
  chownSync(place, account.uid, account.gid);
  if (accountCan(account, 'cd "$1"', place)) return;
  const elsewhere = mkdtempSync('/var/lib/stancebook-');
  chownSync(elsewhere, account.uid, account.gid);
  rmdirSync(place);
  symlinkSync(elsewhere, place);
}

function ownerOf(place: string): Account {
  const { uid, gid } = statSync(place);
  return { uid, gid };
}

/** By name, because its number differs between systems (65534 here, -2 there). */
function nobody(): Account {
  return { uid: idOf('-u'), gid: idOf('-g') };
}

function idOf(flag: '-u' | '-g'): number {
  const { status, stdout } = spawnSync('id', [flag, 'nobody'], { encoding: 'utf8' });
  if (status !== 0)
    throw new StartRefused(
      'PostgreSQL does not run as root, and this system has no user `nobody`: start as an ordinary user, or set DATABASE_URL.',
    );
  return Number(stdout) >>> 0;
}
