import {
  chmodSync,
  lchownSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { takeOverHome } from '../../../infrastructure/embedded-postgres/embedded-postgres.ts';
import { accountNamed } from '../../../infrastructure/embedded-postgres/server-home.ts';
import { type Instance, killInstance, query, startInstance, stopInstance } from '../../harness/embedded-instance.ts';
import { removeDataDir } from '../../harness/throwaway-folder.ts';

const AS_ROOT = process.geteuid?.() === 0;

let folder: string;
let dataDir: string;
let instance: Instance;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'stancebook-closed-'));
  chmodSync(folder, 0o755);
  dataDir = join(folder, 'data');
  instance = await startInstance(dataDir);
  await query(instance.url, "create table public.notes as select 'before' as note");
});

afterAll(async () => {
  await killInstance(instance);
  removeDataDir(dataDir);
  rmSync(folder, { recursive: true, force: true });
});

test('a new data folder has nothing that another user can read, and no lock that one can hold', () => {
  expect(openEntries(dataDir)).toEqual([]);
  expect(statSync(dataDir).mode & 0o007).toBe(0);
});

describe('a data folder of an earlier release', () => {
  const outside = () => join(folder, 'outside');

  beforeAll(async () => {
    await stopInstance(instance);
    writeFileSync(outside(), 'not ours');
    mkdirSync(join(dataDir, 'bars', 'stock'), { recursive: true, mode: 0o755 });
    writeFileSync(join(dataDir, 'bars', 'stock', '1d.csv'), 't,o\n');
    for (const name of ['instance.lock', 'postgres.log']) chmodSync(join(dataDir, name), 0o644);
    if (AS_ROOT) asLeftToNobody();
    instance = await startInstance(dataDir);
  });

  test('is closed', () => expect(openEntries(dataDir)).toEqual([]));

  test('still has its rows', async () => {
    expect(await query(instance.url, 'select note from notes')).toEqual([{ note: 'before' }]);
  });

  test('keeps what is not its own as it is', () => expect(statSync(outside()).mode & 0o777).toBe(0o644));

  // Only root runs PostgreSQL as another user.
  if (!AS_ROOT) return;

  test('belongs to a user who runs PostgreSQL alone, and so does its server', () => {
    const { uid: server } = statSync(`/proc/${instance.pid}`);
    expect([0, nobody().uid]).not.toContain(server);
    const owners = new Set(entriesOf(join(dataDir, 'postgres')).map((path) => lstatSync(path).uid));
    expect([...owners]).toEqual([server]);
    expect(statSync(outside()).uid).toBe(0);
  });

  test('is taken over to its end after a take-over that was killed', () => {
    const home = join(folder, 'half-taken');
    mkdirSync(join(home, 'data', 'base'), { recursive: true });
    const [taken, left] = ['PG_VERSION', 'base'].map((name) => join(home, 'data', name)) as [string, string];
    writeFileSync(taken, '18\n');
    const account = { uid: 12_345, gid: 12_345 };
    lchownSync(left, nobody().uid, nobody().gid);
    for (const path of [join(home, 'data'), taken]) lchownSync(path, account.uid, account.gid);
    takeOverHome({ folder: home, account }, () => undefined);
    expect([home, ...entriesOf(home)].map((path) => lstatSync(path).uid)).toEqual([12_345, 12_345, 12_345, 12_345]);
  });

  /** As an earlier release left it, and with a link that a program of that user might have put there. */
  function asLeftToNobody(): void {
    const home = join(dataDir, 'postgres');
    const link = join(home, 'data', 'link');
    rmSync(link, { force: true });
    symlinkSync(outside(), link);
    const { uid, gid } = nobody();
    for (const path of [home, ...entriesOf(home)]) lchownSync(path, uid, gid);
    chmodSync(dataDir, 0o701);
  }
});

test('its superuser has a password that only the service can read', async () => {
  const { url } = instance;
  for (const user of ['postgres', 'stancebook_owner']) {
    const guess = Object.assign(new URL(url), { username: user, password: '' });
    await expect(query(guess.href, 'select 1')).rejects.toThrow();
  }
  const rules = readFileSync(join(dataDir, 'postgres', 'data', 'pg_hba.conf'), 'utf8').split('\n');
  const methods = rules.filter((rule) => /^(local|host)/.test(rule)).map((rule) => rule.split(/\s+/).at(-1));
  expect(new Set(methods)).toEqual(new Set(['scram-sha-256']));
  const [, , , , socketFolder] = readFileSync(join(dataDir, 'postgres', 'data', 'postmaster.pid'), 'utf8').split('\n');
  expect(socketFolder).toBe('');
});

function nobody(): { readonly uid: number; readonly gid: number } {
  const account = accountNamed('nobody');
  if (account === undefined) throw new Error('This system has no user `nobody`');
  return account;
}

function openEntries(root: string): readonly string[] {
  return entriesOf(root).filter((path) => !lstatSync(path).isSymbolicLink() && (lstatSync(path).mode & 0o077) !== 0);
}

/** Without the copy of the programs, which is made where the user of PostgreSQL cannot read the installed ones. */
function entriesOf(root: string): string[] {
  return readdirSync(root, { withFileTypes: true })
    .filter(({ name }) => !name.startsWith('native-'))
    .flatMap((entry) => {
      const path = join(root, entry.name);
      return entry.isDirectory() ? [path, ...entriesOf(path)] : [path];
    });
}
