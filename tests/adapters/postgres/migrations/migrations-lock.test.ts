import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { isOnline, MIGRATIONS } from '../../../../adapters/postgres/migrations/migration-files.ts';

const FOLDER = join(import.meta.dirname, '../../../../adapters/postgres/migrations');
const files = readdirSync(FOLDER).filter((file) => file.endsWith('.sql'));

describe('migrations are frozen', () => {
  test('every file is as migrations.lock has it: add a new migration, never edit one', () => {
    const sums = files.map(
      (file) =>
        `${createHash('sha256')
          .update(readFileSync(join(FOLDER, file)))
          .digest('hex')}  ${file}`,
    );
    expect(readFileSync(join(FOLDER, 'migrations.lock'), 'utf8').trim().split('\n')).toEqual(sums);
  });

  test('no two have one number', () => {
    const numbers = files.map((file) => Number(file.slice(0, 4)));
    expect(numbers).toEqual([...new Set(numbers)].toSorted((a, b) => a - b));
  });

  test('databases of 0.5.0 have the baseline by the name of their last migration', () => {
    expect(MIGRATIONS[0]?.name).toBe('Datasets1763700000089');
  });
});

describe('an index on a table of an earlier migration', () => {
  const since = MIGRATIONS.slice(1);
  const indexes = /create (?:unique )?index( concurrently)?(?: (?!on)(\w+))? on app\.(\w+)/g;

  test('is built online: submissions and grades do not wait', () => {
    const blocking = since.flatMap(({ name, sql }) =>
      [...sql.matchAll(indexes)].flatMap(([statement, concurrently, , table]) =>
        concurrently || new RegExp(`create (unlogged )?table app\\.${table}\\b`).test(sql) ? [] : [name, statement],
      ),
    );
    expect(blocking).toEqual([]);
  });

  test('is dropped before, so that a migration that failed can run again', () => {
    const undropped = (sql: string) =>
      [...sql.matchAll(indexes)].flatMap(([statement, , index]) =>
        sql.includes(`drop index concurrently if exists app.${index};\n${statement}`) ? [] : [statement],
      );
    expect(undropped('create index concurrently mine on app.owners (tier);')).toHaveLength(1);
    expect(since.filter(isOnline).flatMap(({ sql }) => undropped(sql))).toEqual([]);
  });
});
