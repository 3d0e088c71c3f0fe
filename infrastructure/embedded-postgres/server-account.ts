import { spawnSync } from 'node:child_process';
import { StartRefused } from '../start-refused.ts';

/** The ordinary user that runs PostgreSQL for root, since PostgreSQL refuses to run as root. */
export interface Account {
  readonly uid: number;
  readonly gid: number;
}

/** It runs PostgreSQL and nothing else: a process of this user can read and change every row. */
const NAME = 'stancebook-postgres';

/**
 * The user of the system for PostgreSQL, made on first use. PostgreSQL does not run as a user without a name, so a bare
 * number would not do.
 * @throws StartRefused when the system has no such user and it cannot be made
 */
export function serverAccount(log: (line: string) => void): Account {
  return accountNamed(NAME) ?? madeAccount(log);
}

/** `id` knows every source of users, in each number: -2 is 4294967294. */
export function accountNamed(name: string): Account | undefined {
  const [uid, gid] = ['-u', '-g'].map((flag) => spawnSync('id', [flag, name], { encoding: 'utf8' }).stdout?.trim());
  return uid && gid ? { uid: Number(uid) >>> 0, gid: Number(gid) >>> 0 } : undefined;
}

export function hasName(uid: number): boolean {
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

/** The programs of Debian, Red Hat and others, and those of BusyBox. */
const MAKE = `
PATH="$PATH:/usr/sbin:/sbin"
if command -v useradd >/dev/null; then
  exec useradd --system --user-group --no-create-home --home-dir /nonexistent --shell /usr/sbin/nologin "$1"
fi
addgroup -S "$1" && adduser -S -D -H -h /nonexistent -s /sbin/nologin -G "$1" "$1"
`;
