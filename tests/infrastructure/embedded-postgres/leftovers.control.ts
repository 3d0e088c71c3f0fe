import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  chownSync,
  cpSync,
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals';
import { findBinaries } from '../../../infrastructure/embedded-postgres/cluster.ts';
import {
  findEmbeddedPostgres,
  renewRolePassword,
} from '../../../infrastructure/embedded-postgres/embedded-postgres.ts';
import { ROLES } from '../../../infrastructure/embedded-postgres/roles.ts';
import { type Account, openServerHome } from '../../../infrastructure/embedded-postgres/server-home.ts';
import {
  copyProject,
  type Instance,
  killInstance,
  query,
  serves,
  startInstance,
  stopInstance,
} from '../../harness/embedded-instance.ts';
import { removeDataDir } from '../../harness/throwaway-folder.ts';

const AS_ROOT = process.geteuid?.() === 0;
const PATIENCE = 120_000;
const NOBODY: Account = { uid: idOfNobody('-u'), gid: idOfNobody('-g') };

let folder: string;
let project: ReturnType<typeof copyProject>;
let instance: Instance | undefined;
const strangers: ChildProcess[] = [];

beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'stancebook-leftovers-'));
  chmodSync(folder, 0o755);
  project = copyProject(join(folder, 'project'));
}, PATIENCE);

afterEach(async () => {
  if (instance) await killInstance(instance);
  instance = undefined;
  for (const stranger of strangers.splice(0)) {
    stranger.kill('SIGKILL');
    if (stranger.exitCode === null && stranger.signalCode === null) await once(stranger, 'exit');
  }
});

afterAll(() => rmSync(folder, { recursive: true, force: true }), PATIENCE);

// Root runs PostgreSQL as another user; a user other than root can only run as itself.
const RUNS: readonly (readonly [string, Account | undefined])[] = AS_ROOT
  ? [
      ['root', undefined],
      ['an ordinary user', NOBODY],
    ]
  : [['the user of the tests', undefined]];

describe.each(RUNS)('after a crash a start as %s succeeds', (_who, account) => {
  let dataDir: string;
  let left: string;

  /** What a server that was killed leaves in `postmaster.pid`. */
  const pidFile = () => join(realpathSync(join(dataDir, 'postgres')), 'data', 'postmaster.pid');
  const start = async () => {
    instance = await startInstance(dataDir, { account, ...project });
    return instance;
  };

  beforeAll(async () => {
    const home = mkdtempSync(join(folder, 'home-'));
    dataDir = join(home, 'data');
    if (account) chownSync(home, account.uid, account.gid);
    else chmodSync(home, 0o755);
    const first = await start();
    left = readFileSync(pidFile(), 'utf8');
    await stopInstance(first);
    instance = undefined;
  }, PATIENCE);

  afterAll(() => removeDataDir(dataDir));

  const numbers: readonly (readonly [string, () => number])[] = [
    ['of no process', () => 2_147_483_640],
    ['of the first process of the system', () => 1],
    ['of this process', () => process.pid],
    ['of another program of the user of the server', () => stranger(owner())],
    ['of another program that works in the folder', () => stranger(owner(), join(pidFile(), '..'))],
    ['of a PostgreSQL of another folder', () => stranger(owner(), '/', namedPostgres())],
  ];

  test.each(numbers)('from a postmaster.pid with the number %s', async (_whose, number) => {
    const pid = number();
    leave(left.replace(/^\d+/, String(pid)));
    await works();
    expect(strangers.every(({ exitCode, signalCode }) => exitCode === null && signalCode === null)).toBe(true);
  });

  test.each([
    ['that is empty', () => ''],
    ['that is damaged', () => '\0\0\0\0 not a number\n'],
    ['that ends after its first lines', () => left.split('\n').slice(0, 3).join('\n')],
    ['of a server in single-user mode', () => left.replace(/^\d+/, String(-process.pid))],
  ])('from a postmaster.pid %s', async (_what, content) => {
    leave(content());
    await works();
  });

  test('from a postmaster.pid that is a link to nothing', async () => {
    rmSync(pidFile(), { force: true });
    symlinkSync('/nonexistent/postmaster.pid', pidFile());
    await works();
  });

  test('and commands do not take another program for its server', () => {
    leave(left.replace(/^\d+/, String(process.pid)));
    expect(readFileSync(pidFile(), 'utf8')).toContain('ready');
    expect(findEmbeddedPostgres(dataDir)).toBeNull();
  });

  test('from an instance.lock that is damaged', async () => {
    writeFileSync(join(dataDir, 'instance.lock'), 'x'.repeat(10_000));
    await works();
  });

  test.each(['instance.lock', 'instance.pid', 'postgres.log'])('from an empty and from a missing %s', async (name) => {
    writeFileSync(join(dataDir, name), '');
    await works();
    rmSync(join(dataDir, name), { force: true });
    await works();
  });

  // Only root makes files of another user.
  if (AS_ROOT) {
    test('from a postmaster.pid that a start of root has written for root alone', async () => {
      leave(left.replace(/^\d+/, '2147483646'));
      chownSync(pidFile(), 0, 0);
      chmodSync(pidFile(), 0o600);
      await works();
    });

    test('from a log of root', async () => {
      writeFileSync(join(dataDir, 'postgres.log'), 'of root\n');
      chownSync(join(dataDir, 'postgres.log'), 0, 0);
      chmodSync(join(dataDir, 'postgres.log'), 0o600);
      await works();
      rmSync(join(dataDir, 'postgres.log.1'), { force: true });
    });
  }

  /** A start succeeds, and all that is in the folder belongs to whom it has to. */
  async function works(): Promise<void> {
    const started = await start();
    expect(await query(started.serviceUrl, 'select 1 as one')).toEqual([{ one: 1 }]);
    const server = statSync(`/proc/${started.pid}`).uid;
    expect(othersIn(realpathSync(join(dataDir, 'postgres')), server)).toEqual([]);
    // The log that an ordinary user may not write is kept as it is.
    const others = othersIn(dataDir, statSync(dataDir).uid);
    expect(others.filter((path) => account === undefined || !path.endsWith('postgres.log.1'))).toEqual([]);
    await stopInstance(started);
    instance = undefined;
  }

  function leave(content: string): void {
    writeFileSync(pidFile(), content);
    const { uid, gid } = owner();
    if (AS_ROOT) chownSync(pidFile(), uid, gid);
  }

  function owner(): Account {
    const { uid, gid } = statSync(realpathSync(join(dataDir, 'postgres', 'data')));
    return { uid, gid };
  }
});

describe('a second start is refused, and the first goes on,', () => {
  let dataDir: string;

  beforeAll(() => {
    const home = mkdtempSync(join(folder, 'home-'));
    chmodSync(home, 0o755);
    dataDir = join(home, 'data');
  });

  afterAll(() => removeDataDir(dataDir));

  test.each([
    ['although somebody removed the lock', ['instance.lock']],
    ['although somebody removed the lock and the number of its process', ['instance.lock', 'instance.pid']],
    ['also without the file of the server', ['instance.lock', 'postgres/data/postmaster.pid']],
  ])('%s', async (_why, names) => {
    instance = await startInstance(dataDir);
    for (const name of names) rmSync(join(dataDir, name));
    await expect(startInstance(dataDir)).rejects.toThrow(
      `Another instance (pid ${instance.child.pid}) is running on ${dataDir}`,
    );
    expect(await query(instance.serviceUrl, 'select 1 as one')).toEqual([{ one: 1 }]);
    await killInstance(instance);
    instance = await startInstance(dataDir);
    expect(await query(instance.serviceUrl, 'select 1 as one')).toEqual([{ one: 1 }]);
  });

  test('also of three that start at once', async () => {
    instance = await startInstance(dataDir);
    rmSync(join(dataDir, 'instance.lock'));
    const others = await Promise.allSettled([1, 2, 3].map(() => startInstance(dataDir)));
    expect(others.map(({ status }) => status)).toEqual(['rejected', 'rejected', 'rejected']);
    expect(await query(instance.serviceUrl, 'select 1 as one')).toEqual([{ one: 1 }]);
  });

  test('by PostgreSQL itself', async () => {
    instance = await startInstance(dataDir);
    const home = openServerHome(dataDir);
    const data = join(home.folder, 'data');
    const { stderr, status } = spawnSync(findBinaries(home).postgres, ['-D', data, '-p', '1'], {
      ...home.account,
      cwd: '/',
      encoding: 'utf8',
    });
    expect([status, stderr]).toEqual([1, expect.stringContaining('lock file "postmaster.pid" already exists')]);
  });
});

test('of two that start at once while the lock is removed again and again, one has the database at most', async () => {
  const dataDir = join(mkdtempSync(join(folder, 'home-')), 'data');
  chmodSync(join(dataDir, '..'), 0o755);
  await stopInstance(await startInstance(dataDir));
  const removing = setInterval(() => rmSync(join(dataDir, 'instance.lock'), { force: true }), 1);
  const started = await Promise.allSettled([startInstance(dataDir), startInstance(dataDir)]);
  clearInterval(removing);
  const running = started.flatMap((result) => (result.status === 'fulfilled' ? [result.value] : []));
  const serving = running.filter(({ pid }) => serves(pid));
  await Promise.all(running.map(killInstance));
  removeDataDir(dataDir);
  expect(serving.length).toBeLessThanOrEqual(1);
});

describe('a lock that cannot be used is refused in a sentence', () => {
  const withLock = async (make: (lock: string) => void, account?: Account): Promise<string> => {
    const home = mkdtempSync(join(folder, 'home-'));
    chmodSync(home, 0o755);
    if (account) chownSync(home, account.uid, account.gid);
    make(join(home, 'instance.lock'));
    const message = await startInstance(home, { account, ...project }).then(
      () => 'started',
      (error: Error) => error.message,
    );
    removeDataDir(home);
    return message;
  };
  const refused =
    /StartRefused: \S+instance\.lock cannot be locked\. It has to be a file that user \d+ may read and write/;

  test('a folder', async () => expect(await withLock((lock) => mkdirSync(lock))).toMatch(refused));

  if (!AS_ROOT) return;

  test.each([0o600, 0o644])('the file of another user, of mode %o', async (mode) => {
    const make = (lock: string) => writeFileSync(lock, '', { mode });
    expect(await withLock(make, NOBODY)).toMatch(refused);
  });
});

describe('passwords of roles that are lost', () => {
  let dataDir: string;
  const names = Object.keys(ROLES) as (keyof typeof ROLES)[];

  beforeAll(async () => {
    const home = mkdtempSync(join(folder, 'home-'));
    chmodSync(home, 0o755);
    dataDir = join(home, 'data');
    await stopInstance(await startInstance(dataDir));
  });

  afterAll(() => removeDataDir(dataDir));

  test.each(names)('%s: a start is refused, until the role has a new one', async (name) => {
    const file = join(dataDir, 'secrets', name);
    rmSync(file);
    await expect(startInstance(dataDir)).rejects.toThrow(
      new RegExp(`StartRefused: ${file} is missing, and the database of 2\\d{3}-`),
    );
    expect(existsSync(file)).toBe(false);
    await renewRolePassword(dataDir, name);
    instance = await startInstance(dataDir);
    for (const url of [instance.url, instance.serviceUrl])
      expect(await query(url, 'select 1 as one')).toEqual([{ one: 1 }]);
    const superuser = Object.assign(new URL(instance.url), {
      username: 'postgres',
      password: readFileSync(join(dataDir, 'secrets', 'postgres-superuser'), 'utf8').trim(),
    });
    expect(await query(superuser.href, 'select 1 as one')).toEqual([{ one: 1 }]);
    await stopInstance(instance);
    instance = undefined;
  });

  test('none is changed while a service runs', async () => {
    instance = await startInstance(dataDir);
    await expect(renewRolePassword(dataDir, 'postgres-owner')).rejects.toThrow('Another instance');
    expect(await query(instance.url, 'select 1 as one')).toEqual([{ one: 1 }]);
  });
});

// Only root can start on the folder of another user.
if (AS_ROOT) {
  test("a folder of an ordinary user stays that user's when root starts on it first, and is copied by root", async () => {
    const home = mkdtempSync(join(folder, 'home-'));
    chownSync(home, NOBODY.uid, NOBODY.gid);
    const dataDir = join(home, 'data');
    mkdirSync(dataDir, { mode: 0o700 });
    chownSync(dataDir, NOBODY.uid, NOBODY.gid);
    const first = await startInstance(dataDir, project);
    await query(first.url, "create table public.notes as select 'kept' as note");
    expect(othersIn(dataDir, NOBODY.uid)).toEqual([]);
    await stopInstance(first);
    spawnSync('chown', ['-R', '0:0', join(dataDir, 'postgres'), join(dataDir, 'secrets')]);
    const second = await startInstance(dataDir, project);
    expect(othersIn(dataDir, NOBODY.uid)).toEqual([]);
    await stopInstance(second);
    const third = await startInstance(dataDir, { account: NOBODY, ...project });
    const rows = await query(third.url, 'select note from notes');
    await stopInstance(third);
    removeDataDir(dataDir);
    expect(rows).toEqual([{ note: 'kept' }]);
  });
}

/** What is in the folder and belongs to another user; not the cluster, which may belong to another. */
function othersIn(root: string, uid: number): readonly string[] {
  return readdirSync(root, { withFileTypes: true })
    .filter(({ name }) => name !== 'postgres')
    .flatMap((entry) => {
      const path = join(root, entry.name);
      const own = lstatSync(path).uid === uid ? [] : [path];
      return entry.isDirectory() ? [...own, ...othersIn(path, uid)] : own;
    });
}

/** Another program, which runs until the end of the test. */
function stranger(account: Account, cwd = '/', program = 'sleep'): number {
  const child = spawn(program, ['600'], { ...(AS_ROOT ? account : {}), cwd, stdio: 'ignore' });
  strangers.push(child);
  return child.pid ?? 0;
}

function namedPostgres(): string {
  const program = join(folder, 'postgres');
  if (!existsSync(program)) cpSync(realpathSync('/bin/sleep'), program);
  return program;
}

function idOfNobody(flag: string): number {
  return Number(spawnSync('id', [flag, 'nobody'], { encoding: 'utf8' }).stdout);
}
