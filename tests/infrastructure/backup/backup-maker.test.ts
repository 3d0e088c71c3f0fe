import { chmodSync, mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { BackupOutcome } from '../../../domain/backup.ts';
import { backupsOf } from '../../../infrastructure/backup/backup-maker.ts';
import { readConfig } from '../../../infrastructure/config/config.ts';
import { freshDatabase, type TestDatabase } from '../../harness/database.ts';

// The campaign restore-drill makes real backups. Here pg_dump is a script.

const SECRET = 'a secret of the tests, long enough for them';
const logged: (readonly [level: string, message: string])[] = [];
const log = {
  warn: (message: string) => void logged.push(['warn', message]),
  error: (message: string) => void logged.push(['error', message]),
};

let database: TestDatabase;
let folder: string;
let bin: string;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'stancebook-maker-'));
  bin = join(folder, 'bin');
  mkdirSync(bin);
  database = await freshDatabase();
});
afterAll(async () => {
  await database.drop();
  rmSync(folder, { recursive: true });
});

const newFolder = () => mkdtempSync(join(folder, 'backups-'));

/** A pg_dump of PostgreSQL 99 that writes a file and then does this. */
function place(script = ''): void {
  const writes = `for word in "$@"; do case "$word" in --file=*) echo dumped > "\${word#--file=}";; esac; done`;
  const version = `if [ "$1" = --version ]; then echo "pg_dump (PostgreSQL) 99.1"; exit; fi`;
  writeFileSync(join(bin, 'pg_dump'), `#!/bin/sh\n${version}\n${writes}\n${script}\n`);
  chmodSync(join(bin, 'pg_dump'), 0o755);
}

function makerOf(more: NodeJS.ProcessEnv = {}, path = `${bin}:/bin:/usr/bin`) {
  const own = { DATA_DIR: folder, DATABASE_URL: database.serviceUrl, MIGRATION_DATABASE_URL: database.url };
  const config = readConfig({ ...own, SESSION_SECRET: SECRET, PASSWORD_PEPPER: SECRET, ...more });
  return backupsOf(config, log, { PATH: path });
}

const NOTHING = async () => undefined;

/** Begins one. Its outcome is known when it has ended. */
async function begin(maker: ReturnType<typeof makerOf>) {
  const { promise: outcome, resolve } = Promise.withResolvers<BackupOutcome>();
  const isBegun = await maker.begin(NOTHING, async (ended) => resolve(ended));
  return { isBegun, outcome };
}

test('a backup is one file that only this user can read', async () => {
  place();
  const dir = newFolder();
  const maker = makerOf({ BACKUP_DIR: dir });
  expect(await maker.obstacle()).toBeNull();
  const { isBegun, outcome } = await begin(maker);
  expect([isBegun, await outcome]).toEqual([true, { failure: null, bytes: 7, pg_dump_version: 99 }]);
  const [name = '', ...others] = readdirSync(dir);
  expect([name, others]).toEqual([expect.stringMatching(/^stancebook-\d{8}T\d{6}Z\.dump$/), []]);
  expect(statSync(join(dir, name)).mode & 0o777).toBe(0o600);
  await maker.stop();
});

test('while one is made neither this process nor another begins one; afterwards both may', async () => {
  const dir = newFolder();
  const go = join(folder, 'go');
  place(`while [ ! -e ${go} ]; do sleep 0.02; done`);
  const [maker, other] = [makerOf({ BACKUP_DIR: dir }), makerOf({ BACKUP_DIR: newFolder() })];
  const first = await begin(maker);
  expect([first.isBegun, (await begin(maker)).isBegun, (await begin(other)).isBegun]).toEqual([true, false, false]);
  writeFileSync(go, '');
  expect((await first.outcome).failure).toBeNull();
  await maker.stop();
  const next = await begin(other);
  expect([next.isBegun, (await next.outcome).failure]).toEqual([true, null]);
  await other.stop();
});

test('a stop ends it, and no file is left', async () => {
  place('while true; do sleep 0.02; done');
  const dir = newFolder();
  const maker = makerOf({ BACKUP_DIR: dir });
  const { outcome } = await begin(maker);
  await maker.stop();
  expect([await outcome, readdirSync(dir)]).toEqual([{ failure: 'stopped' }, []]);
  expect(logged.at(-1)).toEqual([
    'warn',
    'The backup that an operator requested ended with this process: make it again',
  ]);
});

test('where its begin cannot be noted, nothing is written, and another may begin', async () => {
  place();
  const dir = newFolder();
  const maker = makerOf({ BACKUP_DIR: dir });
  const refusing = async () => {
    throw new Error('No entry.');
  };
  await expect(maker.begin(refusing, NOTHING)).rejects.toThrow('No entry.');
  expect(readdirSync(dir)).toEqual([]);
  const { isBegun, outcome } = await begin(maker);
  expect([isBegun, (await outcome).failure]).toEqual([true, null]);
  await maker.stop();
});

test.each([
  ['pg_dump_failed', 'pg_dump: error: something else'],
  ['no_right', 'pg_dump: error: permission denied for table owners'],
  ['no_room', 'pg_dump: error: could not write: No space left on device'],
])('%s, and no file is left', async (failure, said) => {
  place(`echo '${said}' >&2; exit 1`);
  const dir = newFolder();
  const maker = makerOf({ BACKUP_DIR: dir });
  const { outcome } = await begin(maker);
  expect([await outcome, readdirSync(dir)]).toEqual([{ failure }, []]);
  await maker.stop();
});

test('on a disk that would have less than DISK_FREE_MB and a quarter nothing is written', async () => {
  place();
  const dir = newFolder();
  const maker = makerOf({ BACKUP_DIR: dir, DISK_FREE_MB: '1000000' });
  const { outcome } = await begin(maker);
  expect([await outcome, readdirSync(dir)]).toEqual([{ failure: 'no_room' }, []]);
  await maker.stop();
});

test('what keeps a process from making one', async () => {
  place();
  const nowhere = { BACKUP_DIR: join(folder, 'none') };
  const unreachable = { BACKUP_DIR: newFolder(), MIGRATION_DATABASE_URL: 'postgresql://owner@127.0.0.1:1/none' };
  const makers = [makerOf(), makerOf(nowhere), makerOf({ BACKUP_DIR: newFolder() }, '/nowhere'), makerOf(unreachable)];
  const found = await Promise.all(makers.map((maker) => maker.obstacle()));
  expect(found).toEqual(['no_folder', 'folder_unusable', 'no_pg_dump', 'no_connection']);
});
