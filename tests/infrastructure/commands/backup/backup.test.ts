import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { runCommand } from '../../../../infrastructure/commands/run-command.ts';
import { operatorName } from '../../../../infrastructure/operator-name.ts';
import { runAdmin } from '../../../harness/admin-command.ts';
import { freshDatabase, type TestDatabase } from '../../../harness/database.ts';

// The campaign restore-drill makes and restores real backups. Here the programs are scripts, as no PostgreSQL of the
// tests' own version comes with them.

let database: TestDatabase;
let folder: string;
let bin: string;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'stancebook-backup-'));
  bin = join(folder, 'bin');
  mkdirSync(bin);
  database = await freshDatabase();
});
afterAll(async () => {
  await database.drop();
  rmSync(folder, { recursive: true });
});

const admin = (args: readonly string[], more: NodeJS.ProcessEnv = {}) =>
  runAdmin(database.serviceUrl, folder, args, { MIGRATION_DATABASE_URL: database.url, ...more });

const WITH_PROGRAMS = () => ({ PATH: `${bin}:/bin:/usr/bin` });

/** A program of PostgreSQL 99 whose other calls do this. */
function place(name: string, script: string): void {
  const file = join(bin, name);
  writeFileSync(
    file,
    `#!/bin/sh\nif [ "$1" = --version ]; then echo "${name} (PostgreSQL) 99.1"; exit; fi\n${script}\n`,
  );
  chmodSync(file, 0o755);
}

/** Writes its arguments and its password into the file that it is to write. */
const DUMPS = `for word in "$@"; do case "$word" in --file=*) echo "$* $PGPASSWORD" > "\${word#--file=}";; esac; done`;

function newFolder(): string {
  return mkdtempSync(join(folder, 'backups-'));
}

describe('backup', () => {
  test('without a pg_dump that fits the server says what to install', async () => {
    const { code, output } = await admin(['backup', newFolder()], { PATH: '/nowhere' });
    expect([code, output]).toEqual([
      1,
      expect.stringMatching(
        /^This needs pg_dump of PostgreSQL (\d+) or later, and there is (none|only .+): on Debian install postgresql-client-\1, from apt\.postgresql\.org if Debian has only older ones\.$/,
      ),
    ]);
  });

  test('writes one file, named by the time, that only this user can read; the password is no argument', async () => {
    place('pg_dump', DUMPS);
    const dir = newFolder();
    const { code, output } = await admin(['backup', dir, '--json'], WITH_PROGRAMS());
    const [name = ''] = readdirSync(dir);
    expect([code, readdirSync(dir)]).toEqual([0, [expect.stringMatching(/^stancebook-\d{8}T\d{6}Z\.dump$/)]]);
    const file = join(dir, name);
    const { mode, size: bytes } = statSync(file);
    expect(mode & 0o777).toBe(0o600);
    expect(JSON.parse(output)).toEqual({
      file,
      bytes,
      server_version: expect.any(Number),
      pg_dump_version: 99,
      warnings: '',
    });
    const { username, password, host, pathname } = new URL(database.url);
    const url = `postgresql://${username}@${host}${pathname}`;
    expect(readFileSync(file, 'utf8').replace(/\.[0-9a-f]{8}(?=\.partial)/, '')).toBe(
      `--no-password --dbname=${url} --format=custom --exclude-table-data=app.reply_texts --file=${join(dir, `.${name}.partial`)} ${password}\n`,
    );
    const { entries } = JSON.parse((await admin(['audit', '--subject', 'backup', '--json'])).output);
    expect(entries).toEqual([
      expect.objectContaining({ actor: operatorName(), action: 'backup', detail: { bytes, pg_dump_version: 99 } }),
    ]);
  });

  test('says in words what it does not contain, and that a newer pg_dump binds it to newer servers', async () => {
    const file = join(newFolder(), 'mine.dump');
    const { output } = await admin(['backup', file], WITH_PROGRAMS());
    const [size, without, newer, ...others] = output.split('\n');
    expect(size).toMatch(/mine\.dump: 0\.0 MB, from PostgreSQL \d+ by pg_dump 99\.$/);
    expect(without).toContain('does not contain SESSION_SECRET, PASSWORD_PEPPER and the bar files in ');
    expect(newer).toMatch(
      /^Restore it on PostgreSQL 99 or later, .* install postgresql-client-\d+ and back up again\.$/,
    );
    expect(others).toEqual([]);
  });

  test('a pg_dump that fails leaves no file, whole or half', async () => {
    place('pg_dump', `${DUMPS}\necho 'pg_dump: error: permission denied for table owners' >&2; exit 1`);
    const dir = newFolder();
    const { code, output } = await admin(['backup', dir], WITH_PROGRAMS());
    const error = 'pg_dump failed, and no backup was written:\npg_dump: error: permission denied for table owners';
    expect([code, output, readdirSync(dir)]).toEqual([1, error, []]);
    const alone = await admin(['backup', dir], { ...WITH_PROGRAMS(), MIGRATION_DATABASE_URL: '' });
    expect(alone.output).toBe(`${error}\nSet MIGRATION_DATABASE_URL to the URL of the role that owns the schema.`);
  });

  test('a warning is printed, with exit code 1', async () => {
    place('pg_dump', `${DUMPS}\necho 'pg_dump: warning: look here' >&2`);
    const file = join(newFolder(), 'mine.dump');
    const { code, output } = await admin(['backup', file], WITH_PROGRAMS());
    expect([code, existsSync(file)]).toEqual([1, true]);
    expect(output).toMatch(/\npg_dump printed warnings; .*:\npg_dump: warning: look here$/);
  });

  test('of a database without tables is refused', async () => {
    const empty = await freshDatabase({ empty: true });
    const dir = newFolder();
    const urls = { DATABASE_URL: empty.serviceUrl, MIGRATION_DATABASE_URL: empty.url };
    const { code, output } = await admin(['backup', dir], { ...WITH_PROGRAMS(), ...urls });
    const refusal = 'The database has no tables of the service yet, so there is nothing to back up.';
    expect([code, output, readdirSync(dir)]).toEqual([1, refusal, []]);
    const status = await admin(['status'], urls);
    expect([status.code, status.output]).toEqual([
      1,
      'The database cannot be used:\n- It has no tables of this service yet: start the service, which makes them.',
    ]);
    await empty.drop();
  });

  test('never replaces a file, and makes no folder', async () => {
    place('pg_dump', DUMPS);
    const file = join(newFolder(), 'mine.dump');
    writeFileSync(file, 'precious');
    const taken = await admin(['backup', file], WITH_PROGRAMS());
    expect([taken.code, taken.output]).toEqual([1, expect.stringContaining(`${file} exists already`)]);
    expect(readFileSync(file, 'utf8')).toBe('precious');
    const { output } = await admin(['backup', join(folder, 'no/such/file')], WITH_PROGRAMS());
    expect(output).toBe(`There is no folder ${join(folder, 'no/such')}: make it first.`);
  });
});

describe('restore', () => {
  const LISTS = `if [ "$1" = --list ]; then echo ';     Dumped by pg_dump version: 99.1'; exit; fi`;

  test('refuses a database that is not empty before it restores anything', async () => {
    place('pg_restore', `${LISTS}\necho reached >&2; exit 1`);
    const file = join(newFolder(), 'mine.dump');
    writeFileSync(file, '');
    const { code, output } = await admin(['restore', file], WITH_PROGRAMS());
    expect([code, output]).toEqual([
      1,
      'The database is not empty, and a restore never replaces data: create a new one, and name it in the variables.',
    ]);
  });

  test('into an empty database prints what pg_restore says, and what to do about roles', async () => {
    place('pg_restore', `${LISTS}\necho 'error: role "stancebook" does not exist' >&2; exit 1`);
    const file = join(newFolder(), 'mine.dump');
    writeFileSync(file, '');
    const empty = await freshDatabase({ empty: true });
    const urls = { DATABASE_URL: empty.serviceUrl, MIGRATION_DATABASE_URL: empty.url };
    const { code, output } = await admin(['restore', file], { ...WITH_PROGRAMS(), ...urls });
    expect([code, output]).toEqual([
      1,
      'pg_restore failed and changed nothing:\nerror: role "stancebook" does not exist\n' +
        'Create the roles first (docs/running.md, On your own PostgreSQL).',
    ]);
    await empty.drop();
  });

  test('into a new DATA_DIR needs the pepper of the lost service, and makes nothing without it', async () => {
    const dataDir = join(folder, 'new');
    const file = join(newFolder(), 'mine.dump');
    writeFileSync(file, '');
    const lines: string[] = [];
    const print = (line: string) => void lines.push(line);
    expect(await runCommand(['restore', file], { DATA_DIR: dataDir }, { print, complain: print })).toBe(1);
    expect(lines).toEqual([expect.stringContaining(`${join(dataDir, 'secrets')} has no password-pepper`)]);
    expect(existsSync(dataDir)).toBe(false);
  });
});

describe('check-backup', () => {
  test('a file that is no backup is a failed check, which status shows', async () => {
    place('pg_restore', `echo 'pg_restore: error: input file does not appear to be a valid archive' >&2; exit 1`);
    const file = join(newFolder(), 'mine.dump');
    writeFileSync(file, 'nothing');
    const { code, output } = await admin(['check-backup', file, '--json'], WITH_PROGRAMS());
    const fault = `pg_restore 99 cannot read ${file}: pg_restore: error: input file does not appear to be a valid archive`;
    expect([code, JSON.parse(output)]).toEqual([1, { ok: false, fault, warnings: '', evidence: null }]);
    const status = await admin(['status', '--json']);
    expect(JSON.parse(status.output).backups.last_check_ok).toBe(false);
  });

  test('a name without a file, or an old pg_restore, says nothing about a backup, so it is no check', async () => {
    const checks = async () => JSON.parse((await admin(['audit', '--subject', 'check_backup', '--json'])).output);
    const before = await checks();
    const missing = join(folder, 'none.dump');
    const unnamed = await admin(['check-backup', missing], WITH_PROGRAMS());
    expect([unnamed.code, unnamed.output]).toEqual([1, `There is no file ${missing}.`]);
    place('pg_restore', `echo 'pg_restore: error: unsupported version (9.99) in file header' >&2; exit 1`);
    const file = join(newFolder(), 'mine.dump');
    writeFileSync(file, '');
    const { code, output } = await admin(['check-backup', file], WITH_PROGRAMS());
    expect([code, output]).toEqual([1, expect.stringContaining('was written by a later version than pg_restore 99:')]);
    expect(await checks()).toEqual(before);
  });
});

test.each(['backup', 'restore', 'check-backup'])('%s needs one place', async (name) => {
  expect((await admin([name])).code).toBe(2);
  expect((await admin([name, 'a', 'b'])).code).toBe(2);
});

test.each(['backup', 'check-backup', 'status'])('%s makes nothing where there is no database', async (name) => {
  const dataDir = join(folder, 'none');
  const complained: string[] = [];
  const complain = (line: string) => void complained.push(line);
  const args = name === 'status' ? [name] : [name, folder];
  expect(await runCommand(args, { DATA_DIR: dataDir }, { print: complain, complain })).toBe(1);
  expect([complained, existsSync(dataDir)]).toEqual([[`There is no database in ${dataDir}.`], false]);
});
