import { spawnSync } from 'node:child_process';
import { chmodSync, chownSync, existsSync, mkdtempSync, realpathSync, rmdirSync, statSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { makeFolder } from '../../adapters/files/folder-owner.ts';
import { StartRefused } from '../start-refused.ts';

/** It runs PostgreSQL and nothing else: a process of this user can read and change every row. */
const NAME = 'stancebook-postgres';

/** The programs of Debian, Red Hat and others, and those of BusyBox. */
const MAKE = `
PATH="$PATH:/usr/sbin:/sbin"
if command -v useradd >/dev/null; then
  exec useradd --system --user-group --no-create-home --home-dir /nonexistent --shell /usr/sbin/nologin "$1"
fi
addgroup -S "$1" && adduser -S -D -H -h /nonexistent -s /sbin/nologin -G "$1" "$1"
`;

export interface ServerHome {
  /** The folder of the cluster; `DATA_DIR/postgres`, which may be a link. */
  readonly folder: string;
  /** undefined: PostgreSQL runs as the user of this process. */
  readonly account: Account | undefined;
}

/**
 * The folder of the cluster, made on first use, and the user that PostgreSQL runs as in it. A folder that an earlier
 * release gave to `nobody` is not that user's yet: see take-over.ts.
 */
export function openServerHome(dataDir: string, log: (line: string) => void = () => undefined): ServerHome {
  makeFolder(dataDir);
  const place = join(dataDir, 'postgres');
  if (process.geteuid?.() !== 0) {
    makeFolder(place);
    requireOwn(place);
    return { folder: realpathSync(place), account: undefined };
  }
  const isNew = !existsSync(join(place, 'data'));
  const account = trustedOwner(dataDir, isNew ? [dataDir] : [place, dataDir]) ?? serverAccount(log);
  openTo(account, dataDir);
  if (isNew) makeHome(place, account);
  return { folder: realpathSync(place), account };
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

/**
 * The user who runs the service on this folder without root. Not `nobody`, which other services of a machine run as too,
 * unless the whole data folder is its own, and not root, who owns the folder during a take-over. The owner of the data
 * folder alone may be a number of another system, such as the host of a container; PostgreSQL needs a name.
 */
function trustedOwner(dataDir: string, places: readonly string[]): Account | undefined {
  for (const place of places) {
    const { uid, gid } = statSync(place);
    const isShared = uid === accountNamed('nobody')?.uid && statSync(dataDir).uid !== uid;
    if (uid !== 0 && !isShared && (place !== dataDir || hasName(uid))) return { uid, gid };
  }
  return undefined;
}

/** The account alone may traverse root's data folder. Folders above it, and those that are open anyway, are not changed. */
function openTo({ gid }: Account, dataDir: string): void {
  const { mode, uid, gid: group } = statSync(dataDir);
  if (uid !== 0 || !CLOSED.includes(mode & 0o777) || (group !== 0 && group !== gid)) return;
  chownSync(dataDir, uid, gid);
  chmodSync(dataDir, 0o710);
}

/** Of a folder that nobody else may list; earlier releases let everybody traverse it. */
const CLOSED: readonly number[] = [0o700, 0o701, 0o710, 0o711];

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

/** The ordinary user that runs PostgreSQL for root, since PostgreSQL refuses to run as root. */
export interface Account {
  readonly uid: number;
  readonly gid: number;
}

/**
 * The user of the system for PostgreSQL, made on first use. PostgreSQL does not run as a user without a name, so a bare
 * number would not do.
 * @throws StartRefused when the system has no such user and it cannot be made
 */
function serverAccount(log: (line: string) => void): Account {
  return accountNamed(NAME) ?? madeAccount(log);
}

const accounts = new Map<string, Account>();

/** `id` knows every source of users, in each number: -2 is 4294967294. It is asked once for each user that there is. */
export function accountNamed(name: string): Account | undefined {
  const known = accounts.get(name) ?? lookedUp(name);
  if (known) accounts.set(name, known);
  return known;
}

function lookedUp(name: string): Account | undefined {
  const { stdout } = spawnSync('id', [name], { encoding: 'utf8' });
  const [, uid, gid] = /^uid=(-?\d+)\S* gid=(-?\d+)/.exec(stdout ?? '') ?? [];
  return uid && gid ? { uid: Number(uid) >>> 0, gid: Number(gid) >>> 0 } : undefined;
}

function hasName(uid: number): boolean {
  return spawnSync('id', ['-un', String(uid)], { stdio: 'ignore' }).status === 0;
}

/** Of two starts at once the second finds the user that the first has made. */
function madeAccount(log: (line: string) => void): Account {
  const { stderr } = spawnSync('/bin/sh', ['-c', MAKE, 'sh', NAME], { encoding: 'utf8' });
  const account = accountNamed(NAME);
  if (account === undefined) {
    throw new StartRefused(
      `PostgreSQL does not run as root, and the user ${NAME} cannot be made${stderr ? ` (${stderr.trim()})` : ''}: make that user, start as an ordinary user, or set DATABASE_URL.`,
    );
  }
  log(`Made the user ${NAME} (${account.uid}), which runs PostgreSQL for root`);
  return account;
}
