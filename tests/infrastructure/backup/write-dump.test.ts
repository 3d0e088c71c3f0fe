import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { ABANDONED_BACKUP } from '../../../domain/limits.ts';
import { MINUTE, SECOND } from '../../../domain/time.ts';
import type { OpenedServer } from '../../../infrastructure/backup/open-server.ts';
import { writeDump } from '../../../infrastructure/backup/write-dump.ts';

// The campaign restore-drill makes real backups. Here pg_dump is a script, and no server is asked.

const NOW = new Date('2026-03-02T03:17:00.400Z');
const NAME = 'stancebook-20260302T031700Z.dump';

let folder: string;
let bin: string;
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'stancebook-dump-'));
  bin = join(folder, 'bin');
  mkdirSync(bin);
});
afterAll(() => rmSync(folder, { recursive: true }));

const newFolder = () => mkdtempSync(join(folder, 'backups-'));

/** A pg_dump of PostgreSQL 99 that has the file to write as `$file`, and the name of the database as `$database`. */
function place(script: string): void {
  const words = `for word in "$@"; do case "$word" in --file=*) file="\${word#--file=}";; --dbname=*) database="\${word##*/}";; esac; done`;
  const version = `if [ "$1" = --version ]; then echo "pg_dump (PostgreSQL) 99.1"; exit; fi`;
  writeFileSync(join(bin, 'pg_dump'), `#!/bin/sh\n${version}\n${words}\n${script}\n`);
  chmodSync(join(bin, 'pg_dump'), 0o755);
}

function serverOf(database: string): OpenedServer {
  const url = `postgresql://owner@127.0.0.1:1/${database}`;
  const schema = { isNew: false, missing: [], unknown: [], refusal: null };
  return { ownerUrl: url, ownerName: 'DATABASE_URL', serviceUrl: url, major: 18, schema, close: async () => undefined };
}

const write = (database: string, at: string) =>
  writeDump(serverOf(database), at, NOW, { env: { PATH: `${bin}:/bin:/usr/bin` } });

test('backups of two databases that begin in one second in one folder are two whole files', async () => {
  const [dir, marks] = [newFolder(), newFolder()];
  const both = `touch ${marks}/$database; while [ "$(ls ${marks} | wc -l)" -lt 2 ]; do sleep 0.02; done`;
  place(`echo begin of $database > "$file"; ${both}; echo end of $database >> "$file"`);
  const made = await Promise.all(['one', 'two'].map((database) => write(database, dir)));
  expect(made.map(({ file }) => readFileSync(file, 'utf8'))).toEqual([
    'begin of one\nend of one\n',
    'begin of two\nend of two\n',
  ]);
  expect(readdirSync(dir).toSorted()).toEqual([NAME.replace('.dump', '-2.dump'), NAME].toSorted());
});

test('a file that got the name meanwhile is not replaced', async () => {
  const file = join(newFolder(), 'mine.dump');
  place(`echo dumped > "$file"; echo precious > ${file}`);
  await expect(write('one', file)).rejects.toThrow(`${file} exists already`);
  expect([readFileSync(file, 'utf8'), readdirSync(join(file, '..'))]).toEqual(['precious\n', ['mine.dump']]);
});

test('what a killed process has left is removed after a day; of the others pg_dump may be writing to one', async () => {
  place('echo dumped > "$file"');
  const dir = newFolder();
  const [old, fresh] = ['.a.dump.0123abcd.partial', '.b.dump.0123abcd.partial'].map((name) => join(dir, name)) as [
    string,
    string,
  ];
  for (const file of [old, fresh]) writeFileSync(file, 'half');
  const seconds = (age: number) => (Date.now() - age) / SECOND;
  utimesSync(old, seconds(ABANDONED_BACKUP + MINUTE), seconds(ABANDONED_BACKUP + MINUTE));
  utimesSync(fresh, seconds(ABANDONED_BACKUP - MINUTE), seconds(ABANDONED_BACKUP - MINUTE));
  await write('one', dir);
  expect([old, fresh, join(dir, NAME)].map((file) => existsSync(file))).toEqual([false, true, true]);
});
